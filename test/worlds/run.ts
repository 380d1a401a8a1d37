import type { Person } from "../../src/core/derive/access.ts";
import type { Model } from "../../src/core/model/model.ts";
import { dateAt, zoneOf } from "../../src/core/rule/calendar.ts";
import { type Expr, partsOf } from "../../src/core/rule/expr.ts";
import type { ChangeJson, Problem } from "../../src/core/wire.ts";
import { type OpenApi, operationsOf } from "../app/openapi/described.ts";
import type { Answer } from "../app/program.ts";
import type { Happened, Happening } from "./meanwhile.ts";
import { type Asked, type Both, type Pair, UUID } from "./pair.ts";
import type { Somebody } from "./people.ts";
import {
  type Asking,
  type Kept,
  keeps,
  platformRequests,
  type Random,
  randomFrom,
  readRequests,
  USED_KEY,
  writeRequests,
} from "./requests.ts";
import type { Moment, Rows } from "./rows.ts";
import { differences, learntBy, type Plant, planted, plantsFor, type Sight, sightOf } from "./sight.ts";

/** A request that two worlds answer differently which this person cannot tell apart by what they may read. */
export interface Leak {
  readonly person: string;
  readonly asked: string;
  readonly what: string;
  /** What the worlds differ in, as few as show it. */
  readonly plants: readonly string[];
  readonly one: string;
  readonly other: string;
}

export interface Found {
  readonly leaks: readonly Leak[];
  /** Clauses that told of something hidden by what they allow or refuse, each with the code or the action. */
  readonly told: ReadonlyMap<string, string>;
  /** Differences by which a person sees something else as the document says: `Request.days`. */
  readonly shown: ReadonlyMap<string, string>;
  readonly asked: number;
  readonly planted: number;
  /** The routes that were asked. */
  readonly routes: ReadonlySet<string>;
}

export interface Effort {
  readonly people: number;
  /** How many differences are tried for a person, how many requests that read, and how many paths for each that writes. */
  readonly plants: number;
  readonly reads: number;
  readonly writes: number;
  /** After how many of what somebody could tell apart nothing more is asked as them. */
  readonly leaks: number;
  /** What happens while they do nothing, and how many writes of others are tried for it. */
  readonly happens: readonly ((happening: Happening) => Promise<Happened>)[];
  readonly tries: number;
  /** Asks what reads this alone, each of it. */
  readonly only?: RegExp;
}

/** What varies from answer to answer whoever asks, and nothing else. */
const volatile = new Set(["date", "x-request-id", "connection", "keep-alive"]);

/**
 * Compares answers. Ids that were made meanwhile stand for one another, each for one alone; an id that was there, and
 * every other byte, must be the same.
 */
class Comparison {
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

const head = ({ status, headers }: Answer): string =>
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
const toCompare = ({ path }: Asked, answer: Answer): Answer => {
  const nonce = /'nonce-([^']+)'/u.exec(answer.headers.get("content-security-policy") ?? "")?.[1];
  let text = answer.text
    .replace(/#password=[\w-]{43}"/u, '#password=…"')
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
  [/^\/_\/document(?:\/plan)?$/u, /\b(?:no record holds it|the (?:one record that holds it says|[\d,]+ records that hold it say) so)\b/gu],
];

/** Of a change that what is stored does not allow in one of the worlds: the clauses that would not hold. */
const unfitIn = ({ path }: Asked, { a, b }: Both): readonly string[] => {
  if (!/^\/_\/document(?:\/plan)?$/u.test(path)) return [];
  const unfit = ({ body }: Answer): readonly string[] => {
    const { refused = [], errors = [] } = (body ?? {}) as Partial<ChangeJson & Problem>;
    return [...refused, ...errors].map(({ clause }) => clause);
  };
  const [one, other] = [unfit(a), unfit(b)];
  return [...new Set([...one, ...other])].filter((clause) => one.includes(clause) !== other.includes(clause));
};

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

/** What was found to be hidden from somebody, so that it is found once for all that is asked of it. */
const quietBefore = new WeakMap<Somebody, ReadonlyMap<number, readonly Plant[]>>();

/** One person in two worlds that the document does not let them tell apart. */
export const tellApart = async (pair: Pair, person: Somebody, effort: Effort, seed: number): Promise<Found> => {
  const { model, rows, people } = pair;
  const random = randomFrom(seed);
  const moment: Moment = {
    now: pair.now.toISOString(),
    today: dateAt(pair.now.toISOString(), zoneOf(model.timezone)) ?? "",
  };
  const sight = sightOf(model, rows, person, moment);
  const told = new Map<string, string>();
  const shown = new Map<string, string>();
  const routes = new Set<string>();
  const leaks: Leak[] = [];
  let asked = 0;

  const quiet =
    quietBefore.get(person)?.get(seed) ??
    quietOf(
      pair,
      person,
      sight,
      moment,
      { told, shown },
      random.some(plantsFor(model, rows, person, sight), effort.plants * 8),
      effort.plants,
    );
  quietBefore.set(person, new Map([...(quietBefore.get(person) ?? []), [seed, quiet]]));
  const held = await pair.begin(quiet);
  // What a table refused may have been what made another difference quiet.
  let plants = combined(pair, person, sight, moment, held);
  if (plants.length !== held.length) await pair.begin(plants);
  // Rows that exist because of others came with them.
  let [, other] = await pair.present();
  const isQuiet = () => {
    const now = sightOf(model, other, person, moment);
    return differences(sight.seen, now.seen).length + differences(sight.may, now.may).length === 0;
  };
  for (const isLeft of [leavesRows(model, rows), leavesSources(model)]) {
    if (isQuiet()) break;
    plants = plants.filter(isLeft);
    await pair.begin(plants);
    [, other] = await pair.present();
  }
  const hidden = await otherTables(pair, person, sight);
  if (hidden.length > 0) await pair.alter(hidden);

  const description = await pair.ask(person.cookie, { method: "GET", path: "/api/openapi.json", what: "openapi" });
  const document = description.a.body as OpenApi;
  const asking: Asking = {
    model,
    person,
    document,
    operations: operationsOf(document),
    rows: [rows, other],
    random,
    text: pair.text,
    base: pair.base,
    kept: await keptBy(pair, person),
  };
  const known = new Set([...pair.ids, ...[...other.values()].flatMap((own) => [...own.keys()])]);

  const leakOf = async (one: Asked, both: Both, isRead: boolean): Promise<Leak> => {
    const guilty = isRead ? await narrowed(pair, person, one, plants, known) : plants;
    return {
      person: person.name,
      asked: `${one.method} ${one.path} ${one.body === undefined ? "" : JSON.stringify(one.body)}`,
      what: one.what,
      plants: guilty.slice(0, 3).map(({ what }) => what),
      ...apart(`${head(both.a)}\n${both.a.text}`, `${head(both.b)}\n${both.b.text}`),
    };
  };
  const compare = async (one: Asked, comparison: Comparison): Promise<Both | undefined> => {
    asked++;
    const answers = await pair.ask(one.cookie ?? person.cookie, one);
    const both = { a: toCompare(one, answers.a), b: toCompare(one, answers.b) };
    const tag = one.method === "GET" ? both.a.headers.get("etag") : null;
    if (tag === null || !comparison.same(both)) return comparison.same(both) ? undefined : both;
    // Who has it already asks whether it is still that.
    const again = await pair.ask(one.cookie ?? person.cookie, {
      ...one,
      headers: { ...one.headers, "if-none-match": tag },
    });
    return comparison.same(again) ? undefined : again;
  };

  const drivers = platformRequests(asking);
  for (const route of Object.keys(drivers)) routes.add(route);
  const platform = Object.values(drivers).flat();
  const reads = ({ method, path }: Asked) => method === "GET" || path === "/_/document/plan";
  const reading = [...readRequests(asking), ...platform.filter(reads)];
  // Of every route something, and of everything some.
  const always = Object.entries(drivers).flatMap(([route, own]) =>
    random.some(own.filter(reads), route.endsWith("/overview") ? own.length : 1),
  );
  const { only } = effort;
  const asks =
    only === undefined
      ? [...always, ...random.some(reading, effort.reads).map((one) => inAnotherWay(one, person, random))]
      : random.some(
          reading.filter(({ method, path }) => only.test(`${method} ${path}`)),
          effort.reads,
        );
  for (const one of asks) {
    const both = await compare(one, new Comparison(known));
    if (both === undefined) continue;
    const among = /[?&]among=([A-Z]\w*\.\w+)/u.exec(one.path)?.[1];
    if (among !== undefined && both.a.status === 200 && both.b.status === 200) {
      told.set(`3.${among} among`, one.what);
      continue;
    }
    // That something does not fit what is stored is what an author asks.
    const unfit = unfitIn(one, both);
    for (const clause of unfit) told.set(`${clause} CHANGE_REFUSED`, one.what);
    if (unfit.length > 0) continue;
    leaks.push(await leakOf(one, both, true));
    await pair.begin(plants);
    if (hidden.length > 0) await pair.alter(hidden);
    if (leaks.length >= effort.leaks) break;
  }
  // A page leads to the next.
  for (const one of random.some(
    (only === undefined ? reading : asks).filter(({ path }) => /[?&]limit=3/u.test(path)),
    12,
  )) {
    let { path } = one;
    for (let page = 0; page < 4; page++) {
      const both = await pair.ask(person.cookie, { ...one, path });
      if (!new Comparison(known).same(both)) {
        leaks.push(await leakOf({ ...one, path }, both, true));
        await pair.again();
        break;
      }
      const next = (both.a.body as { readonly next?: string | null } | undefined)?.next;
      if (both.a.status !== 200 || next === null || next === undefined) break;
      path = `${one.path}&after=${encodeURIComponent(next)}`;
    }
  }

  /** What a write may bring to light: fields that are computed with it, and records that they see from now on. */
  const nowShown = async (): Promise<string | undefined> => {
    const [mine, theirs] = (await pair.present()).map((one) => sightOf(model, one, person, moment));
    if (mine === undefined || theirs === undefined) return undefined;
    const isKnown = (key: string) =>
      pair.ids.has(key.match(UUID)?.[0] ?? "") || other.get(key.split("/")[0] ?? "")?.has(key.match(UUID)?.[0] ?? "");
    const seen = differences(mine.seen, theirs.seen).filter((key) => isKnown(key) === true || key.includes("."));
    const may = differences(mine.may, theirs.may);
    return seen[0]?.replace(/\/[^.]*/u, "") ?? may[0]?.replace(/\/[^!]*/u, "");
  };

  const isLeft = () => leaks.length < effort.leaks;
  const others = people.filter(({ id }) => id !== null && id !== person.id);
  const after = only === undefined ? [...always, ...random.some(reading, Math.ceil(effort.reads / 2))] : [];
  for (const happens of effort.happens) {
    await pair.again();
    const { leak, shown: by, done } = await happens({ pair, person, others, moment, asking, tries: effort.tries });
    if (leak !== undefined)
      leaks.push({ ...leak, person: person.name, plants: plants.slice(0, 3).map(({ what }) => what) });
    if (by !== undefined) shown.set(by, done.join(", "));
    for (const one of by === undefined && done.length > 0 ? after : []) {
      if (!isLeft()) break;
      const both = await compare(one, new Comparison(known));
      if (both === undefined || /[?&]among=/u.test(one.path)) continue;
      leaks.push({ ...(await leakOf(one, both, false)), what: `${one.what} after ${done.join(", ")}` });
    }
  }

  await pair.again();
  const writing =
    !isLeft() || only !== undefined
      ? []
      : [...writeRequests(asking, effort.writes), ...platform.filter((one) => !reads(one))];
  for (const one of random.some(writing, writing.length)) {
    const comparison = new Comparison(known);
    const both = await compare(one, comparison);
    const answers = both ?? undefined;
    const wrote = answers === undefined || answers.a.status < 300 || answers.b.status < 300;
    if (both !== undefined) {
      const unfit = unfitIn(one, both);
      for (const clause of unfit) told.set(`${clause} CHANGE_REFUSED`, one.what);
      const reasons = unfit.length > 0 ? new Map<string, string>() : tellingOf(both);
      const brought =
        reasons === undefined && both.a.status < 300 && both.b.status < 300 ? await nowShown() : undefined;
      if (reasons !== undefined) for (const [key, clause] of reasons) told.set(key, `${clause} (${one.what})`);
      else if (brought !== undefined) shown.set(brought, one.what);
      else leaks.push(await leakOf(one, both, false));
    } else if (one.method !== "DELETE" || !one.path.startsWith("/api"))
      // What a person sees afterwards is the same too, and what they are told.
      for (const later of new Set([afterwards(one), ...(random.next() < 0.3 ? [notifications] : [])])) {
        const after = await pair.ask(person.cookie, later);
        if (comparison.same({ a: toCompare(later, after.a), b: toCompare(later, after.b) })) continue;
        const brought = await nowShown();
        if (brought === undefined)
          leaks.push(await leakOf({ ...one, what: `${later.what} after ${one.what}` }, after, false));
        else shown.set(brought, one.what);
        break;
      }
    if (wrote) await pair.again();
    if (leaks.length >= effort.leaks) break;
  }
  return { leaks, told, shown, asked, planted: plants.length + hidden.length, routes };
};

/** Where two texts begin to differ, with what stands around it. */
const apart = (one: string, other: string): { readonly one: string; readonly other: string } => {
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

const notifications: Asked = { method: "GET", path: "/_/notifications", what: "notifications" };

/** A reading as it may also be asked: in another language, by another way in, for its head alone. */
const inAnotherWay = (one: Asked, person: Somebody, random: Random): Asked => {
  const at = random.next();
  if (one.method !== "GET" || at > 0.4) return one;
  if (at < 0.15) return { ...one, headers: { ...one.headers, "accept-language": "de" }, what: `${one.what} in German` };
  if (at < 0.2) return { ...one, method: "HEAD", what: `the head of ${one.what}` };
  const way = random.pick(person.others);
  return way === undefined
    ? one
    : {
        ...one,
        cookie: way.cookie,
        headers: { ...one.headers, ...way.headers },
        what: `${one.what} by ${way.headers === undefined ? "somebody who looks" : "a program"}`,
      };
};

/** What others keep, by its id. */
const keptBy = async ({ one: { store } }: Pair, person: Somebody): Promise<Asking["kept"]> => {
  const found = new Map<Kept, readonly string[]>();
  for (const kind of keeps) {
    const { rows } = await store.query(
      `select id::text from ninefold.${kind} where person is distinct from $1 order by id limit 20`,
      [person.id],
    );
    found.set(
      kind,
      rows.map(({ id }) => String(id)),
    );
  }
  return Object.fromEntries(found) as unknown as Asking["kept"];
};

/** Where a write shows for who made it: the list, or what one is told. */
const afterwards = ({ path }: Asked): Asked => {
  const list = /^\/api\/[^/?]+/u.exec(path)?.[0];
  return list === undefined
    ? notifications
    : { method: "GET", path: `${list}?limit=50&label=true&may=true&count=true`, what: list };
};

/** Why one world refused what the other did not: the clauses that one of them cites alone. Undefined: that is no reason. */
const tellingOf = ({ a, b }: Both): ReadonlyMap<string, string> | undefined => {
  const [one, other] = [refusedBy(a), refusedBy(b)];
  const alone = new Map([...one, ...other].filter(([key]) => one.has(key) !== other.has(key)));
  return alone.size === 0 ? undefined : alone;
};

/** Differences that leave what a person sees, and what they may do with it, as it was. The others are told by the document. */
const quietOf = (
  pair: Pair,
  person: Person,
  sight: Sight,
  moment: Moment,
  { told, shown }: { readonly told: Map<string, string>; readonly shown: Map<string, string> },
  candidates: readonly Plant[],
  most: number,
): readonly Plant[] => {
  const quiet: Plant[] = [];
  const rows = new Set<string>();
  for (const one of spread(candidates)) {
    if (quiet.length >= most) break;
    if (rows.has(one.id)) continue;
    const otherwise = sightOf(pair.model, planted(pair.rows, [one]), person, moment);
    const [seen] = differences(sight.seen, otherwise.seen);
    const [may] = differences(sight.may, otherwise.may);
    if (seen !== undefined) shown.set(seen.replace(/\/[^.]*/u, ""), one.what);
    else if (may !== undefined)
      told.set(learntBy(sight.may.get(may) ?? "", otherwise.may.get(may) ?? ""), `${may} by ${one.what}`);
    else {
      quiet.push(one);
      rows.add(one.id);
    }
  }
  // What another difference now refers to stays.
  const named = new Set(quiet.flatMap(({ row }) => (row === null ? [] : Object.values(row).flat())));
  return combined(
    pair,
    person,
    sight,
    moment,
    quiet.filter(({ row, id }) => row !== null || !named.has(id)),
  );
};

const sourcesIn = (model: Model): ReadonlySet<string> =>
  new Set(
    [...model.entities.values()].flatMap(({ rows: made }) =>
      (made?.sources ?? []).flatMap((source) => ("entity" in source ? [source.entity] : [])),
    ),
  );

const leavesSources =
  (model: Model) =>
  ({ entity }: Plant): boolean =>
    !sourcesIn(model).has(entity);

/** Whether a difference leaves the rows that exist because of others, if not what they hold. */
const leavesRows = (model: Model, rows: Rows) => {
  const sources = sourcesIn(model);
  const read = new Set<string>();
  const namesIn = (expr: Expr): void => {
    if (expr.kind === "field") read.add(expr.field.name);
    for (const part of partsOf(expr)) namesIn(part);
  };
  for (const { rows: made } of model.entities.values()) {
    if (made?.where) namesIn(made.where);
    for (const source of made?.sources ?? []) if ("list" in source) namesIn(source.list);
  }
  return ({ entity, id, row }: Plant): boolean => {
    const was = rows.get(entity)?.get(id);
    if (!sources.has(entity)) return true;
    return was !== undefined && row !== null && [...read].every((name) => was[name] === row[name]);
  };
};

/** Of each kind of difference one, then of each another. */
const spread = (plants: readonly Plant[]): readonly Plant[] => {
  const kinds = new Map<string, Plant[]>();
  for (const one of plants) {
    const kind = one.what.replaceAll(UUID, "");
    kinds.set(kind, [...(kinds.get(kind) ?? []), one]);
  }
  const spread: Plant[] = [];
  for (let i = 0; spread.length < plants.length; i++)
    for (const own of kinds.values()) if (own[i] !== undefined) spread.push(own[i] as Plant);
  return spread;
};

/** As many of them as leave everything as it was all together. */
const combined = (
  pair: Pair,
  person: Person,
  sight: Sight,
  moment: Moment,
  plants: readonly Plant[],
): readonly Plant[] => {
  const isQuiet = (some: readonly Plant[]) => {
    const otherwise = sightOf(pair.model, planted(pair.rows, some), person, moment);
    return differences(sight.seen, otherwise.seen).length + differences(sight.may, otherwise.may).length === 0;
  };
  if (isQuiet(plants)) return plants;
  let kept: readonly Plant[] = [];
  for (let at = 0, step = plants.length; at < plants.length; ) {
    const more = [...kept, ...plants.slice(at, at + step)];
    if (isQuiet(more)) {
      kept = more;
      at += step;
      step *= 2;
    } else if (step > 1) step = Math.ceil(step / 2);
    else at++;
  }
  return kept;
};

/** The fewest differences with which a reading is still answered otherwise. */
const narrowed = async (
  pair: Pair,
  person: Somebody,
  one: Asked,
  plants: readonly Plant[],
  known: ReadonlySet<string>,
): Promise<readonly Plant[]> => {
  let left = plants;
  while (left.length > 1) {
    const half = left.slice(0, Math.ceil(left.length / 2));
    await pair.begin(half);
    const first = await pair.ask(person.cookie, one);
    if (!new Comparison(known).same({ a: toCompare(one, first.a), b: toCompare(one, first.b) })) left = half;
    else left = left.slice(half.length);
  }
  return left;
};

/** What stands beside the records: lines of history on fields that are hidden, files, and what others are told and keep. */
const otherTables = async (
  { model, one: { store }, rows }: Pair,
  person: Somebody,
  sight: Sight,
): Promise<readonly { readonly text: string; readonly values?: readonly unknown[] }[]> => {
  const statements: { text: string; values?: readonly unknown[] }[] = [];
  const { rows: lines } = await store.query("select id::text, entity, record::text, changes from ninefold.audit");
  for (const line of lines) {
    const entity = model.entities.get(String(line.entity));
    const at = `${line.entity}/${line.record}`;
    if (entity === undefined || (person.granted.has("administrator") && entity.name === "User")) continue;
    const changes = line.changes as Record<string, unknown>;
    const hidden = Object.keys(changes).filter((name) => !sight.seen.has(`${at}.${name}`) && entity.fields.has(name));
    // A record that is no more is nobody's to read.
    for (const name of hidden.slice(0, 3)) {
      const field = entity.fields.get(name);
      if (field === undefined || (field.type !== "text" && field.type !== "long text")) continue;
      statements.push({
        text: "update ninefold.audit set changes = jsonb_set(changes, array[$2], '[null, \"Xyzzyq was here\"]') where id = $1::bigint",
        values: [line.id, name],
      });
    }
  }
  const readable = new Set<string>();
  for (const entity of model.entities.values())
    for (const row of rows.get(entity.name)?.values() ?? [])
      for (const field of entity.fields.values())
        if (
          (field.type === "file" || field.type === "image") &&
          sight.seen.has(`${entity.name}/${row.id}.${field.name}`)
        )
          for (const file of [row[field.name]].flat())
            if (typeof file === "object" && file !== null && "id" in file) readable.add(String(file.id));
  statements.push({
    text: "update ninefold.file set name = 'xyzzyq.txt', sha256 = decode(repeat('ab', 32), 'hex') where not (id::text = any($1)) and person is distinct from $2",
    values: [[...readable], person.id],
  });
  statements.push({
    text: "update ninefold.notification set text = 'Xyzzyq was told', read_at = now() where person is distinct from $1",
    values: [person.id],
  });
  const theirs = [
    "update ninefold.view set title = 'Xyzzyq', query = 'xyzzyq=1' where person is distinct from $1 and not shared",
    "delete from ninefold.view where person is distinct from $1 and not shared and id::text < '7'",
    "delete from ninefold.notification where person is distinct from $1 and ctid in (select ctid from ninefold.notification where person is distinct from $1 limit 3)",
    `insert into ninefold.idempotency (person, key, record, request, made_at)
     select id, '${USED_KEY}', id, '\\x00', now() from app."user" where id is distinct from $1`,
  ];
  const unmanaged = [
    "delete from ninefold.session where person is distinct from $1 and agent = 'kept'",
    "delete from ninefold.token where person is distinct from $1 and name = 'kept'",
    "delete from ninefold.credential where person is distinct from $1",
    `insert into ninefold.sign_up (email, token_hash, made_at, expires_at)
     select email, sha256(email::bytea), now(), now() + interval '1 day' from app."user" where $1::uuid is distinct from id limit 3`,
    `insert into ninefold.audit (person, entity, record, action, clause, document, changes)
     select id, 'Account', id, 'ask', '4.x', 1, '{"do": "x.y"}' from app."user" where id is distinct from $1 limit 3`,
  ];
  for (const text of [...theirs, ...(person.granted.has("administrator") ? [] : unmanaged)])
    statements.push({ text, values: [person.id] });
  return statements;
};
