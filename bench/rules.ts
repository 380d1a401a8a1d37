// Evaluations per second of compiled rules against the same rules written by hand, in one run. Prints ratios, asserts
// nothing but that both give the same answers. `npm run bench:rules`.
import { mkdirSync, writeFileSync } from "node:fs";
import Big from "big.js";
import { type Evaluator, toJs } from "../src/core/expression/compile/to-js.ts";
import { readRule } from "../src/core/expression/type-check/type-check.ts";
import type { EntityShape, FieldShape, Scope, Type } from "../src/core/expression/values/type.ts";
import type { JsEnv, JsRecord } from "../src/core/expression/values/value.ts";

const [text, integer, date, person] = [
  { kind: "text" },
  { kind: "integer" },
  { kind: "date" },
  { kind: "record", entity: "User" },
] as const;
const entity = (name: string, fields: Readonly<Record<string, Type>>): EntityShape => ({
  name,
  table: name.toLowerCase(),
  // A name that ends in `?` may be missing.
  fields: new Map(
    Object.entries({ id: text, ...fields }).map(([written, type]): [string, FieldShape] => {
      const name = written.replace("?", "");
      return [name, { name, type, optional: written.endsWith("?"), column: name }];
    }),
  ),
});
const status = { kind: "choice", of: "Request.status", values: ["draft", "submitted", "granted"] } as const;
const kind = { kind: "choice", of: "Request.kind", values: ["one", "two", "three"] } as const;
const user = entity("User", { "manager?": person, "helper?": person, "rank?": integer, allowance: integer });
const request = entity("Request", {
  employee: person,
  first_day: date,
  "last_day?": date,
  days: integer,
  "price?": { kind: "decimal" },
  "note?": text,
  status,
  // Fields that the rules of the crowd read.
  ...{ "size_1?": integer, "size_2?": integer, "begun?": date, "ended?": date, "helper?": person, "owner?": person },
  ...{ "word?": text, "kind?": kind, open: { kind: "boolean" } as const },
});
const scope: Scope = {
  entity: "Request",
  user: true,
  entities: new Map([
    ["User", user],
    ["Request", request],
  ]),
  limits: new Map([["most", { type: { kind: "integer" }, value: "30" }]]),
  timezone: "Europe/Berlin",
};

/** Random records from a fixed seed (a linear congruence is random enough for a bench). */
let state = 9;
const random = (below: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  // The low bits of such a sequence repeat early; the high ones do not.
  return Math.floor(state / 65_536) % below;
};
const day = () => `2026-${String(1 + random(12)).padStart(2, "0")}-${String(1 + random(28)).padStart(2, "0")}`;
const boss: JsRecord = {
  id: "00000000-0000-7000-8000-000000000001",
  manager: null,
  helper: null,
  rank: 1,
  allowance: 30,
};
const people = Array.from(
  { length: 50 },
  (_, i): JsRecord => ({
    id: `00000000-0000-7000-8000-0000000001${String(i).padStart(2, "0")}`,
    manager: random(3) === 0 ? boss : null,
    helper: null,
    rank: random(5),
    allowance: 20 + random(20),
  }),
);
const records = Array.from(
  { length: 1_000 },
  (): JsRecord => ({
    id: "r",
    employee: people[random(people.length)] ?? boss,
    first_day: day(),
    last_day: random(5) === 0 ? null : day(),
    days: random(40),
    price: random(4) === 0 ? null : new Big(random(10_000)).div(100),
    note: random(2) === 0 ? null : "note",
    size_1: random(3) === 0 ? null : random(10),
    size_2: random(3) === 0 ? null : random(10),
    begun: random(3) === 0 ? null : day(),
    ended: random(3) === 0 ? null : day(),
    helper: random(3) === 0 ? null : boss,
    owner: random(3) === 0 ? null : (people[random(people.length)] ?? null),
    word: random(3) === 0 ? null : "b",
    open: random(2) === 0,
    kind: random(3) === 0 ? null : "one",
    status: status.values[random(3)] ?? "draft",
  }),
);

interface Person {
  readonly id: string;
  readonly manager: Person | null;
  readonly allowance: number;
}
interface Request {
  readonly employee: Person;
  readonly first_day: string;
  readonly last_day: string | null;
  readonly days: number;
  readonly price: Big | null;
  readonly note: string | null;
  readonly status: string;
}

type Hand = (r: Request, env: { readonly user: Person }) => unknown;
const cases: readonly { readonly rule: string; readonly type?: Type; readonly hand: Hand }[] = [
  { rule: "last_day >= first_day", hand: (r) => r.last_day !== null && r.last_day >= r.first_day },
  {
    rule: "status == submitted && employee.manager == user",
    hand: (r, { user }) => r.status === "submitted" && r.employee.manager?.id === user.id,
  },
  {
    rule: "days <= employee.allowance && days <= limits.most",
    hand: (r) => r.days <= r.employee.allowance && r.days <= 30,
  },
  {
    rule: "status in [submitted, granted] && (note != null || days < 3)",
    hand: (r) => (r.status === "submitted" || r.status === "granted") && (r.note !== null || r.days < 3),
  },
  { rule: "days > 2 && days < 20", hand: (r) => r.days > 2 && r.days < 20 },
  { rule: "price * 1.19 > 50", hand: (r) => r.price?.times("1.19").gt(50) ?? false },
  // A value that a form computes while somebody types.
  {
    rule: "days_between(first_day, last_day) + 1",
    type: { kind: "integer" },
    hand: (r) => (r.last_day === null ? null : (Date.parse(r.last_day) - Date.parse(r.first_day)) / 86_400_000 + 1),
  },
  {
    rule: "round(price * days, 2)",
    type: { kind: "decimal" },
    hand: (r) => r.price?.times(r.days).round(2, 2) ?? null,
  },
];

const env: JsEnv = { user: boss, now: "2026-11-21T08:00:00.000Z", today: "2026-11-21", rows: () => [] };
const ROUNDS = 300;
let held = 0;

/** How many times a second both are evaluated, in the best of several rounds, which they take in turn: noise only ever makes one slower. */
const rates = (all: readonly Evaluator[]): readonly number[] => {
  const best = all.map(() => 0);
  for (let round = 0; round < ROUNDS; round++)
    for (const [n, evaluate] of all.entries()) {
      const start = performance.now();
      let done = 0;
      // The results are used, because the compiler would otherwise remove the code that computes them.
      for (; performance.now() - start < 1; done += records.length)
        for (const record of records) if (evaluate(record, env) === true) held++;
      best[n] = Math.max(best[n] ?? 0, (done / (performance.now() - start)) * 1_000);
    }
  return best;
};

const shown = (value: unknown): string => (value instanceof Big ? value.toFixed() : String(value));

const readHere = (rule: string, type: Type): Evaluator => {
  const { value: expr, findings } = readRule(rule, { file: "bench", start: 0, end: rule.length }, scope, type);
  if (expr === undefined) throw new Error(`${rule}: ${findings.map((one) => one.message).join(" ")}`);
  return toJs(expr);
};
const boolean: Type = { kind: "boolean" };

const measured = cases.map(({ rule, type = boolean, hand }) => {
  const compiled = readHere(rule, type);
  const byHand = hand as unknown as Evaluator;
  for (const record of records)
    if (shown(compiled(record, env)) !== shown(byHand(record, env)))
      throw new Error(`${rule} differs on ${JSON.stringify(record)}`);
  return { rule, compiled, byHand };
});

/**
 * Other rules of a document, on other fields: a JavaScript engine optimises by the place in the code, and each of these runs
 * through the same places. By hand each rule has a place of its own, so there nothing is forgotten.
 */
const crowd = [
  ...["days < 1", "1 < size_1", "size_1 <= 7", "size_2 > 3 && size_1 < 2", "size_1 > 2 && size_1 < 9", "size_2 < days"],
  ...["first_day < '2026-05-01'", "begun <= ended", "ended > last_day", "begun >= today", "size_2 <= employee.rank"],
  ...["size_1 > employee.allowance", "note == 'note'", "word == 'b' && open", "kind == one || open", "status != draft"],
  ...["kind in [one, two]", "kind in [one, two] && open", "status in [draft, granted] || size_1 < 2", "word in ['a']"],
  ...["word == null", "size_1 == null || open", "note != null && open", "helper == null && size_2 > 1", "word == note"],
  ...["employee == user", "helper == user", "helper.manager == user", "owner.helper == user", "owner == helper"],
  ...["open && helper == user && days < 3", "open || days < 2 || size_1 < 2 || size_2 < 2", "size_1 + 1 > size_2"],
].map((rule) => readHere(rule, boolean));

const inTurn = () => {
  for (const { compiled, byHand } of measured)
    for (const record of records) if (compiled(record, env) === byHand(record, env)) held++;
};
for (let round = 0; round < 30; round++) inTurn();
const alone = measured.map(({ compiled, byHand }) => rates([compiled, byHand]));
for (let round = 0; round < 30; round++) {
  inTurn();
  for (const compiled of crowd) for (const record of records) if (compiled(record, env) === true) held++;
}
const amongOthers = measured.map(({ compiled, byHand }) => rates([compiled, byHand]));

const ratio = (rates: readonly number[] | undefined): number =>
  Number(((rates?.[0] ?? 0) / (rates?.[1] ?? 1)).toFixed(3));
const results = measured.map(({ rule }, n) => ({
  rule,
  compiled: Math.round(alone[n]?.[0] ?? 0),
  byHand: Math.round(alone[n]?.[1] ?? 0),
  ratio: ratio(alone[n]),
  ratioAmongOthers: ratio(amongOthers[n]),
}));

console.table(results);
console.log(`${held} held`);
mkdirSync(new URL("../docs/evidence/", import.meta.url), { recursive: true });
writeFileSync(
  new URL("../docs/evidence/rules.json", import.meta.url),
  `${JSON.stringify({ measured: new Date().toISOString().slice(0, 10), node: process.version, unit: "evaluations per second, best of three hundred rounds of a millisecond", results }, undefined, 2)}\n`,
);
