import { expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { firstError } from "../../../src/web/workbench/document/first-error.ts";

const text = (third: string): string => `# Books

## 2. Screens and routes
\`\`\`yaml
/books: { list: Book, columns: [title, shelf, pages] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Book:
  fields:
    title: text
${third}
    pages: integer
\`\`\`
`;

const errorIn = (third: string) => {
  const { findings } = compile([{ file: "books.md", text: text(third) }]);
  const errors = findings.filter(({ severity }) => severity === "error");
  return { first: firstError(findings), errors };
};

test("a line that cannot be read comes before the errors that it causes further up", () => {
  const { first, errors } = errorIn("a forgotten key");
  expect(errors.length).toBeGreaterThan(1);
  expect(errors[0]?.code).toBe("UNKNOWN_NAME");
  expect(first?.code).toBe("BAD_YAML");
});

test("otherwise the first in the text comes first", () => {
  const { first, errors } = errorIn("    place: text");
  expect(first).toBe(errors[0]);
  expect(first?.code).toBe("UNKNOWN_NAME");
});
