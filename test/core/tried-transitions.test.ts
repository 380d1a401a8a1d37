import { expect, test } from "vitest";
import { buildManifest } from "../../src/core/derive/client/app-manifest.ts";
import { getPhrasesFor } from "../../src/core/explain/language.ts";
import { compiled } from "../app/program.ts";

/* A page tries a transition again after changes of the entities that decide if it is refused, and of no others. */

const text = `# Shop

## 3. Entities and their fields
\`\`\`yaml
Stop: { fields: { name: text } }
Part: { fields: { tool: Tool, weight: integer } }
Tool:
  fields:
    name: text
    parts: { list: Part.tool }
    weight: { type: integer, computed: "parts.map(p, p.weight).sum()" }
Loan: { fields: { tool: Tool, note: text } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Loan:
  field: status
  states: [asked, lent, back]
  transitions:
    lend:   { from: asked, to: lent, by: desk }
    return: { from: lent, to: back, by: desk, when: "!Stop.exists(s, s.name == note)" }
\`\`\`

## 5. Rules
\`\`\`yaml
Loan:
  - { rule: "Loan.filter(l, l.tool == tool && l.status == lent).map(l, l.tool.weight).sum() < 100", during: [lend, return], else: HEAVY }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { desk: granted, clerk: granted }
permissions:
  Stop: { read: desk }
  Part: { read: [desk, clerk] }
  Tool: { read: [desk, clerk] }
  Loan: { read: [desk, clerk] }
\`\`\`

## 8. Errors
\`\`\`yaml
HEAVY: Too heavy.
\`\`\`
`;

const triedAgainAfter = (role: string) => {
  const person = { id: "p", granted: new Set([role]) };
  const { entities } = buildManifest(compiled(text).model, person, getPhrasesFor("en"));
  return Object.fromEntries(
    entities.Loan?.states?.transitions.map(({ name, tried }) => [
      name,
      typeof tried === "object" ? [...tried].sort() : tried,
    ]) ?? [],
  );
};

test("the entities are those of its rules, with computed fields in between, of its guard and its own", () => {
  const ofRule = ["/api/loans", "/api/parts"];
  expect(triedAgainAfter("desk")).toEqual({ lend: ofRule, return: [...ofRule, "/api/stops"] });
});

test("an entity that the person cannot read is not named: any change may be one that matters", () => {
  expect(triedAgainAfter("clerk")).toEqual({ lend: ["/api/loans", "/api/parts"], return: true });
});
