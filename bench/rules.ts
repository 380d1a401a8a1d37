// Evaluations per second of compiled rules against the same rules written by hand, in one run. Prints ratios, asserts
// nothing but that both give the same answers. `npm run bench:rules`.
import { mkdirSync, writeFileSync } from "node:fs";
import Big from "big.js";
import { readRule } from "../src/core/rule/check.ts";
import { toJs } from "../src/core/rule/to-js.ts";
import type { EntityShape, Scope } from "../src/core/rule/type.ts";
import type { JsEnv, JsRecord } from "../src/core/rule/value.ts";

const user: EntityShape = {
  name: "User",
  table: "user",
  fields: new Map([
    ["id", { name: "id", type: { kind: "text" }, optional: false, column: "id" }],
    ["manager", { name: "manager", type: { kind: "record", entity: "User" }, optional: true, column: "manager" }],
    ["allowance", { name: "allowance", type: { kind: "integer" }, optional: false, column: "allowance" }],
  ]),
};
const status = { kind: "choice", of: "Request.status", values: ["draft", "submitted", "granted"] } as const;
const request: EntityShape = {
  name: "Request",
  table: "request",
  fields: new Map([
    ["id", { name: "id", type: { kind: "text" }, optional: false, column: "id" }],
    ["employee", { name: "employee", type: { kind: "record", entity: "User" }, optional: false, column: "employee" }],
    ["first_day", { name: "first_day", type: { kind: "date" }, optional: false, column: "first_day" }],
    ["last_day", { name: "last_day", type: { kind: "date" }, optional: true, column: "last_day" }],
    ["days", { name: "days", type: { kind: "integer" }, optional: false, column: "days" }],
    ["price", { name: "price", type: { kind: "decimal" }, optional: true, column: "price" }],
    ["note", { name: "note", type: { kind: "text" }, optional: true, column: "note" }],
    ["status", { name: "status", type: status, optional: false, column: "status" }],
  ]),
};
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
  // The low bits of such a sequence repeat soon; the high ones do not.
  return Math.floor(state / 65_536) % below;
};
const day = () => `2026-${String(1 + random(12)).padStart(2, "0")}-${String(1 + random(28)).padStart(2, "0")}`;
const boss: JsRecord = { id: "00000000-0000-7000-8000-000000000001", manager: null, allowance: 30 };
const people = Array.from(
  { length: 50 },
  (_, i): JsRecord => ({
    id: `00000000-0000-7000-8000-0000000001${String(i).padStart(2, "0")}`,
    manager: random(3) === 0 ? boss : null,
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

const cases: readonly { readonly rule: string; readonly hand: (r: Request, me: Person) => boolean }[] = [
  { rule: "last_day >= first_day", hand: (r) => r.last_day !== null && r.last_day >= r.first_day },
  {
    rule: "status == submitted && employee.manager == user",
    hand: (r, me) => r.status === "submitted" && r.employee.manager?.id === me.id,
  },
  {
    rule: "days <= employee.allowance && days <= limits.most",
    hand: (r) => r.days <= r.employee.allowance && r.days <= 30,
  },
  {
    rule: "status in [submitted, granted] && (note != null || days < 3)",
    hand: (r) => (r.status === "submitted" || r.status === "granted") && (r.note !== null || r.days < 3),
  },
  { rule: "price * 1.19 > 50", hand: (r) => r.price?.times("1.19").gt(50) ?? false },
];

const env: Omit<JsEnv, "this"> = { user: boss, now: "2026-11-21T08:00:00.000Z", today: "2026-11-21", rows: () => [] };
const ROUNDS = 5;
let held = 0;

/** The best of several rounds, as evaluations per second: noise only ever makes a round slower. */
const rate = <Given>(all: readonly Given[], evaluate: (given: Given) => unknown): number => {
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let done = 0;
    // The answers are used, or the compiler would leave out what gives them.
    for (; performance.now() - start < 200; done += all.length)
      for (const given of all) if (evaluate(given) === true) held++;
    best = Math.max(best, (done / (performance.now() - start)) * 1_000);
  }
  return best;
};

const results = cases.map(({ rule, hand }) => {
  const { value: expr, findings } = readRule(rule, { file: "bench", start: 0, end: rule.length }, scope, {
    kind: "boolean",
  });
  if (expr === undefined) throw new Error(`${rule}: ${findings.map((one) => one.message).join(" ")}`);
  const compiled = toJs(expr);
  const byHand = (record: JsRecord): boolean => hand(record as unknown as Request, boss as unknown as Person);
  const given = records.map((record): JsEnv => ({ ...env, this: record }));
  for (const one of given)
    if (compiled(one) !== byHand(one.this ?? {})) throw new Error(`${rule} differs on ${JSON.stringify(one.this)}`);
  const [compiledRate, handRate] = [rate(given, compiled), rate(records, byHand)];
  return {
    rule,
    compiled: Math.round(compiledRate),
    byHand: Math.round(handRate),
    ratio: Number((compiledRate / handRate).toFixed(3)),
  };
});

console.table(results);
console.log(`${held} held`);
mkdirSync(new URL("../docs/evidence/", import.meta.url), { recursive: true });
writeFileSync(
  new URL("../docs/evidence/rules.json", import.meta.url),
  `${JSON.stringify({ measured: new Date().toISOString().slice(0, 10), node: process.version, unit: "evaluations per second, best of five rounds", results }, undefined, 2)}\n`,
);
