import { dateAt, getZone } from "../../src/core/expression/values/calendar.ts";
import type { Model } from "../../src/core/model/model.ts";
import { type OpenApi, operationsOf } from "../app/openapi/described.ts";
import { type OtherLine, otherLines } from "./acts.ts";
import { apart, Comparison, head, tellingOf, textsIn, toCompare, unfitIn } from "./compare.ts";
import type { EventContext, EventResult } from "./meanwhile.ts";
import { type AnswerPair, type Pair, UUID, type WorldRequest } from "./pair.ts";
import type { WorldPerson } from "./people.ts";
import { combined, leavesRows, leavesSources, otherTables, quietOf } from "./quiet.ts";
import {
  type Kept,
  keeps,
  platformRequests,
  type Random,
  type RequestSource,
  randomFrom,
  readRequests,
  writeRequests,
} from "./requests.ts";
import type { Moment, Rows } from "./rows.ts";
import { differences, type Plant, plantsFor, sightOf } from "./sight.ts";

/** A request with different responses in two worlds that must look equal to the person. */
export interface Leak {
  readonly person: string;
  readonly asked: string;
  readonly what: string;
  /** A minimal set of differences that shows it. */
  readonly plants: readonly string[];
  readonly one: string;
  readonly other: string;
}

export interface Found {
  readonly leaks: readonly Leak[];
  /** Clauses that revealed hidden data by allowing or refusing, with the code or action. */
  readonly told: ReadonlyMap<string, string>;
  /** Differences that the document legitimately reveals to a person: `Request.days`. */
  readonly shown: ReadonlyMap<string, string>;
  readonly asked: number;
  readonly planted: number;
  /** The routes used. */
  readonly routes: ReadonlySet<string>;
}

export interface Effort {
  readonly people: number;
  /** Numbers of differences, read requests, and paths per write for each person. */
  readonly plants: number;
  readonly reads: number;
  readonly writes: number;
  /** Maximum number of findings per person. */
  readonly leaks: number;
  /** Events while the person is idle, and the number of writes by others to try. */
  readonly happens: readonly ((happening: EventContext) => Promise<EventResult>)[];
  readonly tries: number;
  /** Limits the read requests to these. */
  readonly only?: RegExp;
}

/** Hidden differences by person, computed once for all requests. */
const quietBefore = new WeakMap<WorldPerson, ReadonlyMap<number, readonly Plant[]>>();

/** Tests if a person can tell two worlds apart that must look equal. */
export const compareWorlds = async (pair: Pair, person: WorldPerson, effort: Effort, seed: number): Promise<Found> => {
  const { model, rows, people } = pair;
  const random = randomFrom(seed);
  const moment: Moment = {
    now: pair.now.toISOString(),
    today: dateAt(pair.now.toISOString(), getZone(model.timezone)) ?? "",
    lines: pair.lines,
  };
  const sight = sightOf(model, rows, person, moment);
  const told = new Map<string, string>();
  const shown = new Map<string, string>();
  const routes = new Set<string>();
  const leaks: Leak[] = [];
  let requestCount = 0;

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
  // A dropped difference can have hidden another one.
  let plants = combined(pair, person, sight, moment, held);
  if (plants.length !== held.length) await pair.begin(plants);
  // Derived rows change with their sources.
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
  const acts = otherLines({ model, rows: other, person, sight, moment });
  const hidden = [...acts.map(alteredLine), ...(await otherTables(pair, person, sight))];
  if (hidden.length > 0) await pair.alter(hidden);

  const asking = await requestSourceFor(pair, person, other, random);
  const known = new Set([...pair.ids, ...[...other.values()].flatMap((own) => [...own.keys()])]);
  const stored = textsIn([rows, other]);
  /** An author may learn that a change contradicts stored data. */
  const isUnfit = (one: WorldRequest, both: AnswerPair): boolean => {
    const unfit = unfitIn(one, both, stored);
    for (const clause of unfit) told.set(`${clause} CHANGE_REFUSED`, one.what);
    return unfit.length > 0;
  };

  const leakOf = async (one: WorldRequest, both: AnswerPair, isRead: boolean): Promise<Leak> => {
    const guilty = isRead ? await narrowed(pair, person, one, plants, known) : plants;
    return {
      person: person.name,
      asked: `${one.method} ${one.path} ${one.body === undefined ? "" : JSON.stringify(one.body)}`,
      what: one.what,
      plants: guilty.slice(0, 3).map(({ what }) => what),
      ...apart(`${head(both.a)}\n${both.a.text}`, `${head(both.b)}\n${both.b.text}`),
    };
  };
  const compare = async (one: WorldRequest, comparison: Comparison): Promise<AnswerPair | undefined> => {
    requestCount++;
    const answers = await pair.ask(one.cookie ?? person.cookie, one);
    const both = { a: toCompare(one, answers.a), b: toCompare(one, answers.b) };
    const tag = one.method === "GET" ? both.a.headers.get("etag") : null;
    if (tag === null || !comparison.same(both)) return comparison.same(both) ? undefined : both;
    // Repeats the request with the ETag.
    const again = await pair.ask(one.cookie ?? person.cookie, {
      ...one,
      headers: { ...one.headers, "if-none-match": tag },
    });
    return comparison.same(again) ? undefined : again;
  };

  const drivers = platformRequests(asking);
  for (const route of Object.keys(drivers)) routes.add(route);
  const platform = Object.values(drivers).flat();
  const reads = ({ method, path }: WorldRequest) =>
    method === "GET" || /^\/_\/(?:document|versions\/\d+|proposals\/\d+)\/plan$/u.test(path);
  const reading = [...readRequests(asking), ...platform.filter(reads)];
  // Covers every route with each of its parameters, and a random selection of the rest.
  const always = Object.entries(drivers).flatMap(([route, own]) => {
    if (route.endsWith("/overview")) return own.filter(reads);
    // A letter shows something only for a record that its reader can read.
    if (route.endsWith("/letters/:id")) return random.some(own, MOST_LETTERS);
    const shapes = new Map<string, WorldRequest[]>();
    for (const one of own.filter(reads)) shapes.set(wordsOf(one), [...(shapes.get(wordsOf(one)) ?? []), one]);
    return [...shapes.values()].flatMap((alike) => random.some(alike, 1));
  });
  const { only } = effort;
  const asks =
    only === undefined
      ? [
          ...historiesOf(model, random.some(acts, MOST_HISTORIES)),
          ...always,
          ...random.some(reading, effort.reads).map((one) => inAnotherWay(one, person, random)),
        ]
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
    if (isUnfit(one, both)) continue;
    leaks.push(await leakOf(one, both, true));
    await pair.begin(plants);
    if (hidden.length > 0) await pair.alter(hidden);
    if (leaks.length >= effort.leaks) break;
  }
  // Follows page tokens.
  for (const one of random.some(
    (only === undefined ? reading : asks).filter(({ path }) => /[?&]limit=3/u.test(path)),
    12,
  )) {
    let { path } = one;
    for (let page = 0; page < 4; page++) {
      const answers = await pair.ask(person.cookie, { ...one, path });
      const both = { a: toCompare(one, answers.a), b: toCompare(one, answers.b) };
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

  /** Data that a write can reveal: recomputed fields, and records that become visible. */
  const nowShown = async (): Promise<string | undefined> => {
    const [own, theirs] = (await pair.present()).map((one) => sightOf(model, one, person, moment));
    if (own === undefined || theirs === undefined) return undefined;
    const isKnown = (key: string) =>
      pair.ids.has(key.match(UUID)?.[0] ?? "") || other.get(key.split("/")[0] ?? "")?.has(key.match(UUID)?.[0] ?? "");
    const seen = differences(own.seen, theirs.seen).filter((key) => isKnown(key) === true || key.includes("."));
    const may = differences(own.may, theirs.may);
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
      if (both === undefined || /[?&]among=/u.test(one.path) || isUnfit(one, both)) continue;
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
    const wrote = both === undefined || both.a.status < 300 || both.b.status < 300;
    if (both === undefined && (one.method !== "DELETE" || !one.path.startsWith("/api")))
      // The data visible afterwards and the notifications must be equal too.
      for (const later of new Set([afterwards(one), ...(random.next() < 0.3 ? [notifications] : [])])) {
        const after = await pair.ask(person.cookie, later);
        if (comparison.same({ a: toCompare(later, after.a), b: toCompare(later, after.b) })) continue;
        const brought = await nowShown();
        if (brought === undefined)
          leaks.push(await leakOf({ ...one, what: `${later.what} after ${one.what}` }, after, false));
        else shown.set(brought, one.what);
        break;
      }
    if (both !== undefined && !isUnfit(one, both)) {
      const reasons = tellingOf(one, both);
      const isDone = both.a.status < 300 && both.b.status < 300;
      const brought = reasons === undefined && isDone ? await nowShown() : undefined;
      if (reasons !== undefined) for (const [key, clause] of reasons) told.set(key, `${clause} (${one.what})`);
      else if (brought !== undefined) shown.set(brought, one.what);
      else leaks.push(await leakOf(one, both, false));
    }
    if (wrote) await pair.again();
    if (leaks.length >= effort.leaks) break;
  }
  return { leaks, told, shown, asked: requestCount, planted: plants.length + hidden.length, routes };
};

const MOST_LETTERS = 12;

/** Maximum number of records with differing history lines to read. */
const MOST_HISTORIES = 40;

const historiesOf = (model: Model, lines: readonly OtherLine[]): readonly WorldRequest[] =>
  [...new Set(lines.map(({ entity, record }) => `/api/${model.entities.get(entity)?.path}/${record}/history`))].map(
    (path) => ({ method: "GET", path, what: `history of ${path.split("/")[2]}` }),
  );

const alteredLine = ({ id, columns }: OtherLine): { readonly text: string; readonly values: readonly unknown[] } => ({
  text: `update ninefold.audit set ${Object.keys(columns)
    .map((name, i) => `${name} = $${i + 2}`)
    .join(", ")} where id = $1::bigint`,
  values: [
    id,
    ...Object.values(columns).map((one) => (typeof one === "object" && one !== null ? JSON.stringify(one) : one)),
  ],
});

/** The parameter names of a request; for lists, a random selection is made elsewhere. */
const wordsOf = ({ path }: WorldRequest): string =>
  path.startsWith("/_/") || path.startsWith("/api/why")
    ? [...new URLSearchParams(path.split("?")[1] ?? "").keys()]
        .filter((word) => !path.startsWith("/_/export") || word === "columns")
        .sort()
        .join()
    : "";

const notifications: WorldRequest = { method: "GET", path: "/_/notifications", what: "notifications" };

/** Variations of a read: another language, another session, HEAD. */
const inAnotherWay = (one: WorldRequest, person: WorldPerson, random: Random): WorldRequest => {
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

/** The sources of a person's requests: the description and the data of both worlds. */
export const requestSourceFor = async (
  pair: Pair,
  person: WorldPerson,
  other: Rows,
  random: Random,
): Promise<RequestSource> => {
  const { body } = await pair.in(pair.one, person.cookie).get("/api/openapi.json");
  const document = body as OpenApi;
  return {
    model: pair.model,
    person,
    document,
    operations: operationsOf(document),
    rows: [pair.rows, other],
    random,
    text: pair.text,
    proposed: pair.proposed,
    base: pair.base,
    kept: await keptBy(pair, person),
  };
};

/** Personal data of other people by id. */
const keptBy = async ({ one: { store } }: Pair, person: WorldPerson): Promise<RequestSource["kept"]> => {
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
  return Object.fromEntries(found) as unknown as RequestSource["kept"];
};

/** A request that shows a write's effect to its author: the list or the notifications. */
const afterwards = ({ path }: WorldRequest): WorldRequest => {
  const list = /^\/api\/[^/?]+/u.exec(path)?.[0];
  return list === undefined
    ? notifications
    : { method: "GET", path: `${list}?limit=50&label=true&may=true&count=true`, what: list };
};

/** A minimal set of differences with which a read still differs. */
const narrowed = async (
  pair: Pair,
  person: WorldPerson,
  one: WorldRequest,
  plants: readonly Plant[],
  known: ReadonlySet<string>,
): Promise<readonly Plant[]> => {
  let remaining = plants;
  while (remaining.length > 1) {
    const half = remaining.slice(0, Math.ceil(remaining.length / 2));
    await pair.begin(half);
    const first = await pair.ask(person.cookie, one);
    if (!new Comparison(known).same({ a: toCompare(one, first.a), b: toCompare(one, first.b) })) remaining = half;
    else remaining = remaining.slice(half.length);
  }
  return remaining;
};
