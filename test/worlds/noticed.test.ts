import { afterAll, beforeAll, expect, test } from "vitest";
import type { Principal } from "../../src/core/derive/authorization/grants.ts";
import { allRoles } from "../../src/core/derive/openapi/openapi.ts";
import { say } from "../../src/core/i18n/message.ts";
import type { Model } from "../../src/core/model/model.ts";
import type { Database, Query } from "../../src/postgres/database.ts";
import type { Authoring } from "../../src/server/authoring/authoring.ts";
import { ChangeAudience } from "../../src/server/execution/change-audience.ts";
import { Changes } from "../../src/server/execution/change-feed.ts";
import { createService, type Service } from "../../src/server/execution/service.ts";
import { thirdOfDay } from "../turns.ts";
import { meanwhile } from "./meanwhile.ts";
import { type Pair, pairOf } from "./pair.ts";
import { compareWorlds, type Effort, type Leak } from "./run.ts";

/*
 * The test of the test: the permission is removed from each kind of access path, in the servers only, and the requests
 * must then tell two worlds apart. A path that stays unnoticed here would hide a real leak.
 */

/** A fault of a server. */
interface Breach {
  /** Treats the caller as a person with every role. */
  readonly eyes?: true;
  /** Removes the condition of a platform statement. */
  readonly query?: (text: string) => string;
  /** Shows authors the data that contradict a change. */
  readonly plan?: true;
}

let breach: Breach = {};
/** True if the fault has changed a statement, or the caller of a request. */
let isReached = false;

const spoiltDatabase = (real: Database): Database => {
  const spoilt = (query: Query): Query => {
    const text = breach.query?.(query.text) ?? query.text;
    if (text === query.text) return query;
    isReached = true;
    return { text, values: query.values };
  };
  return {
    ...real,
    query: (query) => real.query(spoilt(query)),
    batch: (queries) => real.batch(queries.map(spoilt)),
  };
};

const spoiltPrincipal = (model: Model, principal: Principal): Principal => {
  if (breach.eyes === undefined) return principal;
  isReached = true;
  return { ...allRoles(model), id: principal.id };
};

const spoiltService = (real: Service): Service => {
  const database = spoiltDatabase(real.database);
  const own = createService(real.model, real.version, database, { objects: real.objects });
  return {
    ...real,
    database,
    changes: new Changes(database, real.version, new ChangeAudience(real.context, database)),
    caller: (principal, now, tongue) => real.caller(spoiltPrincipal(real.model, principal), now, tongue),
    perform: (intent, principal, now, tongue) =>
      own.perform(intent, spoiltPrincipal(real.model, principal), now, tongue),
  };
};

const spoiltAuthoring = (real: Authoring, database: Database): Authoring => ({
  ...real,
  plan: async (draft, author) => {
    const planned = await real.plan(draft, author);
    if (breach.plan === undefined || !("messages" in planned)) return planned;
    const [row] = await database.query({ text: "select string_agg(\"text\", ' ') as all from app.step", values: [] });
    return { ...planned, messages: [...planned.messages, say("step.recompute", { clause: String(row?.all) })] };
  },
});

/** Everybody sees their own records, and the boss sees all. */
const document = `# Desk

## 2. Screens and routes
\`\`\`yaml
/tasks: { list: Task, columns: [title, kind, cost, day], sort: [day], filters: [kind] }
/open: { list: Task, columns: [title], where: "status == open" }
/tasks/{id}/letter: { letter: Task, text: ["{title}", { table: steps, columns: [text], where: "text == 'Nobody' || text != 'Nothing'" }] }
/tasks/{id}: { record: Task, sections: [{ fields: [title, cost] }, { list: steps }, history] }
/: { tiles: [{ count: Task, where: "cost != null" }, { list: Task, columns: [title, cost], sort: [-cost] }, { chart: bars, from: Task, per: kind, value: sum(cost) }] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Task:
  label: "{title} of {owner.name}"
  fields:
    title: { type: text, max: 80 }
    kind:  { type: choice, values: [a, b, c], default: a }
    cost:  { type: money?, currency: EUR, min: 0, max: 1000 }
    day:   { type: date, default: today }
    until: date?
    owner: { type: User, set: user }
    proof: { type: file, many: true }
    steps: { list: Step.task }
Step:
  fields:
    task: { type: Task, part of: true }
    text: { type: text, max: 80 }
Span:
  rows of: { task: Task, day: "days(day, until)" }
  where: "task.until != null"
  fields: { title: { type: text, computed: task.title } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Task: { field: status, states: [draft, open], transitions: { start: { from: draft, to: open, by: owner } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, boss: { members: granted }, Task: { owner: "owner == user" } }
permissions:
  User: { read: [{ role: staff, fields: [name] }] }
  Task: { read: [owner, boss], create: [staff], update: [owner, boss], delete: [owner] }
  Step: { read: [{ like: task }], create: [{ like: task }], update: [{ like: task }], delete: [{ like: task }] }
  Span: { read: [{ role: staff, when: "task.owner == user" }, boss] }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
conventional: all
shapes: { Task: { short: { title, cost } } }
calls: { GET /shown/tasks: { list: Task, gives: { tasks: Task.short(page), all: size(found) } } }
\`\`\`
`;

const SEED = 1;
let pair: Pair;

beforeAll(async () => {
  pair = await pairOf(document, SEED, { service: spoiltService, authoring: spoiltAuthoring });
}, 120_000);

afterAll(() => pair.end());

const little: Effort = { people: 1, plants: 16, reads: 60, writes: 0, leaks: 1, happens: [], tries: 0 };

/** If anybody can tell the worlds apart by these requests with the fault. A fault without any effect proves nothing. */
const detect = async (
  amiss: Breach,
  { only, isExpected = () => true, ...effort }: Detection,
): Promise<"noticed" | "not noticed" | "without effect"> => {
  isReached = false;
  for (const person of pair.people.filter(({ granted }) => !granted.has("administrator")))
    for (const seed of [SEED, SEED + 1]) {
      breach = amiss;
      const { leaks } = await compareWorlds(pair, person, { ...little, ...effort, only }, seed);
      breach = {};
      await pair.begin([]);
      if (leaks.some(isExpected)) return isReached ? "noticed" : "without effect";
    }
  return isReached ? "not noticed" : "without effect";
};

/** The requests that must detect a fault. */
interface Detection extends Partial<Effort> {
  readonly only: RegExp;
  /** True for a difference that shows the fault; all by default. */
  readonly isExpected?: (leak: Leak) => boolean;
}

const withoutPerson = (name: RegExp) => (text: string) =>
  name.test(text)
    ? text.replace(/(?<=where |and |\()(\w+\.)?person = \$(\d)/u, "($&::uuid or $$$2::uuid is not null)")
    : text;

/** Announces each change to everyone who waits and has a role that may read some of these records. */
const announcesAll = (text: string): string =>
  text.replace(/(?<=FROM unnest\(\S+\) AS "readers" \("reader"\) WHERE )EXISTS/u, "TRUE OR EXISTS");

/** A condition of a letter's table without its brackets: it takes in rows of other records, and hidden ones. */
const withoutBrackets = (text: string): string =>
  text.replaceAll(
    / AND \(((?:[^()]|\([^()]*\))* OR (?:[^()]|\([^()]*\))*)\)(?= ORDER BY| FROM|\)| LIMIT|$)/gu,
    " AND $1",
  );

/** The answer of the person who waits comes early, or names hidden records. */
const isAnnounced = ({ what, other }: Leak): boolean => what === "live updates" && /"changed":\["/u.test(other);

const breaches: readonly (readonly [what: string, amiss: Breach, only: RegExp, by?: Omit<Detection, "only">])[] = [
  ["lists", { eyes: true }, /^GET \/api\/tasks(\?count|$)/u],
  ["filters", { eyes: true }, /^GET \/api\/tasks\?(kind|cost|day|owner|title)\W/u],
  ["sorts and cursors", { eyes: true }, /^GET \/api\/\w+\?sort=/u],
  ["search", { eyes: true }, /^GET \/api\/\w+\?search=/u],
  ["conditions of screens", { eyes: true }, /^GET \/api\/\w+\?where=/u],
  ["records, labels and parts", { eyes: true }, /^GET \/api\/\w+\/[0-9a-f-]{36}(\?|$)/u],
  ["pages that come with their answers", { eyes: true }, /^GET \/(?:tasks|open)(\/|$)/u],
  ["history", { eyes: true }, /^GET \/api\/\w+\/[0-9a-f-]{36}\/history/u],
  ["overviews", { eyes: true }, /^GET \/_\/overview/u],
  ["letters", { eyes: true }, /^GET \/_\/letters\/[^/]*$/u],
  ["conditions of letters", { query: withoutBrackets }, /^GET \/_\/letters/u],
  ["exports", { eyes: true }, /^GET \/_\/export/u],
  ["calls that the document shows", { eyes: true }, /^GET \/(?:api\/)?shown/u],
  ["rows because of others", { eyes: true }, /^GET \/api\/spans/u],
  ["why", { eyes: true }, /^GET \/api\/why/u],
  ["permissions", { eyes: true }, /^GET \/_\/permissions/u],
  [
    "live updates",
    { query: announcesAll },
    /^GET \/_\/changes/u,
    { happens: [meanwhile], tries: 4, isExpected: isAnnounced },
  ],
  ["views", { query: withoutPerson(/ninefold\.view/u) }, /^GET \/_\/views/u],
  ["notifications", { query: withoutPerson(/ninefold\.notification/u) }, /^GET \/_\/notifications/u],
  [
    "sessions and tokens",
    { query: withoutPerson(/from ninefold\.(?:session s join|token where)/u) },
    /^GET \/_\/account$/u,
  ],
];

test("an author sees how many records a change affects, and nothing else about them", {
  timeout: 120_000,
}, async () => {
  const author = pair.people.find(({ granted }) => granted.has("administrator"));
  if (author === undefined) throw new Error("nobody writes the document");
  const authoring: Effort = { ...little, only: /^(?:GET|POST) \/_\/(?:document|questions)/u };
  const asked = await compareWorlds(pair, author, authoring, SEED);
  expect(asked.leaks).toEqual([]);
  expect(asked.asked).toBeGreaterThan(6);
  breach = { plan: true };
  const { leaks } = await compareWorlds(pair, author, authoring, SEED);
  breach = {};
  await pair.begin([]);
  expect(leaks.map(({ what }) => what)).toEqual([expect.stringMatching(/^a plan by which/u)]);
});

/** A short run tries a third of these: access paths, platform tables, and the change feed. */
const shortly = thirdOfDay([
  "lists",
  "pages that come with their answers",
  "history",
  "conditions of letters",
  "exports",
  "permissions",
  "live updates",
  "views",
]);
const isWhole = process.env.WORLDS !== undefined;

for (const [what, amiss, only, by] of breaches.filter(([what]) => isWhole || shortly.includes(what)))
  test(`a server that shows everything to everyone is detected by ${what}`, { timeout: 120_000 }, async () => {
    expect(await detect(amiss, { only, ...by })).toBe("noticed");
  });
