import { toTitle } from "../../model/inflection.ts";
import { isReservedField } from "../../sections/entities/reserved-names.ts";
import type { DraftField } from "../draft-entities.ts";
import { wordsOfReference } from "../find-links.ts";
import { titleEqualsHeader, toChoiceNames, toFieldName, toWords, wordsOfEntity } from "../names.ts";
import { isProse, isSecret, isWriteTime } from "../telling-names.ts";
import type { DatabaseColumn, ForeignKey, SeenColumns } from "./database-table.ts";
import { toBound, toLength } from "./field-bounds.ts";
import { toFieldType } from "./field-type.ts";
import { isGeneratedId, isWrittenNow, type MostRows } from "./join-tables.ts";
import { idOf, type NamedTable, quoteSql, type TablesById } from "./name-tables.ts";
import type { CheckPart } from "./parse-check.ts";
import { toDefault } from "./to-default.ts";

/** How a database is drafted. */
export interface DatabaseOptions {
  /** True if rows are imported afterwards: numbers that the database gave them stay, so that references find them. */
  readonly keepsNumbers: boolean;
  readonly seen: SeenColumns;
  /** Facts about tables that connect two others. */
  readonly most: MostRows;
}

/** A column as a field, with the names of its values if it is a choice. */
export interface DraftedColumn {
  readonly column: DatabaseColumn;
  readonly field: DraftField;
  readonly isOptional: boolean;
  /** `integer`, `choice`, or the name of an entity. */
  readonly type: string;
  readonly choices: ReadonlyMap<string, string> | undefined;
}

/** The columns of a table as fields, and sentences about those that have none. */
export interface DraftedColumns {
  readonly columns: readonly DraftedColumn[];
  readonly remarks: readonly string[];
  readonly questions: readonly string[];
}

/** True if the type of a drafted field is an entity. */
export const isEntityName = (type: string): boolean => /^[A-Z]/u.test(type);

/** Types whose values cannot be unique together. */
export const INCOMPARABLE: ReadonlySet<string> = new Set(["json", "long text"]);

const LONGEST_HELP = 500;

/** Longer texts explain a code rather than name it. */
const LONGEST_MEANING = 40;

/** Drafts the columns of a table. */
export const draftColumns = (named: NamedTable, tables: TablesById, options: DatabaseOptions): DraftedColumns => {
  const columns: DraftedColumn[] = [];
  const remarks: string[] = [];
  const questions = [...askAboutForeignKeys(named, tables)];
  const taken = new Set<string>();
  for (const column of named.table.columns) {
    // References find their records by the numbers that are kept. Others would only be mistaken for them.
    const isMade = column.fill === "numbered" || isGeneratedId(column);
    const isKept = options.keepsNumbers && (!isMade || isReferred(named, column, tables));
    const needless = describeSecret(column) ?? (isKept ? undefined : findNeedless(named, column));
    const type = needless === undefined ? draftType(named, column, tables, options) : undefined;
    if (type === undefined) {
      remarks.push(needless ?? describeUndrafted(column));
      continue;
    }
    questions.push(...type.questions);
    const drafted = nameColumn(named.spell(column.name), column, type, taken);
    taken.add(drafted.field.name);
    columns.push(drafted);
  }
  return { columns, remarks, questions };
};

const isReferred = ({ table }: NamedTable, { name }: DatabaseColumn, tables: TablesById): boolean =>
  [...tables.values()].some((other) =>
    other.table.foreignKeys.some(({ to, toColumns }) => to === idOf(table) && toColumns.includes(name)),
  );

/** Questions about foreign keys that become no reference. */
const askAboutForeignKeys = ({ table }: NamedTable, tables: TablesById): readonly string[] =>
  table.foreignKeys.flatMap(({ columns, toColumns, to, name }) => {
    if (columns.length > 1)
      return [
        `The reference of ${columns.map((column) => `“${column}”`).join(" and ")} to ${to} (${name}, ${toColumns.join(", ")}) has several columns, and its field is not shown.`,
      ];
    return tables.has(to) ? [] : [`The table ${to} of “${columns.join()}” is not shown.`];
  });

/** A sentence about a column that repeats data that every record has anyway; undefined for any other. */
const findNeedless = (named: NamedTable, column: DatabaseColumn): string | undefined => {
  const { table } = named;
  const isFree = table.foreignKeys.every(({ columns }) => !columns.includes(column.name));
  const isKey = findUniqueKey(named, column.name) !== undefined || table.primaryKey.includes(column.name);
  if (column.fill === "numbered" && isFree && isKey) return `“${column.name}” numbers the rows; each record has an id.`;
  if (isFree && isGeneratedId(column))
    return `“${column.name}” is an id that the database makes; each record has an id.`;
  const spelled = named.spell(column.name);
  const words = toWords(spelled).join("_");
  const isTime = column.type.startsWith("timestamp");
  if (isTime && (/^(?:created|updated)_at$/u.test(words) || (isWriteTime(spelled) && isWrittenNow(column))))
    return `“${column.name}” is a time that each record has.`;
  return undefined;
};

const describeSecret = ({ name, type }: DatabaseColumn): string | undefined =>
  isSecret(name) && /^(?:text|character|bytea)/u.test(type) ? `“${name}” is a password, or a part of one.` : undefined;

const describeUndrafted = (column: DatabaseColumn): string =>
  column.fill === "generated"
    ? `“${column.name}” is computed in the database: ${quoteSql(column.default ?? "")}.`
    : `“${column.name}” has the type ${column.type}, which no field has.`;

type Keys = Record<string, string | boolean | number | readonly string[]>;

/** The type and keys of a field, with the evidence for them. */
interface DraftedType {
  readonly type: string;
  readonly keys: Keys;
  readonly evidence: readonly string[];
  readonly choices: ReadonlyMap<string, string> | undefined;
  readonly isOptional: boolean;
  readonly questions: readonly string[];
}

/** Undefined if no field can hold the values of the column. */
const draftType = (
  named: NamedTable,
  column: DatabaseColumn,
  tables: TablesById,
  options: DatabaseOptions,
): DraftedType | undefined => {
  if (column.fill === "generated") return undefined;
  const reference = findReference(named, column.name, tables);
  return reference === undefined
    ? draftValueType(named, column, options)
    : draftReferenceType(named, column, reference);
};

interface Reference {
  readonly key: ForeignKey;
  readonly entity: string;
}

const findReference = ({ table }: NamedTable, column: string, tables: TablesById): Reference | undefined => {
  const key = table.foreignKeys.find(
    ({ columns, to }) => columns.length === 1 && columns[0] === column && tables.has(to),
  );
  const entity = key === undefined ? undefined : tables.get(key.to)?.entity;
  return key === undefined || entity === undefined ? undefined : { key, entity };
};

/** The constraint that makes the values of a column unique. */
const findUniqueKey = ({ table }: NamedTable, column: string) => {
  const unique = table.unique.find(({ columns }) => columns.length === 1 && columns[0] === column);
  const isPrimary = table.primaryKey.length === 1 && table.primaryKey[0] === column;
  if (!isPrimary && unique === undefined) return undefined;
  return {
    isPrimary,
    missingIsSame: unique?.missingIsSame === true,
    evidence: isPrimary ? "primary key" : `unique by ${unique?.name}`,
  };
};

const draftReferenceType = (named: NamedTable, column: DatabaseColumn, { key, entity }: Reference): DraftedType => {
  const unique = findUniqueKey(named, column.name);
  return {
    type: entity,
    keys: unique === undefined ? {} : { unique: true },
    evidence: [`foreign key to ${key.to}`, ...(unique === undefined ? [] : [unique.evidence])],
    choices: undefined,
    isOptional: !column.isRequired,
    questions: [],
  };
};

const draftValueType = (
  named: NamedTable,
  column: DatabaseColumn,
  options: DatabaseOptions,
): DraftedType | undefined => {
  const checks = named.parts.flatMap(({ name, part }) =>
    part.kind !== "columns" && part.column === column.name ? [{ name, part }] : [],
  );
  const [listed] = checks.flatMap(({ part }) => (part.kind === "values" ? [part.values] : []));
  const base = column.labels === undefined ? toFieldType(column.type, column.name) : undefined;
  const labels = column.labels ?? (base?.type === "text" ? listed : undefined);
  if (base === undefined && labels === undefined) return undefined;

  const seen = options.seen.get(`${idOf(named.table)}.${column.name}`);
  const unique = findUniqueKey(named, column.name);
  const choices =
    base?.type === "integer"
      ? nameMeanings(codesIn(checks), column.comment)
      : labels === undefined || labels.length === 0
        ? undefined
        : (nameMeanings(labels, column.comment) ?? toChoiceNames(labels));
  const isMany = column.type.endsWith("[]");
  const form = /^(?:text|datetime)$/u.test(base?.type ?? "") && !isMany ? seen?.form : undefined;
  const isUnlimited = base?.type === "text" && base.max === undefined && unique === undefined && !isMany;
  const isLong =
    base?.type === "text" &&
    (seen?.isLong === true ||
      (isUnlimited &&
        isProse(
          named.spell(column.name),
          named.table.columns.map(({ name }) => named.spell(name)),
        )));
  const type = choices !== undefined ? "choice" : (form ?? (isLong ? "long text" : (base?.type ?? "text")));
  const keys: Keys = {};
  const evidence: string[] = form === undefined ? [] : [evidenceOfForms[form]];
  const questions = base?.question === undefined ? [] : [base.question];

  if (choices !== undefined) {
    keys.values = [...choices.values()];
    evidence.push(...evidenceOfChoices(column, choices));
  }
  if (isMany) keys.many = true;
  if (choices === undefined && base?.max !== undefined && /text$/u.test(type)) keys.max = base.max;

  let isOptional =
    !column.isRequired || (unique?.isPrimary === true && (column.fill === "numbered" || isGeneratedId(column)));
  if (seen !== undefined && seen.empty > 0 && !isOptional) {
    isOptional = true;
    evidence.push(`empty in ${seen.empty} of ${seen.rows} rows`);
  }
  if (type === "boolean" && isOptional)
    questions.push(`What a row without a value in “${column.name}” means is not shown.`);

  for (const { name, part } of checks) {
    const bounds = boundsFrom(part, type);
    if (bounds === undefined) continue;
    Object.assign(keys, bounds);
    if (!evidence.includes(`check ${name}`)) evidence.push(`check ${name}`);
  }

  if (unique !== undefined && !isMany && type !== "boolean" && !INCOMPARABLE.has(type)) {
    keys.unique = true;
    if (unique.missingIsSame && isOptional) keys.missing = "same";
    evidence.push(unique.evidence);
  }
  if (column.fill === "numbered") evidence.push("numbered by the database");
  else if (isGeneratedId(column)) evidence.push("made by the database");
  else if (column.default !== undefined && !isMany && !/^NULL\b/u.test(column.default)) {
    const value = toDefault(column.default, type, choices);
    if (value === undefined) evidence.push(`its default is ${quoteSql(column.default)}`);
    else if (value !== "false") keys.default = value;
  }
  return { type, keys, evidence, choices, isOptional: isOptional && type !== "boolean", questions };
};

const evidenceOfForms = {
  email: "each text is an email address",
  url: "each text is a URL",
  date: "each time is midnight",
} as const;

/** The words that a comment gives a code: “Married” for `M` in “M = Married, S = Single”. Empty if there are none or too many. */
const meaningIn = (comment: string, code: string): string => {
  if (!/^\w+$/u.test(code)) return "";
  const [, meaning = ""] = new RegExp(`(?<!\\w)${code} ?[=:] ?([^,;.=:]+)(?:[,;.]|$)`, "u").exec(comment) ?? [];
  const words = toWords(meaning).join(" ");
  return words.length > LONGEST_MEANING ? "" : words;
};

/** Names of choices by the values of a column, if a comment gives each of these a meaning of its own. */
const nameMeanings = (values: readonly string[], comment = ""): ReadonlyMap<string, string> | undefined => {
  const meanings = values.map((value) => meaningIn(comment, value));
  if (values.length < 2 || meanings.includes("") || new Set(meanings).size < values.length) return undefined;
  const names = toChoiceNames(meanings);
  return new Map(values.map((value, at) => [value, names.get(meanings[at] ?? "") ?? value]));
};

/** More whole numbers are hardly codes. */
const MOST_CODES = 20;

/** The whole numbers that the checks of a column allow, if these are few. */
const codesIn = (checks: readonly { readonly part: CheckPart }[]): readonly string[] => {
  const bounds = checks.flatMap(({ part }) => (part.kind === "bound" ? [toBound(part, "integer")] : []));
  const [min] = bounds.flatMap((bound) => bound?.min ?? []);
  const [max] = bounds.flatMap((bound) => bound?.max ?? []);
  if (typeof min !== "number" || typeof max !== "number" || max < min || max - min >= MOST_CODES) return [];
  return Array.from({ length: max - min + 1 }, (_, at) => String(min + at));
};

const evidenceOfChoices = (column: DatabaseColumn, choices: ReadonlyMap<string, string>): readonly string[] => [
  column.labels === undefined ? "the values of a check" : `type ${column.type.replaceAll(/[[\]"]/gu, "")}`,
  ...[...choices]
    .filter(([label, name]) => toTitle(name) !== label && name !== label)
    .map(([label, name]) => `${name} is “${label}”`),
];

const boundsFrom = (part: CheckPart, type: string) => {
  if (part.kind === "bound") return toBound(part, type);
  return part.kind === "length" && type === "text" ? toLength(part) : undefined;
};

/** Words for a reference. In small letters without a separator, a key is recognised by its entity: `countrycode` → country. */
const wordsOfForeignKey = (column: string, entity: string): readonly string[] => {
  const words = wordsOfReference(column);
  const [only = "", ...more] = words;
  if (more.length > 0) return words;
  const own = wordsOfEntity(entity);
  if (/^(?:id|code|no|nr|key)$/u.test(only.slice(own.join("").length)) && only.startsWith(own.join(""))) return own;
  return only.length > 4 && only.endsWith("id") ? [only.slice(0, -2)] : words;
};

/** The sentences of a comment that tell people something: “Foreign key to Product.ProductID.” does not. */
const helpFrom = (comment = ""): string =>
  comment
    .replaceAll(/\s+/gu, " ")
    .split(/(?<=[.!?]) /u)
    .filter((sentence) => !/^(?:primary|foreign) key\b/iu.test(sentence.trim()))
    .join(" ")
    .trim();

/** A column under the name of its field, with its title, help and evidence. `spelled`: its name in words. */
const nameColumn = (
  spelled: string,
  column: DatabaseColumn,
  { type, keys, evidence, choices, isOptional }: DraftedType,
  taken: ReadonlySet<string>,
): DraftedColumn => {
  const isReference = isEntityName(type);
  const words = isReference ? wordsOfForeignKey(spelled, type) : toWords(spelled);
  // `user_id` cannot be called “user”: it has the name of its entity.
  const isReserved = isReference && isReservedField(words.join("_"));
  const name = toFieldName(isReserved ? wordsOfEntity(type) : words, taken);
  const help = helpFrom(column.comment);
  const isSaid = titleEqualsHeader(name, spelled) || (isReference && titleEqualsHeader(`${name}_id`, spelled));
  return {
    column,
    type,
    choices,
    isOptional,
    field: {
      name,
      type: `${type}${isOptional ? "?" : ""}`,
      keys: {
        ...(isSaid || isReference ? {} : { title: spelled }),
        ...(help === "" || help.length > LONGEST_HELP ? {} : { help }),
        ...keys,
        ...(evidence.length === 0 ? {} : { source: evidence.join(", ") }),
      },
    },
  };
};
