import { expect, test } from "vitest";
import { findDefinition, writeDefinition } from "../../src/core/bring-back-clause.ts";
import { compile } from "../../src/core/compile.ts";

const text = (entities: string) => `# Desk

## 3. Entities

\`\`\`yaml
${entities}
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { keeper: { members: granted } }
\`\`\`
`;
const compiled = (entities: string) => compile([{ file: "a.md", text: text(entities) }]);
const earlier = compiled(`Book:
  fields:
    name: text
    pages:
      type: integer
      max: 9
Shelf: { fields: { place: text, room: { type: text, max: 9 } } }`);

const broughtBack = (entities: string, entity: string, field: string | null): string | undefined => {
  const definition = findDefinition(earlier, { entity, field });
  if (definition === undefined) throw new Error("no definition");
  return writeDefinition(compiled(entities), { entity, field }, definition)?.text;
};

const without = "Book:\n  fields:\n    name: text";

test("a field comes back after the last one of its entity, in the form that the entity has", () => {
  expect(broughtBack(`${without}\nShelf: { fields: { place: text } }`, "Book", "pages")).toBe(
    text(`${without}\n    pages:\n      type: integer\n      max: 9\nShelf: { fields: { place: text } }`),
  );
  expect(broughtBack(`${without}\nShelf: { fields: { place: text } }`, "Shelf", "room")).toBe(
    text(`${without}\nShelf: { fields: { place: text, room: { type: text, max: 9 } } }`),
  );
});

test("a field of another type gives way to the one that comes back", () => {
  const shelf = "Shelf: { fields: { room: integer?, place: text } }";
  expect(broughtBack(`Book:\n  fields:\n    pages: date?\n    name: text\n${shelf}`, "Book", "pages")).toBe(
    text(`Book:\n  fields:\n    pages:\n      type: integer\n      max: 9\n    name: text\n${shelf}`),
  );
  expect(broughtBack(`${without}\n${shelf}`, "Shelf", "room")).toBe(
    text(`${without}\nShelf: { fields: { room: { type: text, max: 9 }, place: text } }`),
  );
});

test("an entity comes back at the end of its point", () => {
  expect(broughtBack(without, "Shelf", null)).toBe(
    text(`${without}\nShelf: { fields: { place: text, room: { type: text, max: 9 } } }`),
  );
});

test("a field of an entity that is gone too has no place", () => {
  expect(broughtBack(without, "Shelf", "room")).toBeUndefined();
});
