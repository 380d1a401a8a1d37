import type { ChangeJson, DraftJson } from "../../src/core/wire/authoring/document.ts";
import type { Problem } from "../../src/core/wire/problems.ts";
import type { Answer } from "../app/program.ts";
import { type AnswerPair, UUID, type WorldRequest } from "./pair.ts";
import type { Rows } from "./rows.ts";

/* Compares the responses of two worlds and describes the differences. */

/** Headers that vary between equal responses. */
const volatile = new Set(["date", "x-request-id", "connection", "keep-alive", "ninefold-position"]);

/**
 * Compares responses. Ids generated meanwhile correspond one to one; ids from before and every other byte must be
 * equal.
 */
export class Comparison {
  readonly #known: ReadonlySet<string>;
  readonly #pairs = new Map<string, string>();
  readonly #taken = new Map<string, string>();

  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  same({ a, b }: AnswerPair): boolean {
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

/** The random number of the device on which a person signed in. Its signature, made from that, is of equal length too. */
const DEVICE = /(?<=^device[\w-]*=[\w-]{36}\.)[\w-]{22}(?=\.)/u;

export const head = ({ status, headers }: Answer): string =>
  [
    status,
    ...[...headers]
      .filter(([name]) => !volatile.has(name))
      .map(
        ([name, value]) =>
          `${name}: ${name === "content-security-policy" ? value.replace(/'nonce-[^']*'/gu, "'nonce-'") : name === "set-cookie" ? value.replace(/(?<==|\.)[\w-]{43,64};/u, "…;").replace(DEVICE, "…") : value}`,
      )
      .sort(),
  ].join("\n");

/** Places in the change feed are encrypted: all that can be read from them is their length (and what follows them, `meanwhile`). */
export const withoutPlaces = (text: string): string =>
  text.replace(/(?<=\{"at":")[\w-]{64,}(?=")/gu, (place) => `place of ${place.length}`);

/** A response without random parts, and without numbers that only authors see. */
export const toCompare = ({ path }: WorldRequest, answer: Answer): Answer => {
  const nonce = /'nonce-([^']+)'/u.exec(answer.headers.get("content-security-policy") ?? "")?.[1];
  let text = withoutPlaces(answer.text)
    .replace(/#password=[\w-]{43}"/u, '#password=…"')
    .replace(/"token":"(?:nf_)?[\w-]{43}"/u, '"token":"…"');
  let { headers } = answer;
  for (const [at, numbers] of numbersForAuthors)
    if (at.test(path) && text.search(numbers) >= 0) {
      text = text.replace(numbers, "…");
      headers = new Headers(headers);
      // Their values follow from the body.
      for (const name of ["content-length", "etag"]) headers.delete(name);
    }
  return { ...answer, headers, text: nonce === undefined ? text : text.replaceAll(nonce, "nonce") };
};

const PLANS = /^\/_\/(?:document|versions\/\d+|proposals\/\d+)\/plan$/u;
const CHANGES = /^\/_\/(?:document|(?:document|versions\/\d+|proposals\/\d+)\/plan)$/u;
/** The records of a plan. */
const RECORDS = /^\/_\/document\/plan\/records\?/u;

/**
 * An author learns how many records a clause affects, visible or not, and nothing else about them: the number in a
 * state, the number that an answer would affect, the number that contradict a change.
 */
const numbersForAuthors: readonly (readonly [path: RegExp, numbers: RegExp])[] = [
  [/^\/_\/questions$/u, /(?<="records":)\d+/gu],
  // Clauses with their numbers of acts; links to records that the author may read (`test/change/replay.test.ts`).
  [/^\/_\/document\/replay$/u, /^\{"days":.*\}$/gu],
  [/^\/_\/document\/states$/u, /\{(?:"\w+":\d+,?)*\}/gu],
  [
    CHANGES,
    /\b(?:No record has a value|There are no records|The values of (?:1 record|[\d,]+ records) are kept as retired data|(?:1 record is|[\d,]+ records are) kept as retired data)/gu,
  ],
  [CHANGES, /\b[\d,]+ (?:stored )?(?:value|record)s? (?:have|has|are|is|occurs?|violates?|refers?|changes?|gets?)\b/gu],
  [CHANGES, /\b(?:no record has this value|[\d,]+ records? changes?)\b/gu],
  // The figure of the same sentence; the ids beside it are of records that the author may read.
  [PLANS, /(?<=(?:"misfits":\{|"step":\d+,)"entity":"\w+","count":)\d+/gu],
  // Where only invisible records do not fit, neither does the clause count for the comparison.
  [RECORDS, /(?<="says":)(?:null|"(?:[^"\\]|\\.)*")|(?<="clause":)(?:null|"[^"]*")|(?<="(?:count|unreadable)":)\d+/gu],
  [CHANGES, /\b(?:No record has it|[\d,]+ records? gets? \w+)\b/gu],
];

/**
 * For a change of the document that the data of one world contradict: the violated clauses. The author may learn these
 * and nothing else: no sentence contains a stored value that is not in the document, nor a number except the counts
 * that `toCompare` removes; and both worlds agree on all other clauses. Empty if the responses differ in anything else.
 */
export const unfitIn = (
  { path, body }: WorldRequest,
  { a, b }: AnswerPair,
  stored: readonly string[],
): readonly string[] => {
  if (!CHANGES.test(path)) return [];
  const { files = [] } = (body ?? {}) as Partial<DraftJson>;
  const document = files.map(({ text }) => text).join("\n");
  const [one, other] = [refusalsIn(a), refusalsIn(b)];
  const alone = [...one.keys(), ...other.keys()].filter((clause) => one.has(clause) !== other.has(clause));
  if ([...one].some(([clause, says]) => other.has(clause) && other.get(clause) !== says)) return [];
  const text = [a, b].flatMap(sentencesIn).join("\n");
  const isTold = (value: string) => text.includes(value) && !document.includes(value);
  return stored.some(isTold) || (text.match(/\d+/gu) ?? []).some(isTold) ? [] : alone;
};

/** Stored texts that are long enough to be recognized. */
export const textsIn = (worlds: readonly Rows[]): readonly string[] => {
  const values = worlds.flatMap((rows) =>
    [...rows.values()].flatMap((own) => [...own.values()].flatMap((row) => Object.values(row).flat())),
  );
  return [...new Set(values.filter((value): value is string => typeof value === "string" && value.length > 3))];
};

/** The messages by violated clause. */
const refusalsIn = (answer: Answer): ReadonlyMap<string, string> => {
  const { refused = [], errors = [] } = contentOf(answer);
  const text = new Map<string, string>();
  for (const { clause, says } of [...refused, ...errors.map(({ clause, message }) => ({ clause, says: message }))])
    text.set(clause, `${text.get(clause) ?? ""}${says}\n`);
  return text;
};

const sentencesIn = (answer: Answer): readonly string[] => [
  ...(contentOf(answer).steps ?? []),
  ...refusalsIn(answer).values(),
];

/** The response after `toCompare`. */
const contentOf = ({ text }: Answer): Partial<ChangeJson & Problem> =>
  JSON.parse(text.replaceAll('"count":…', '"count":0')) as Partial<ChangeJson & Problem>;

/** A refusal in the shape of a generated document has `all` in place of `errors`. */
type Refused = Partial<Problem> & { readonly all?: Problem["errors"] };

/** The clauses of a refusal. */
const refusedBy = (answer: Answer): ReadonlyMap<string, string> => {
  const problem = answer.body as Refused | undefined;
  if (answer.status < 400 || problem?.code === undefined) return new Map();
  const { code, clause = "", errors = [], all = [] } = problem;
  const each = [...errors, ...all];
  return new Map(
    (each.length === 0 ? [{ clause, code }] : each).map((one) => [`${one.clause} ${one.code}`, one.clause]),
  );
};

/** The first difference of two texts with its surroundings. */
export const apart = (one: string, other: string): { readonly one: string; readonly other: string } => {
  let at = 0;
  // The length of a body follows from its content.
  const [a, b] = [one, other].map((text) => text.replace(/^content-length.*$/mu, "content-length"));
  while (at < (a ?? "").length && a?.[at] === b?.[at]) at++;
  // The line of the difference, and what is around it in long lines.
  const around = (text = "") => {
    const begin = Math.max(text.lastIndexOf("\n", at - 1) + 1, at - 150);
    const end = text.indexOf("\n", at);
    return `${text.slice(0, 3)} …${text.slice(begin, Math.min(end < 0 ? text.length : end, at + 250))}…`;
  };
  return { one: around(a), other: around(b) };
};

/** The clauses that only one world's refusal cites, if they explain the difference; otherwise undefined. */
export const tellingOf = ({ path }: WorldRequest, { a, b }: AnswerPair): ReadonlyMap<string, string> | undefined => {
  // Changes of the document may reveal less: `unfitIn`.
  if (CHANGES.test(path)) return undefined;
  const [one, other] = [refusedBy(a), refusedBy(b)];
  const alone = new Map([...one, ...other].filter(([key]) => one.has(key) !== other.has(key)));
  return alone.size === 0 ? undefined : alone;
};
