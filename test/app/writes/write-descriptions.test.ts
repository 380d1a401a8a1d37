import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Principal } from "../../../src/core/derive/authorization/grants.ts";
import { possibleRefusals } from "../../../src/core/derive/http/possible-errors.ts";
import { conventionalRoutes } from "../../../src/core/derive/http/routes.ts";
import { getPhrasesFor } from "../../../src/core/explain/language.ts";
import type { Row } from "../../../src/postgres/database.ts";
import type { Intent } from "../../../src/server/intent.ts";
import { planIntent } from "../../../src/server/plan/plan-intent.ts";
import { readerFormat } from "../../../src/server/plan/row/labels.ts";
import { Statements } from "../../../src/server/plan/statements.ts";
import { type WriteDescription, writeText } from "../../../src/server/plan/write/describe-write.ts";
import { isRefusal } from "../../../src/server/refusal.ts";

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
  phrases: getPhrasesFor("en"),
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

const repeated: Intent = { ...create, key: "k1" };
const repeatedHandOver: Intent = { ...handOver, key: "k2" };

test("an update without effects tries its fast path first", () => {
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

/** The refusals that OpenAPI lists for the call of an intent. */
const documented = (intent: Intent): readonly string[] => {
  const action = intent.kind === "transition" ? intent.transition : intent.kind;
  const route = conventionalRoutes(model).find(
    ({ entity, does }) =>
      "entity" in intent &&
      entity === intent.entity &&
      (does.kind === "transition" ? does.transition : does.kind) === action,
  );
  if (route === undefined) throw new Error(`no route for ${action}`);
  const fields = new Set("values" in intent ? Object.keys(intent.values) : []);
  return possibleRefusals(model, route, fields).map(({ code, clause }) => `${code} ${clause}`);
};

const intents = [create, handOver, withParts, edit, deletion, repeated, repeatedHandOver];

test("each check of a plan is among the errors that its call documents", () => {
  for (const intent of intents) {
    const possible = documented(intent);
    const { checks, finalChecks } = described(intent);
    for (const { code, clause } of [...checks, ...finalChecks]) expect(possible).toContain(`${code} ${clause}`);
  }
});

/** The statement with all checks, as a plan without its fast path sends it. */
const checkedForm = (intent: Intent) => {
  const plan = planIntent(context, intent, caller, readerFormat(model), id);
  if (plan.kind === "refusal" || !("describe" in plan)) throw new Error(JSON.stringify(plan));
  const steps = (plan.withoutFastPath?.() ?? plan).steps();
  const sent = steps.next();
  if (sent.done === true) throw new Error("nothing is sent");
  const text = sent.value.at(-1)?.text ?? "";
  /** The refusals of a row, or what else it leads to. */
  const decoded = (row: Row | undefined): readonly string[] => {
    const before = sent.value.slice(1).map(() => []);
    const next = steps.next([...before, row === undefined ? [] : [row]]);
    // A refused write looks up its key again, which another request may have used meanwhile.
    const { value: ending } = next.done === true || row?.["is:done"] !== false ? next : steps.next([[]]);
    if (!isRefusal(ending)) return [];
    return (ending.at.length > 0 ? ending.at : [ending]).map(({ code, clause }) => `${code} ${clause}`);
  };
  return { columns: [...text.matchAll(/, FALSE\) AS "([^"]+)"/gu)].map(([, name = ""]) => name), decoded };
};

/**
 * Columns that refuse nothing: nothing changes, the key was used before, or the response says which transitions the rules
 * leave open.
 */
const refusesNothing = (column: string): boolean =>
  column === "is:other" || column === "is:first" || /^rule:\d+:/u.test(column);

test("each column that can refuse a write is decoded to an error that its call documents", () => {
  const refused = new Set<string>();
  for (const intent of intents) {
    const possible = documented(intent);
    const { columns } = checkedForm(intent);
    expect(columns).not.toEqual([]);
    // Without a row, the record was not found; a create always has one.
    if (intent.kind !== "create")
      expect(possible).toEqual(expect.arrayContaining([...checkedForm(intent).decoded(undefined)]));
    for (const column of columns.filter((one) => !refusesNothing(one))) {
      const row = Object.fromEntries(columns.map((one) => [one, one !== column]));
      // One grant of several is enough for a record.
      if (column.startsWith("grant:")) for (const one of columns) if (one.startsWith("grant:")) row[one] = false;
      const refusals = checkedForm(intent).decoded({ ...row, "is:done": false, "was:state": "back" });
      expect(refusals, `${intent.kind} by ${column}`).not.toEqual([]);
      for (const one of refusals) {
        expect(possible, `${intent.kind} by ${column}`).toContain(one);
        refused.add(one.split(" ")[0] ?? "");
      }
    }
  }
  expect([...refused].sort()).toEqual([
    "ALL_OUT",
    "CHANGED_MEANWHILE",
    "FORBIDDEN",
    "GUARD",
    "NO_SUCH_REFERENCE",
    "TOO_LATE",
    "TOO_MANY",
    "WRONG_STATE",
  ]);
});

/** The codes of checks, each of which `check-refusals.ts` writes once. Rules and uniqueness have codes of the document. */
const checkCodes = [
  "BAD_CURSOR",
  "BAD_PATH",
  "CHANGED_MEANWHILE",
  "FORBIDDEN",
  "GUARD",
  "IN_USE",
  "KEY_REUSED",
  "NOT_AMONG",
  "NOT_SIGNED_IN",
  "NOT_YOURS_TO_WRITE",
  "NO_SUCH_PART",
  "NO_SUCH_REFERENCE",
  "PART_TWICE",
  "REQUIRED",
  "TAKEN",
  "TOO_MANY_PARTS",
  "UNKNOWN_FIELD",
  "WRONG_STATE",
];

/** The codes that a source writes itself, as `code: "GUARD"` or `refuse("GUARD")`. */
const codesIn = (source: string): readonly string[] =>
  [...source.matchAll(/(?:code: |refuse\()"([A-Z_]+)"/gu)].map(([, code = ""]) => code);

test("plans and the possible errors take the codes of checks from one list", () => {
  expect(codesIn('return refuse("GUARD", clause)')).toEqual(["GUARD"]);
  const files = [
    ...readdirSync("src/server/plan", { recursive: true, encoding: "utf8" }).map((name) => `src/server/plan/${name}`),
    "src/core/derive/http/possible-errors.ts",
    "src/core/derive/openapi/custom-errors.ts",
  ].filter((name) => name.endsWith(".ts"));
  const own = files.flatMap((file) =>
    codesIn(readFileSync(file, "utf8")).flatMap((code) => (checkCodes.includes(code) ? [`${file} ${code}`] : [])),
  );
  expect(own).toEqual([]);
  expect(codesIn(readFileSync("src/core/derive/consistency/check-refusals.ts", "utf8"))).toEqual(
    expect.arrayContaining(
      checkCodes.filter((code) => !["REQUIRED", "NOT_AMONG", "NO_SUCH_REFERENCE", "TAKEN"].includes(code)),
    ),
  );
});
