import { compile } from "../../src/core/compile.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import { readRule } from "../../src/core/expression/type-check/type-check.ts";
import type { EntityShape, FieldShape, Scope, Type } from "../../src/core/expression/values/type.ts";
import type { Finding } from "../../src/core/findings.ts";

/** The types of fields; a name that ends in `?` is optional. */
export type Fields = Readonly<Record<string, Type>>;

export const types = {
  text: { kind: "text" },
  integer: { kind: "integer" },
  decimal: { kind: "decimal" },
  boolean: { kind: "boolean" },
  date: { kind: "date" },
  datetime: { kind: "datetime" },
  files: { kind: "list", of: { kind: "file" } },
  person: { kind: "record", entity: "User" },
  state: { kind: "choice", of: "Case.status", values: ["draft", "open", "done"] },
} as const satisfies Fields;

const shapeOf = (name: string, fields: Fields): EntityShape => ({
  name,
  table: name.toLowerCase(),
  fields: new Map(
    Object.entries({ id: types.text, ...fields }).map(([written, type]): [string, FieldShape] => {
      const name = written.replace("?", "");
      return [name, { name, type, optional: written.endsWith("?"), column: name }];
    }),
  ),
});

const person: Fields = { name: types.text, branch: types.integer, "manager?": types.person, active: types.boolean };

const scopeOf = (fields: Fields, limits: Scope["limits"] = new Map()): Scope => ({
  entity: "Case",
  user: true,
  entities: new Map([
    ["Case", shapeOf("Case", fields)],
    ["User", shapeOf("User", person)],
  ]),
  limits,
  timezone: "UTC",
});

/** A condition on a record with these fields. */
export const condition = (text: string, fields: Fields, limits?: Scope["limits"]): Expr => {
  const { value, findings } = readRule(
    text,
    { file: "case.md", start: 0, end: text.length },
    scopeOf(fields, limits),
    types.boolean,
  );
  if (value === undefined) throw new Error(`${text}: ${findings.map((finding) => finding.message).join(" ")}`);
  return value;
};

/** A document with these blocks by point. */
export const documentOf = (points: Readonly<Record<number, string>>): string =>
  Object.entries(points)
    .map(([number, yaml]) => `## ${number}. Point\n\n\`\`\`yaml\n${yaml.trim()}\n\`\`\`\n`)
    .join("\n");

/** Errors and warnings, without open points and clauses that are not executed. */
export const findingsOf = (text: string): readonly Finding[] =>
  compile({ file: "case.md", text }).findings.filter(({ severity }) => severity === "error" || severity === "warning");

/** Each finding as its code, its clause and the text at its span: `DEAD_END 4.Case.open «open»`. */
export const found = (points: Readonly<Record<number, string>>): readonly string[] => {
  const text = documentOf(points);
  return findingsOf(text).map(
    ({ code, clause, span }) => `${code} ${clause ?? ""} «${text.slice(span.start, span.end)}»`,
  );
};

/** The only finding of a document. */
export const foundOne = (points: Readonly<Record<number, string>>): Finding => {
  const [finding, ...more] = findingsOf(documentOf(points));
  if (finding === undefined || more.length > 0)
    throw new Error(`${more.length + Number(finding !== undefined)} findings`);
  return finding;
};
