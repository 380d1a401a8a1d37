import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isOverdueTile } from "../../src/core/derive/client/dashboard-tiles.ts";
import { findStateDeadline } from "../../src/core/derive/http/list-capabilities.ts";
import { compiled } from "../app/program.ts";

/* Consequences of the deadlines of states: which dates no longer matter, and which tiles are red. */

const modelOf = (example: string) =>
  compiled(readFileSync(new URL(`../../examples/${example}.md`, import.meta.url), "utf8")).model;

describe("a deadline is over", () => {
  const over = (example: string, name: string, deadline: string) => {
    const entity = modelOf(example).entities.get(name);
    const field = entity?.fields.get(deadline);
    return entity && field && findStateDeadline(entity, field, () => true)?.over;
  };

  test("in states that no record reaches without having had it, also if it can come back", () =>
    expect(over("help-desk", "Ticket", "answer_due")).toEqual([
      "in_work",
      "waiting",
      "solved",
      "closed",
      "withdrawn",
      "duplicate",
    ]));

  test("in the states in which records end, and not while it is still to come", () =>
    expect(over("purchasing", "PurchaseRequest", "delivery_due")).toEqual([
      "settled",
      "refused",
      "withdrawn",
      "cancelled",
    ]));
});

describe("a tile says that its records are overdue", () => {
  const titles = (model: ReturnType<typeof modelOf>) =>
    model.screens.flatMap((screen) =>
      screen.kind === "tiles"
        ? screen.tiles.filter((tile) => isOverdueTile(model, tile)).map(({ title }) => title)
        : [],
    );

  test.each([
    ["help-desk", ["Answer overdue"]],
    ["lending", ["Overdue"]],
    ["purchasing", ["Deliveries overdue"]],
    ["leave-desk", []],
    ["booking", []],
  ])("in %s: %j", (example, expected) => expect(titles(modelOf(example))).toEqual(expected));

  const task = (where: string, once: string) => `# Tasks

## 2. Screens and routes
\`\`\`yaml
/:
  tiles: [{ title: Tasks, count: Task, where: "${where}" }]
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Task: { fields: { name: text, due: date, end: { type: date, computed: due } } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Task:
  field: status
  initial: open
  final: [done]
  states: [{ open: { deadline: due } }, { late: { deadline: due } }, done]
  transitions:
    escalate: { from: open, to: late, once: "${once}" }
    finish: { from: [open, late], to: done }
\`\`\`
`;

  test.each([
    ["status == open && due < today", "due < today", true],
    ["status in [open, late] && today > due", "name == 'x'", true],
    ["status == late", "due < today && name != 'x'", true],
    ["status == late", "name == 'x'", false],
    ["status == open", "due < today", false],
    ["status == open && due >= today", "due < today", false],
    // A day that is not over yet.
    ["status == open && due <= today", "due < today", false],
    ["status == open && today >= due", "due < today", false],
    ["due < today", "due < today", false],
  ])("only if each of their states has a deadline that is past: %s, with %s", (where, once, expected) =>
    expect(titles(compiled(task(where, once)).model)).toEqual(expected ? ["Tasks"] : []),
  );

  test.each([
    ["due", true],
    ["name == 'x' ? null : due", true],
    ["name == 'x' ? due : begun", true],
    ["due + 2 days", false],
    ["end_of_month(due)", false],
  ])("by a field whose value the deadline has as it is: %s", (computed, expected) => {
    const text = task("status == open && due < today", "due < today")
      .replace("computed: due", `computed: "${computed}"`)
      .replace("due: date", "due: date, begun: date")
      .replace("type: date,", "type: date?,")
      .replace("open: { deadline: due }", "open: { deadline: end }");
    expect(titles(compiled(text).model)).toEqual(expected ? ["Tasks"] : []);
  });

  test.each([
    ["due <= now", true],
    ["due < now", true],
  ])("at a moment that is reached: %s", (condition, expected) => {
    const text = task(`status == open && ${condition}`, "name == 'x'").replace("due: date", "due: datetime");
    const without = text.replace(", end: { type: date, computed: due }", "");
    expect(titles(compiled(without).model)).toEqual(expected ? ["Tasks"] : []);
  });
});
