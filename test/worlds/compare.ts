import type { ChangeJson, DraftJson } from "../../src/core/wire/authoring.ts";
import type { Problem } from "../../src/core/wire/problems.ts";
import type { Answer } from "../app/program.ts";
import { type Asked, type Both, UUID } from "./pair.ts";
import type { Rows } from "./rows.ts";

/* Whether two worlds answer alike, and what it is that they do not answer alike. */

/** What varies from answer to answer whoever asks, and nothing else. */
const volatile = new Set(["date", "x-request-id", "connection", "keep-alive"]);

/**
 * Compares answers. Ids that were made meanwhile stand for one another, each for one alone; an id that was there, and
 * every other byte, must be the same.
 */
export class Comparison {
  readonly #known: ReadonlySet<string>;
  readonly #pairs = new Map<string, string>();
  readonly #taken = new Map<string, string>();

  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  same({ a, b }: Both): boolean {
    return this.#text(head(a), head(b)) && this.#text(a.text, b.text);
  }

  #text(one: string, other: string): boolean {
    if (one === other) return true;
    const [ids, others] = [one.match(UUID) ?? [], other.match(UUID) ?? []];
    if (ids.length !== others.length || one.replace(UUID, "#") !== other.replace(UUID, "#")) return false;
    return ids.every((id, i) => {
      const mate = others[i] ?? "";
      if (id === mate) return true;
      if (this.#known.has(id) || this.#known.has(mate)) return false;
      const [pair, back] = [this.#pairs.get(id), this.#taken.get(mate)];
      if (pair === undefined && back === undefined) {
        this.#pairs.set(id, mate);
        this.#taken.set(mate, id);
        return true;
      }
      return pair === mate && back === id;
    });
  }
}

export const head = ({ status, headers }: Answer): string =>
  [
    status,
    ...[...headers]
      .filter(([name]) => !volatile.has(name))
      .map(
        ([name, value]) =>
          `${name}: ${name === "content-security-policy" ? value.replace(/'nonce-[^']*'/gu, "'nonce-'") : name === "set-cookie" ? value.replace(/=[\w-]{43};/u, "=…;") : value}`,
      )
      .sort(),
  ].join("\n");

/** What an answer says but for what is drawn for it, and for what an author is told of all records. */
export const toCompare = ({ path }: Asked, answer: Answer): Answer => {
  const nonce = /'nonce-([^']+)'/u.exec(answer.headers.get("content-security-policy") ?? "")?.[1];
  let text = answer.text
    .replace(/#password=[\w-]{43}"/u, '#password=…"')
    .replace(/"token":"nf_[\w-]{43}"/u, '"token":"nf_…"')
    // A place of one server is a word that is drawn for it.
    .replace(/\{"at":"[0-9a-f-]{36}"/gu, '{"at":"place"');
  let { headers } = answer;
  for (const [at, numbers] of numbersForAuthors)
    if (at.test(path) && text.search(numbers) >= 0) {
      text = text.replace(numbers, "…");
      headers = new Headers(headers);
      // How long it is follows from them.
      for (const name of ["content-length", "etag"]) headers.delete(name);
    }
  return { ...answer, headers, text: nonce === undefined ? text : text.replaceAll(nonce, "nonce") };
};

/**
 * Who writes the document is told how many records a clause concerns, whether they see these or not, and nothing else of
 * them: how many are in a state, how many an answer would open, how many do not fit a change.
 */
const numbersForAuthors: readonly (readonly [path: RegExp, numbers: RegExp])[] = [
  [/^\/_\/questions$/u, /(?<="records":)\d+/gu],
  [/^\/_\/document\/states$/u, /\{(?:"\w+":\d+,?)*\}/gu],
  [/^\/_\/document(?:\/plan)?$/u, /\b(?:one|\d+) (?:value|record)s? (?:that )?(?:have|has|are|is|stands?)\b/gu],
  [
    /^\/_\/document(?:\/plan)?$/u,
    /\b(?:no record holds it|the (?:one record that holds it says|[\d,]+ records that hold it say) so)\b/gu,
  ],
];

/**
 * Of a change that what is stored does not allow in one of the worlds: the clauses that would not hold. That is what its author
 * asks, and nothing else may show beside it: no sentence has a value that is stored and not in the document, nor a number that
 * is none of the counts which `toCompare` leaves out; and of a clause that would hold in neither both say the same. Empty: the
 * answers differ by something else.
 */
export const unfitIn = ({ path, body }: Asked, { a, b }: Both, stored: readonly string[]): readonly string[] => {
  if (!isChange.test(path)) return [];
  const { files = [] } = (body ?? {}) as Partial<DraftJson>;
  const document = files.map(({ text }) => text).join("\n");
  const [one, other] = [refusalsIn(a), refusalsIn(b)];
  const alone = [...one.keys(), ...other.keys()].filter((clause) => one.has(clause) !== other.has(clause));
  if ([...one].some(([clause, says]) => other.has(clause) && other.get(clause) !== says)) return [];
  const said = [a, b].flatMap(sentencesIn).join("\n");
  const isTold = (value: string) => said.includes(value) && !document.includes(value);
  return stored.some(isTold) || (said.match(/\d+/gu) ?? []).some(isTold) ? [] : alone;
};

const isChange = /^\/_\/document(?:\/plan)?$/u;

/** What is stored as a text that is long enough to be known again. */
export const textsIn = (worlds: readonly Rows[]): readonly string[] => {
  const values = worlds.flatMap((rows) =>
    [...rows.values()].flatMap((own) => [...own.values()].flatMap((row) => Object.values(row).flat())),
  );
  return [...new Set(values.filter((value): value is string => typeof value === "string" && value.length > 3))];
};

/** By each clause that would not hold, what is said of it. */
const refusalsIn = (answer: Answer): ReadonlyMap<string, string> => {
  const { refused = [], errors = [] } = contentOf(answer);
  const said = new Map<string, string>();
  for (const { clause, says } of [...refused, ...errors.map(({ clause, message }) => ({ clause, says: message }))])
    said.set(clause, `${said.get(clause) ?? ""}${says}\n`);
  return said;
};

const sentencesIn = (answer: Answer): readonly string[] => [
  ...(contentOf(answer).steps ?? []),
  ...refusalsIn(answer).values(),
];

/** As `toCompare` leaves it. */
const contentOf = ({ text }: Answer): Partial<ChangeJson & Problem> =>
  JSON.parse(text) as Partial<ChangeJson & Problem>;

/** The clauses by which an answer is a refusal. */
const refusedBy = (answer: Answer): ReadonlyMap<string, string> => {
  const problem = answer.body as Partial<Problem> | undefined;
  if (answer.status < 400 || problem?.code === undefined) return new Map();
  const { code, clause = "", errors } = problem;
  return new Map(
    errors === undefined
      ? [[`${clause} ${code}`, clause]]
      : errors.map((one) => [`${one.clause} ${one.code}`, one.clause]),
  );
};

/** Where two texts begin to differ, with what stands around it. */
export const apart = (one: string, other: string): { readonly one: string; readonly other: string } => {
  let at = 0;
  // How long a body is follows from it.
  const [a, b] = [one, other].map((text) => text.replace(/^content-length.*$/mu, "content-length"));
  while (at < (a ?? "").length && a?.[at] === b?.[at]) at++;
  const around = (text = "") =>
    `${text.slice(0, 3)} …${text
      .slice(Math.max(0, at - 150), at + 250)
      .split("\n")
      .slice(-2)
      .join("\n")}…`;
  return { one: around(a), other: around(b) };
};

/** Why one world refused what the other did not: the clauses that one of them cites alone. Undefined: that is no reason. */
export const tellingOf = ({ path }: Asked, { a, b }: Both): ReadonlyMap<string, string> | undefined => {
  // What a change of the document may tell is less: `unfitIn`.
  if (isChange.test(path)) return undefined;
  const [one, other] = [refusedBy(a), refusedBy(b)];
  const alone = new Map([...one, ...other].filter(([key]) => one.has(key) !== other.has(key)));
  return alone.size === 0 ? undefined : alone;
};
