import { expect, test } from "vitest";
import { neverLiesAhead } from "../../src/core/derive/client/past-fields.ts";
import { compiled } from "../app/program.ts";

/* Days and times for which no filter of the future is offered. */

const text = `# Orders

## 3. Entities and their fields
\`\`\`yaml
Order:
  fields:
    name: text
    begun_at: { type: datetime, set: now }
    ordered_on: date?
    moved_on: date?
    planned_on: date?
    dated: date?
    arrived_on: date?
    unused_on: date?
\`\`\`

## 4. States and transitions
\`\`\`yaml
Order:
  field: status
  states: [open, ordered]
  transitions:
    order: { from: open, to: ordered, by: clerk, set: { ordered_on: today, moved_on: today } }
    move: { from: ordered, to: open, by: clerk, set: { moved_on: today + 1 day } }
    plan: { from: open, to: same, by: clerk, asks: planned_on }
\`\`\`

## 5. Rules
\`\`\`yaml
Order:
  - { rule: dated <= today, else: LATER }
  - { rule: arrived_on <= today, when: "status == ordered", else: LATER }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions:
  Order: { read: [clerk], create: [clerk], update: [{ role: clerk, fields: [name, dated, arrived_on] }] }
\`\`\`

## 8. Errors
\`\`\`yaml
LATER: { message: This day is later than today. }
\`\`\`
`;

/** `create`: the permission to create orders. */
const findPast = (create: string): readonly string[] => {
  const { model } = compiled(text.replace("create: [clerk]", `create: [${create}]`));
  const entity = model.entities.get("Order");
  if (entity === undefined) throw new Error("There are no orders.");
  return [...entity.fields.values()].filter((field) => neverLiesAhead(model, entity, field)).map(({ name }) => name);
};

test("only what the program notes, or what a rule requires, never lies ahead", () =>
  expect(findPast("{ role: clerk, fields: [name] }")).toEqual(["begun_at", "ordered_on", "dated"]));

test("a day that somebody can enter may lie ahead", () => expect(findPast("clerk")).toEqual(["begun_at", "dated"]));
