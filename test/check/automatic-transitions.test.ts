import { expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";

const found = (transition: string, rule: string, fields = "") => {
  const { model, findings } = compile({
    file: "rooms.md",
    text: `
## 3. Entities
\`\`\`yaml
Booking: { fields: { room: text, first: date, last: date${fields} } }
\`\`\`
## 4. States
\`\`\`yaml
Booking:
  states: [asked, held, gone]
  final: [gone]
  transitions:
    hold: { from: asked, to: held, ${transition} }
    leave: { from: [asked, held], to: gone, by: staff }
\`\`\`
## 5. Rules
\`\`\`yaml
Booking: [${rule}]
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: signed in }
permissions: { Booking: { read: staff, create: staff, update: staff, delete: none } }
\`\`\`
`,
  });
  if (model === undefined) throw new Error(JSON.stringify(findings, undefined, 1));
  return findings.filter(({ code }) => code === "MAY_BE_REFUSED").map(({ clause, message }) => `${clause}: ${message}`);
};

test("a transition without a person can lead back to its state if it changes what its condition reads", () => {
  const circles = (transitions: string, until = "next") =>
    compile({
      file: "contracts.md",
      text: `
## 3. Entities
\`\`\`yaml
Contract:
  fields: { next: date, count: { type: integer, default: 0 }, ends: { type: date, kept: { until: ${until} }, computed: next + 1 year } }
\`\`\`
## 4. States
\`\`\`yaml
Contract: { states: [active, late], transitions: { ${transitions} } }
\`\`\`
`,
    }).findings.flatMap(({ code, clause }) => (code === "CYCLE" ? [clause] : []));
  const bill = "bill: { from: active, to: active, once: next <= today, set: { next: next + 1 month } }";
  expect(circles(bill)).toEqual([]);
  expect(circles("renew: { from: active, to: active, once: ends <= today }", "renew")).toEqual([]);
  expect(circles("move: { from: active, to: active, once: ends <= today, set: { next: ends } }")).toEqual([]);
  expect(circles("bill: { from: active, to: active, once: next <= today }")).toEqual(["4.Contract.bill"]);
  expect(circles("bill: { from: active, to: active, once: next <= today, set: { count: count + 1 } }")).toEqual([
    "4.Contract.bill",
  ]);
  expect(
    circles(
      "warn: { from: active, to: late, once: count < 9 }, calm: { from: late, to: active, once: count < 9, set: { count: count + 1 } }",
    ),
  ).toEqual(["4.Contract.warn"]);
});

const uniqueRoom = '{ unique: room, where: "state == held", else: TAKEN }';
const apart = '{ no overlap: [first, last], within: room, where: "state == held", else: TAKEN }';
const always = "{ unique: room, else: TAKEN }";
const freed = '{ unique: room, where: "state == asked", else: TAKEN }';
const guarded = 'when: "!Booking.exists(b, b != this && b.room == room && b.state == held)"';

test.each([
  ["a timeout into what is unique there", "timeout: 2 days", uniqueRoom, 1],
  ["a timeout into what may not overlap there", "timeout: 2 days", apart, 1],
  ["a condition on the clock", 'once: "first < today"', uniqueRoom, 1],
  ["a unique field that is set", "timeout: 2 days, set: { key: room }", always, 1],
  ["whoever may make it besides", "timeout: 2 days, by: staff", uniqueRoom, 1],
  ["a condition on records, which is made with a write: who writes is told", "once: \"room == 'x'\"", uniqueRoom, 0],
  ["what is unique wherever it is, for it was before", "timeout: 2 days", always, 0],
  ["what it leaves", "timeout: 2 days", freed, 0],
  ["a condition that looks at the others", `timeout: 2 days, ${guarded}`, uniqueRoom, 0],
  ["nobody but people", "by: staff", uniqueRoom, 0],
])("a timed transition is reported if another record can refuse it: %s", (_, transition, rule, count) => {
  const all = found(transition, rule, ", key: { type: text?, unique: true }");
  expect(all.map((item) => item.slice(0, 15))).toEqual(Array.from({ length: count }, () => "4.Booking.hold:"));
});
