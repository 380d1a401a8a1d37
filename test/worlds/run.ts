import type { Person } from "../../src/core/derive/access.ts";
import { dateAt, zoneOf } from "../../src/core/rule/calendar.ts";
import type { Problem } from "../../src/core/wire.ts";
import { type OpenApi, operationsOf } from "../app/openapi.ts";
import type { Answer } from "../app/program.ts";
import { type Asked, type Both, type Pair, UUID } from "./pair.ts";
import { type Asking, platformRequests, randomFrom, readRequests, writeRequests } from "./requests.ts";
import type { Moment } from "./rows.ts";
import { differences, type Plant, planted, plantsFor, type Sight, sightOf } from "./sight.ts";

export interface Somebody extends Person {
  readonly name: string;
  /** Their session's token; empty for a visitor. */
  readonly cookie: string;
}

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

/** A page bears the nonce of its own policy, and a link a token that is drawn for it. */
const withoutNonce = (answer: Answer): Answer => {
  const nonce = /'nonce-([^']+)'/u.exec(answer.headers.get("content-security-policy") ?? "")?.[1];
  const text = answer.text
    .replace(/#password=[\w-]{43}"/u, '#password=…"')
    // A place of one server is a word that is drawn for it.
    .replace(/^\{"at":"[0-9a-f-]{36}"/u, '{"at":"place"');
  return { ...answer, text: nonce === undefined ? text : text.replaceAll(nonce, "nonce") };
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

/** One person in two worlds that the document does not let them tell apart. */
export const tellApart = async (pair: Pair, person: Somebody, effort: Effort, seed: number): Promise<Found> => {
  const { model, rows } = pair;
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

  const quiet = quietOf(
    pair,
    person,
    sight,
    moment,
    { told, shown },
    random.some(plantsFor(model, rows, person, sight), effort.plants * 8),
    effort.plants,
  );
  const held = await pair.begin(quiet);
  // What a table refused may have been what made another difference quiet.
  const plants = combined(pair, person, sight, moment, held);
  if (plants.length !== held.length) await pair.begin(plants);
  const other = planted(rows, plants);
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
    const answers = await pair.ask(person.cookie, one);
    const both = { a: withoutNonce(answers.a), b: withoutNonce(answers.b) };
    return comparison.same(both) ? undefined : both;
  };

  const drivers = platformRequests(asking);
  for (const route of Object.keys(drivers)) routes.add(route);
  const platform = Object.values(drivers).flat();
  const reading = [...readRequests(asking), ...platform.filter(({ method }) => method === "GET")];
  // Of every route something, and of everything some.
  const always = Object.entries(drivers).flatMap(([route, own]) =>
    random.some(
      own.filter(({ method }) => method === "GET"),
      route.endsWith("/overview") ? own.length : 1,
    ),
  );
  for (const one of [...always, ...random.some(reading, effort.reads)]) {
    const both = await compare(one, new Comparison(known));
    if (both === undefined) continue;
    const among = /[?&]among=([A-Z]\w*\.\w+)/u.exec(one.path)?.[1];
    if (among !== undefined && both.a.status === 200 && both.b.status === 200) {
      told.set(`3.${among} among`, one.what);
      continue;
    }
    leaks.push(await leakOf(one, both, true));
    await pair.begin(plants);
    if (hidden.length > 0) await pair.alter(hidden);
    if (leaks.length >= effort.leaks) break;
  }
  // A page leads to the next.
  for (const one of random.some(
    reading.filter(({ path }) => /[?&]limit=3/u.test(path)),
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

  await pair.again();
  const writing =
    leaks.length >= effort.leaks
      ? []
      : [...writeRequests(asking, effort.writes), ...platform.filter(({ method }) => method !== "GET")];
  for (const one of random.some(writing, writing.length)) {
    const comparison = new Comparison(known);
    const both = await compare(one, comparison);
    const answers = both ?? undefined;
    const wrote = answers === undefined || answers.a.status < 300 || answers.b.status < 300;
    if (both !== undefined) {
      const reasons = tellingOf(both);
      const brought =
        reasons === undefined && both.a.status < 300 && both.b.status < 300 ? await nowShown() : undefined;
      if (reasons !== undefined) for (const [key, clause] of reasons) told.set(key, `${clause} (${one.what})`);
      else if (brought !== undefined) shown.set(brought, one.what);
      else leaks.push(await leakOf(one, both, false));
    } else if (one.method !== "DELETE" || !one.path.startsWith("/api")) {
      // What a person sees afterwards is the same too.
      const after = await pair.ask(person.cookie, afterwards(one));
      if (!comparison.same({ a: withoutNonce(after.a), b: withoutNonce(after.b) })) {
        const brought = await nowShown();
        if (brought === undefined) leaks.push(await leakOf({ ...one, what: `after ${one.what}` }, after, false));
        else shown.set(brought, one.what);
      }
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

/** Where a write shows for who made it: the list, or what one is told. */
const afterwards = ({ path }: Asked): Asked => {
  const list = /^\/api\/[^/?]+/u.exec(path)?.[0];
  return list === undefined
    ? { method: "GET", path: "/_/notifications", what: "notifications" }
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
    else if (may !== undefined) told.set(`${sight.may.get(may)?.split(" ")[0]} may`, `${may} by ${one.what}`);
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
    if (!new Comparison(known).same({ a: withoutNonce(first.a), b: withoutNonce(first.b) })) left = half;
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
  statements.push({
    text: "update ninefold.view set title = 'Xyzzyq', query = 'xyzzyq=1' where person is distinct from $1 and not shared",
    values: [person.id],
  });
  if (!person.granted.has("administrator"))
    statements.push({ text: "delete from ninefold.session where person is distinct from $1", values: [person.id] });
  return statements;
};
