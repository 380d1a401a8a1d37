import { expect, test } from "vitest";
import { findDocument } from "../../../src/postgres/schema/newest-document.ts";
import { compiled } from "../program.ts";

const withField = (field: string): string => `# Notes

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { ${field}: text } }
\`\`\`
`;

const rowOf = (text: string) => ({ number: 1, hash: `hash of ${text}`, file: "notes.md", source: text });
const fieldsOf = (model: ReturnType<typeof findDocument>) => [...(model?.entities.get("Note")?.fields.keys() ?? [])];

// Compiling a document of a megabyte takes seconds, in which a server answers nobody.
test("a server that publishes does not compile the live version again", () => {
  const { model } = compiled(withField("title"));
  const row = rowOf(withField("title"));
  expect(findDocument(row, { hash: row.hash, model })).toBe(model);
  expect(findDocument(undefined, { hash: null, model: null })).toBeNull();
});

test("but a version of another server is compiled", () => {
  const { model } = compiled(withField("title"));
  const row = rowOf(withField("heading"));
  expect(fieldsOf(findDocument(row, { hash: "hash of another", model }))).toContain("heading");
  expect(fieldsOf(findDocument(row, { hash: row.hash }))).toContain("heading");
  expect(fieldsOf(findDocument(row))).toContain("heading");
});
