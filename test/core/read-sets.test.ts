import { expect, test } from "vitest";
import { findLockedReads, rulesAffectedBy } from "../../src/core/derive/consistency/read-sets.ts";
import { intersects } from "../../src/core/expression/inspect/read-set.ts";
import { compiled } from "../app/program.ts";

const { model } = compiled(`
## 3. Entities
\`\`\`yaml
User: { fields: { allowance: integer } }
Request:
  label: "{note}"
  fields:
    employee: { type: User, set: user }
    first_day: date
    last_day: date
    days: { type: integer, computed: "days_between(first_day, last_day) + 1" }
    note: text?
\`\`\`
## 4. States
\`\`\`yaml
Request: { field: status, states: [draft, submitted], transitions: { submit: { from: draft, to: submitted } } }
\`\`\`
## 5. Rules
\`\`\`yaml
User:
  - rule: "Request.filter(r, r.employee == this && r.status == submitted).map(r, r.days).sum() <= allowance"
    always: true
    else: SPENT
\`\`\`
## 8. Errors
\`\`\`yaml
SPENT: No.
\`\`\`
`);
const entity = (name: string) => {
  const found = model.entities.get(name);
  if (found === undefined) throw new Error(name);
  return found;
};

test("the footprint of a write contains what rules read, including the sources of computed fields", () => {
  const [footprint, ...more] = findLockedReads(model, entity("Request"));
  if (footprint === undefined) throw new Error("no footprint");
  expect(more).toEqual([]);
  expect(footprint).toMatchObject({ by: "employee", key: "", only: new Map([["status", new Set(["submitted"])]]) });
  const touching = (...fields: string[]) => intersects(footprint, new Set(fields));
  expect([touching("last_day"), touching("status"), touching("employee"), touching("note")]).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(intersects(footprint, null)).toBe(true);
});

test("a rule that always applies is checked when a field that it reads is written", () => {
  const affected = (name: string, ...fields: string[]) =>
    rulesAffectedBy(model, entity(name), new Set(fields)).map(({ owner, rule, on }) => [owner.name, rule.error, on]);
  expect(affected("Request", "last_day")).toEqual([["User", "SPENT", "all"]]);
  expect(affected("Request", "note")).toEqual([]);
  expect(affected("User", "allowance")).toEqual([]);
});
