import { entityWords, pluralize, toTitle } from "../model/inflection.ts";
import { type DraftEntity, type DraftField, type DraftValue, draftEntities } from "./draft-entities.ts";
import { irregularPlural, toAddress } from "./names.ts";
import type { SheetTable } from "./table.ts";

/** A text that YAML reads unchanged and that no later edit of the line can break. */
const plain = /^[A-Za-z][A-Za-z0-9 _.?-]*$/u;

const words = /^(?:true|false|null|yes|no|on|off|y|n|not shown)$/iu;

const scalar = (text: string): string => {
  const line = text.replaceAll(/\p{Cc}/gu, " ").trim();
  if (plain.test(line) && !words.test(line) && !line.endsWith(" ")) return line;
  return /["\\]/u.test(line) ? `'${line.replaceAll("'", "''")}'` : `"${line}"`;
};

const toYaml = (value: DraftValue): string =>
  typeof value === "boolean" || typeof value === "number"
    ? String(value)
    : typeof value === "string"
      ? scalar(value)
      : `[${value.map(scalar).join(", ")}]`;

const mapping = (keys: Readonly<Record<string, DraftValue>>): string =>
  `{ ${Object.entries(keys)
    .map(([key, value]) => `${key}: ${toYaml(value)}`)
    .join(", ")} }`;

const fieldText = ({ name, type, keys }: DraftField): string => {
  const entries = Object.entries(keys);
  if (entries.length === 0) return `${name}: ${type}`;
  return `${name}: ${mapping({ ...(type === "" ? {} : { type }), ...keys })}`;
};

const titleText = (name: string): readonly string[] => {
  const many = irregularPlural(name);
  if (many === undefined) return [];
  return [`  title: { one: ${entityWords(name)}, many: ${many} }`, `  path: ${toAddress(name)}`];
};

const entityText = ({ name, source, label, fields }: DraftEntity): string =>
  [
    `${name}:`,
    `  source: ${scalar(source)}`,
    "  basis: observed",
    ...titleText(name),
    ...(label === undefined ? [] : [`  label: "${label}"`]),
    ...(fields.length === 0 ? [] : ["  fields:"]),
    ...fields.map((field) => `    ${fieldText(field)}`),
  ].join("\n");

const screenText = ({ name, columns, filters, sort }: DraftEntity): string =>
  [
    `/${toAddress(name)}:`,
    `  list: ${name}`,
    ...(columns.length === 0 ? [] : [`  columns: [${columns.join(", ")}]`]),
    ...(filters.length === 0 ? [] : [`  filters: [${filters.join(", ")}]`]),
    ...(sort === undefined ? [] : [`  sort: [${sort}]`]),
  ].join("\n");

/** Text from a file for a sentence of the document: on one line, without characters of Markdown. */
const prose = (sentence: string): string =>
  sentence
    .replaceAll(/[`#|[\]]|(?<!\w)_|_(?!\w)|(?<! )\*|\*(?! )|<(?![= ])|(?<![ =])>/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();

const block = (lines: readonly string[]): string => `\`\`\`yaml\n${lines.join("\n")}\n\`\`\``;

const remarksText = (entities: readonly DraftEntity[]): readonly string[] =>
  entities.flatMap(({ source, remarks }) =>
    remarks.length === 0
      ? []
      : [`Left out of ${prose(source)}:\n\n${remarks.map((remark) => `- ${prose(remark)}`).join("\n")}`],
  );

const questionsText = (entities: readonly DraftEntity[]): readonly string[] =>
  entities.flatMap(({ name, questions }) =>
    questions.length === 0
      ? []
      : [`About ${pluralize(entityWords(name))}:\n\n${questions.map((question) => `- ${prose(question)}`).join("\n")}`],
  );

const aboutText = (entities: readonly DraftEntity[]): readonly string[] =>
  entities.flatMap(({ name, about }) => {
    const description = prose(about ?? "");
    return description === ""
      ? []
      : [`${toTitle(entityWords(name))}: ${description}${/[.!?]$/u.test(description) ? "" : "."}`];
  });

const rulesText = (entities: readonly DraftEntity[]): string | undefined => {
  const lines = entities.flatMap(({ name, rules = [] }) =>
    rules.length === 0
      ? []
      : [`${name}:`, ...rules.map(({ keys, code }) => `  - ${mapping({ ...keys, basis: "observed", else: code })}`)],
  );
  return lines.length === 0 ? undefined : block(lines);
};

const errorsText = (entities: readonly DraftEntity[]): string | undefined => {
  const lines = entities.flatMap(({ rules = [] }) => rules.map(({ code, message }) => `${code}: ${scalar(message)}`));
  return lines.length === 0 ? undefined : block(lines);
};

/** Kinds of things that documents are drafted from. */
export interface DraftKind {
  /** A sentence about where the entities come from. */
  readonly from: string;
  /** A sentence about what the source shows of fields. */
  readonly fields: string;
  /** Sentences about calls that the source has and the document leaves open. */
  readonly calls?: readonly string[];
}

/**
 * Writes entities as a document. It compiles without errors. The entities do not show who works with the records, or
 * how. These points stay open, so only administrators can use the application.
 */
export const writeDocument = (
  title: string,
  { from, fields, calls = [] }: DraftKind,
  entities: readonly DraftEntity[],
): string => {
  const parts = [
    `# ${prose(title)}`,
    from,
    "## 1. What the product does and for whom",
    "What the application does and for whom is not shown.",
    block(["ninefold: 1", `name: ${scalar(prose(title))}`]),
    "## 2. Screens and routes",
    "A list of each table, with its first columns.",
    block(entities.map(screenText)),
    "## 3. Entities and their fields",
    fields,
    ...aboutText(entities),
    ...remarksText(entities),
    ...questionsText(entities),
    block([entities.map(entityText).join("\n")]),
    "## 4. States and transitions",
    "No states and transitions are shown.",
    "## 5. Validation rules",
    rulesText(entities) ?? "No rules are shown.",
    "## 6. Roles and permissions",
    "No roles and permissions are shown.",
    "## 7. The calls it makes",
    calls.length === 0 ? "No calls are shown." : calls.map((call) => `- ${prose(call)}`).join("\n"),
    "## 8. Error catalogue",
    errorsText(entities) ?? "No errors are shown.",
    "## 9. Business constants and limits",
    "No constants are shown.",
  ];
  return `${parts.join("\n\n")}\n`;
};

/** Drafts a document from the tables of spreadsheets. */
export const draftDocument = (title: string, tables: readonly SheetTable[]): string => {
  const entities = draftEntities(tables);
  const kind = {
    from: `Drafted from ${entities.map(({ source }) => prose(source)).join("; ")}.`,
    fields: "A field is required if each row has a value. `source` says what was seen beyond that.",
  };
  return writeDocument(title, kind, entities);
};
