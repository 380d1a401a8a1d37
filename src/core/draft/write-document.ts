import { entityWords, pluralize, toPathName } from "../model/inflection.ts";
import { type DraftEntity, type DraftField, draftEntities } from "./draft-entities.ts";
import { irregularPlural } from "./names.ts";
import type { SheetTable } from "./table.ts";

/** A text that YAML reads as it is, and that no later change of the line turns into something else. */
const plain = /^[A-Za-z][A-Za-z0-9 _.?-]*$/u;

const words = /^(?:true|false|null|yes|no|on|off|y|n|not shown)$/iu;

const scalar = (text: string): string => {
  const line = text.replaceAll(/\p{Cc}/gu, " ").trim();
  if (plain.test(line) && !words.test(line) && !line.endsWith(" ")) return line;
  return /["\\]/u.test(line) ? `'${line.replaceAll("'", "''")}'` : `"${line}"`;
};

const value = (said: string | boolean | readonly string[]): string =>
  typeof said === "boolean"
    ? String(said)
    : typeof said === "string"
      ? scalar(said)
      : `[${said.map(scalar).join(", ")}]`;

const fieldText = ({ name, type, keys }: DraftField): string => {
  const entries = Object.entries(keys);
  if (entries.length === 0) return `${name}: ${type}`;
  const all: (readonly [string, string | boolean | readonly string[]])[] = [
    ...(type === "" ? [] : [["type", type] as const]),
    ...entries,
  ];
  return `${name}: { ${all.map(([key, said]) => `${key}: ${value(said)}`).join(", ")} }`;
};

const titleText = (name: string): readonly string[] => {
  const many = irregularPlural(name);
  if (many === undefined) return [];
  return [`  title: { one: ${entityWords(name)}, many: ${many} }`, `  path: ${many.replaceAll(" ", "-")}`];
};

const entityText = ({ name, source, label, fields }: DraftEntity): string =>
  [
    `${name}:`,
    `  source: ${scalar(source)}`,
    "  basis: observed",
    ...titleText(name),
    ...(label === undefined ? [] : [`  label: "${label}"`]),
    "  fields:",
    ...fields.map((field) => `    ${fieldText(field)}`),
  ].join("\n");

const screenText = ({ name, columns, filters }: DraftEntity): string =>
  [
    `/${irregularPlural(name)?.replaceAll(" ", "-") ?? toPathName(name)}:`,
    `  list: ${name}`,
    `  columns: [${columns.join(", ")}]`,
    ...(filters.length === 0 ? [] : [`  filters: [${filters.join(", ")}]`]),
  ].join("\n");

/** Text of a file in a sentence of the document: no marks, and no second sentence. */
const prose = (sentence: string): string =>
  sentence
    .replaceAll(/[`*_#|<>[\]]/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();

const block = (lines: readonly string[]): string => `\`\`\`yaml\n${lines.join("\n")}\n\`\`\``;

const remarksText = (entities: readonly DraftEntity[]): readonly string[] =>
  entities.flatMap(({ source, remarks }) =>
    remarks.length === 0
      ? []
      : [`Left out of ${prose(source)}:\n\n${remarks.map((one) => `- ${prose(one)}`).join("\n")}`],
  );

const questionsText = (entities: readonly DraftEntity[]): readonly string[] =>
  entities.flatMap(({ name, questions }) =>
    questions.length === 0
      ? []
      : [
          `About ${irregularPlural(name) ?? pluralize(entityWords(name))}:\n\n${questions.map((one) => `- ${prose(one)}`).join("\n")}`,
        ],
  );

/**
 * Drafts a document from tables. It compiles without an error. Tables do not show who works with the records, or how: those points
 * are left open, so nobody but administrators can do anything yet.
 */
export const draftDocument = (title: string, tables: readonly SheetTable[]): string => {
  const entities = draftEntities(tables);
  const parts = [
    `# ${prose(title)}`,
    `Drafted from ${entities.map(({ source }) => prose(source)).join("; ")}.`,
    "## 1. What the product does and for whom",
    "What the application does and for whom is not shown.",
    block(["ninefold: 1", `name: ${scalar(prose(title))}`]),
    "## 2. Screens and routes",
    "A list of each table, with its first columns.",
    block(entities.map(screenText)),
    "## 3. Entities and their fields",
    "A field is required if each row has a value. `source` says what was seen beyond that.",
    ...remarksText(entities),
    ...questionsText(entities),
    block([entities.map(entityText).join("\n")]),
    "## 4. States and transitions",
    "No states and transitions are shown.",
    "## 5. Validation rules",
    "No rules are shown.",
    "## 6. Roles and permissions",
    "No roles and permissions are shown.",
    "## 7. The calls it makes",
    "No calls are shown.",
    "## 8. Error catalogue",
    "No errors are shown.",
    "## 9. Business constants and limits",
    "No constants are shown.",
  ];
  return `${parts.join("\n\n")}\n`;
};
