import { expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Principal } from "../../../src/core/derive/authorization/grants.ts";
import { possibleRefusals } from "../../../src/core/derive/http/possible-errors.ts";
import { conventionalRoutes } from "../../../src/core/derive/http/routes.ts";
import { phrasesFor } from "../../../src/core/explain/language.ts";
import type { Intent } from "../../../src/server/intent.ts";
import { planIntent } from "../../../src/server/plan/plan-intent.ts";
import { readerFormat } from "../../../src/server/plan/row/labels.ts";
import { Statements } from "../../../src/server/plan/statements.ts";
import { type WriteDescription, writeText } from "../../../src/server/plan/write/describe-write.ts";

/* A plan of a write says what it locks, checks, sets and causes, without a database. */

const { model, findings } = compile({
  file: "workshop.md",
  text: `
# Workshop

## 3. Entities and their fields
\`\`\`yaml
Tool:
  label: "{name}"
  fields: { name: text, loans: { type: integer, default: 0 }, most: { type: integer, default: 3 } }
Loan:
  label: "{tool} {due}"
  fields:
    tool: Tool
    borrower: { type: User, set: user }
    due: date
    note: text?
Order:
  label: "{title}"
  fields:
    title: text
    lines: { list: Line.order }
    total: { type: integer, computed: "lines.map(l, l.quantity).sum()" }
Line:
  fields: { order: { type: Order, part of: true }, tool: Tool, quantity: { type: integer, min: 1 } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Loan:
  field: status
  states: [planned, out, back]
  transitions:
    hand_over: { from: planned, to: out, by: clerk, when: "due >= today" }
    give_back: { from: out, to: back, by: clerk, asks: [note] }
  after:
    hand_over:
      - { update: tool, set: { loans: "it.loans + 1" } }
      - { notify: borrower, text: "{tool} is yours until {due}." }
\`\`\`

## 5. Rules
\`\`\`yaml
Tool:
  - { rule: "Loan.filter(l, l.tool == this && l.status == out).count() <= most", always: true, else: ALL_OUT }
Loan:
  - { rule: "due >= today", during: [create], else: TOO_LATE }
  - { rule: "tool.loans <= tool.most", during: [hand_over], else: TOO_OFTEN }
Order:
  - { rule: "total <= 100", else: TOO_MANY }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in }
  clerk: { members: granted }
permissions:
  User: { read: staff }
  Tool: { read: staff }
  Loan: { read: staff, create: { role: staff, when: "tool.most > 0" }, update: { role: clerk, fields: [note] } }
  Order: { read: staff, create: clerk, update: clerk }
  Line: { read: staff, create: clerk, update: clerk, delete: clerk }
\`\`\`

## 8. Errors
\`\`\`yaml
TOO_OFTEN: No.
ALL_OUT: No.
TOO_LATE: No.
TOO_MANY: No.
\`\`\`
`,
});
if (model === undefined) throw new Error(JSON.stringify(findings));

const context = { model, version: 1, statements: new Statements(), past: [], source: () => "" };
const id = "01a1f405-0000-7000-8000-000000000001";
const clerk: Principal = { id: "01a1f405-0000-7000-8000-000000000000", granted: new Set(["clerk"]) };
const caller = {
  principal: clerk,
  now: new Date("2026-03-05T09:00:00Z"),
  today: "2026-03-05",
  phrases: phrasesFor("en"),
};

const described = (intent: Intent): WriteDescription => {
  const plan = planIntent(context, intent, caller, readerFormat(model), id);
  if (plan.kind === "refusal" || !("describe" in plan)) throw new Error(JSON.stringify(plan));
  return plan.describe();
};

const create: Intent = {
  ...{ kind: "create", entity: "Loan", key: null, label: false },
  values: { tool: id, due: "2026-04-01" },
};
const handOver: Intent = {
  ...{ kind: "transition", entity: "Loan", id, transition: "hand_over", values: {}, version: null, label: false },
};
const withParts: Intent = {
  ...{ kind: "update", entity: "Order", id, version: 1, label: false },
  values: { title: "Spring", lines: [{ tool: id, quantity: 2 }] },
};

test("a create names its locks, checks and columns", () => {
  expect(writeText(described(create))).toMatchInlineSnapshot(`
    "create Loan
      transaction: each batch
      statements: checked form
      locks: Tool.id (shared), Loan.tool (shared)
      checks: FORBIDDEN (6.Loan.create), NO_SUCH_REFERENCE/tool (3.Loan.tool), TOO_LATE/due (5.Loan.TOO_LATE), ALL_OUT (5.Tool.ALL_OUT)
      sets: tool, borrower, due, note, status
      audit: create (6.Loan.create)"
  `);
});

test("a transition names its guard, its effects, and the rules that are checked after them", () => {
  expect(writeText(described(handOver))).toMatchInlineSnapshot(`
    "hand_over Loan
      transaction: whole
      statements: checked form
      locks: Tool.id (shared), Loan.tool
      checks: CHANGED_MEANWHILE (3.Loan), WRONG_STATE (4.Loan.hand_over), GUARD (4.Loan.hand_over), ALL_OUT (5.Tool.ALL_OUT)
      sets: status
      audit: hand_over (4.Loan.hand_over)
      effects: update Tool (4.Loan.after.hand_over.1), notify (4.Loan.after.hand_over.2)
      final checks: TOO_OFTEN/tool (5.Loan.TOO_OFTEN)"
  `);
});

test("a write with parts names their lists", () => {
  expect(writeText(described(withParts))).toMatchInlineSnapshot(`
    "update Order
      transaction: whole
      statements: checked form
      checks: CHANGED_MEANWHILE (3.Order)
      sets: title
      audit: update (6.Order.update)
      parts: lines
      final checks: TOO_MANY/lines (5.Order.TOO_MANY)"
  `);
});

const edit: Intent = {
  ...{ kind: "update", entity: "Loan", id, version: 1, label: false },
  values: { note: "scratched" },
};
const deletion: Intent = { kind: "delete", entity: "Line", id, version: null };

test("an update that nothing follows tries its fast path first", () => {
  expect(writeText(described(edit))).toMatchInlineSnapshot(`
    "update Loan
      transaction: each batch
      statements: fast path, checked form
      checks: CHANGED_MEANWHILE (3.Loan)
      sets: note
      audit: update (6.Loan.update)"
  `);
});

test("the deletion of a part names the rules of its parent", () => {
  expect(writeText(described(deletion))).toMatchInlineSnapshot(`
    "delete Line
      transaction: each batch
      statements: checked form
      locks: Line.order
      checks: CHANGED_MEANWHILE (3.Line), TOO_MANY (5.Order.TOO_MANY)
      audit: delete (6.Line.delete)"
  `);
});

test("each check of a plan is among the errors that its call documents", () => {
  for (const intent of [create, handOver, withParts, edit, deletion]) {
    const action = intent.kind === "transition" ? intent.transition : intent.kind;
    const route = conventionalRoutes(model).find(
      ({ entity, does }) =>
        "entity" in intent &&
        entity === intent.entity &&
        (does.kind === "transition" ? does.transition : does.kind) === action,
    );
    if (route === undefined) throw new Error(`no route for ${action}`);
    const fields = new Set("values" in intent ? Object.keys(intent.values) : []);
    const possible = possibleRefusals(model, route, fields).map(({ code, clause }) => `${code} ${clause}`);
    const { checks, finalChecks } = described(intent);
    for (const { code, clause } of [...checks, ...finalChecks]) expect(possible).toContain(`${code} ${clause}`);
  }
});
