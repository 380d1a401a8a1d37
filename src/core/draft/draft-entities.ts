import { pluralize } from "../model/inflection.ts";
import { findLink, type ObservedTable, type TableLink, wordsOfReference } from "./find-links.ts";
import { createEntityNames, titleEqualsHeader, toFieldName, toWords, wordsOfEntity } from "./names.ts";
import { observeColumns, toPlainHeader } from "./observe-column.ts";
import { MOST_STRAYS } from "./strays.ts";
import { type SheetTable, shorten } from "./table.ts";

export interface DraftField {
  readonly name: string;
  /** `text?`, or the name of an entity. */
  readonly type: string;
  readonly keys: Readonly<Record<string, DraftValue>>;
}

/** The value of a key, before it is text. */
export type DraftValue = string | boolean | number | readonly string[];

/** A rule with the error that it raises. */
export interface DraftRule {
  /** `{ unique: [film, actor], source: … }`, without `else`. */
  readonly keys: Readonly<Record<string, DraftValue>>;
  readonly code: string;
  readonly message: string;
}

export interface DraftEntity {
  readonly name: string;
  readonly source: string;
  /** A description that the source has, such as the comment of a table. */
  readonly about?: string | undefined;
  readonly label: string | undefined;
  readonly fields: readonly DraftField[];
  /** Names of fields for a list: the first ones, and those that identify a record. */
  readonly columns: readonly string[];
  readonly filters: readonly string[];
  /** The order of a list, if the source shows one. */
  readonly sort?: string;
  /** Sentences about cells that were ignored. */
  readonly remarks: readonly string[];
  /** Sentences about what the values do not show. */
  readonly questions: readonly string[];
  readonly rules?: readonly DraftRule[];
  /** The columns of the source that fill its fields; absent if the source has no rows. */
  readonly columnsOfSource?: readonly DraftColumn[];
}

/** A column of a table, and the field that its values fill. */
export interface DraftColumn {
  /** The name of the column, or its header. */
  readonly column: string;
  readonly field: string;
  /** The type in a database; undefined for a spreadsheet. */
  readonly columnType: string | undefined;
  /** The names of choices by the values of the column. */
  readonly choices: ReadonlyMap<string, string> | undefined;
  /** The entity of a reference. */
  readonly target: string | undefined;
  readonly isOptional: boolean;
  readonly isUnique: boolean;
  /** The table whose `column` refers to the `key` of this one, if the values are in several rows of another table. */
  readonly join?: { readonly schema: string; readonly table: string; readonly column: string; readonly key: string };
}

/** More columns make a list hard to read. */
const MOST_COLUMNS = 6;

const nameWords: ReadonlySet<string> = new Set(["name", "title", "subject", "label", "bezeichnung", "titel", "nom"]);

/** Words that name a record after the word for its kind. */
const ownNameWords: ReadonlySet<string> = new Set([...nameWords, "description", "desc"]);

const observeTables = (tables: readonly SheetTable[]): readonly ObservedTable[] => {
  const toEntityName = createEntityNames();
  return tables.map((table) => ({
    entity: toEntityName(table.name),
    table,
    columns: observeColumns(table.columns),
  }));
};

const isText = ({ type }: DraftField): boolean => type === "text" || type === "text?";

/** True for the name of a kind of record in the name of a field: `category_name` and `region_description` of theirs. */
const isNamedAfter = ({ name }: DraftField, entity: string): boolean => {
  const words = name.split("_");
  return words.length > 1 && words.at(-2) === wordsOfEntity(entity).at(-1) && ownNameWords.has(words.at(-1) ?? "");
};

/**
 * A field that contains the name of a record, or of a person. A field that can be empty is one only if it is called
 * a name, or the name of this entity. `isReferred`: others refer to the records, so the number of a row is better than nothing.
 */
export const labelFor = (fields: readonly DraftField[], entity: string, isReferred = false): string | undefined => {
  const texts = fields.filter((field) => isText(field) && !isAlike(field));
  const named = (name: string) => texts.find((field) => field.name === name)?.name;
  const [first, last] = [named("first_name"), named("last_name")];
  if (first !== undefined && last !== undefined) return `{${first}} {${last}}`;
  const required = texts.filter(({ type }) => type === "text");
  const chosen =
    texts.find(({ name }) => nameWords.has(name)) ??
    texts.find((field) => isNamedAfter(field, entity)) ??
    texts.find(({ name }) => name === wordsOfEntity(entity).join("_")) ??
    required.find(({ name }) => nameWords.has(name.split("_").at(-1) ?? "")) ??
    texts.find(({ name }) => nameWords.has(name.split("_")[0] ?? "")) ??
    texts.find(({ keys }) => keys.unique === true) ??
    required[0] ??
    fields.find((field) => isUniqueNumber(field) && !isRowNumber(field)) ??
    (isReferred ? fields.find((field) => isRowNumber(field) || isOwnNumber(field, entity)) : undefined);
  return chosen === undefined ? undefined : `{${chosen.name}}`;
};

/** The label of each entity that has one of its own. */
export type Labels = ReadonlyMap<string, string | undefined>;

/** A record that has no name of its own is called by the records that it connects. */
export const labelOfReferences = (fields: readonly DraftField[], labels: Labels): string | undefined => {
  const parts = fields.flatMap(({ name, type }) => {
    const label = labels.get(type);
    return label === undefined ? [] : [label.replaceAll("{", `{${name}.`)];
  });
  return parts.length === 0 ? undefined : parts.slice(0, 2).join(" – ");
};

/** The label of a record in a sheet: its own name, or that of what it refers to and its first date. */
const labelOfRow = (fields: readonly DraftField[], entity: string, labels: Labels): string | undefined => {
  const day = fields.find(({ type }) => type === "date")?.name;
  const parts = [labelOfReferences(fields, labels), day === undefined ? undefined : `{${day}}`].filter(Boolean);
  return labels.get(entity) ?? (parts.length === 0 ? undefined : parts.join(" – "));
};

/** True for the number of a row in a database, which tells a reader little. */
const isRowNumber = (field: DraftField): boolean =>
  isUniqueNumber(field) && /^(?:primary key|numbered)/u.test(String(field.keys.source ?? ""));

/** `order_id` and `order_no` of an order. */
const isOwnNumber = (field: DraftField, entity: string): boolean =>
  isUniqueNumber(field) && field.name.split("_").at(-2) === wordsOfEntity(entity).at(-1);

/** True for a text that has few values in many rows, or one that the database invents. */
const isAlike = ({ keys }: DraftField): boolean =>
  /different values|(?:numbered|made) by the database/u.test(String(keys.source ?? ""));

const isUniqueNumber = ({ type, keys }: DraftField): boolean => type === "integer" && keys.unique === true;

/** A list on the other side of a reference, such as the loans of a device. */
export interface Incoming {
  readonly from: string;
  readonly field: string;
}

/** Names that a list cannot have: those of fields, and of choices, which expressions name in the same way. */
export const findTakenNames = (fields: readonly DraftField[]): Set<string> =>
  new Set(fields.flatMap(({ name, keys: { values } }) => [name, ...(Array.isArray(values) ? values : [])]));

export const listFor = ({ from, field }: Incoming, taken: ReadonlySet<string>, isOnly: boolean): DraftField => {
  const words = pluralize(wordsOfEntity(from).join(" "));
  const plural = toFieldName(toWords(words), new Set());
  const name = isOnly && !taken.has(plural) ? plural : `${plural}_by_${field}`;
  return { name: toFieldName(toWords(name), taken), type: "", keys: { list: `${from}.${field}` } };
};

/** “Bike no.” of bikes.csv. */
const describeKey = (tables: readonly ObservedTable[], { to, key }: TableLink): string => {
  const table = tables[to]?.table;
  return `“${table?.columns[key]?.header ?? ""}” of ${table?.source ?? ""}`;
};

const linkEvidence = (
  tables: readonly ObservedTable[],
  { values }: SheetTable["columns"][number],
  link: TableLink,
): string => {
  if (link.strays.length === 0) return `each value is a ${describeKey(tables, link)}`;
  const filled = values.filter((value) => value !== "");
  const keys = filled.filter((value) => !link.strays.includes(value));
  return `${keys.length} of ${filled.length} values are a ${describeKey(tables, link)}`;
};

/** B14: “1,5 kg” and 2 more: the cells with values that the type of their column does not have. */
const nameStrays = (tables: readonly ObservedTable[], at: number, column: number): string => {
  const { table, columns } = tables[at] ?? {};
  const { letters = "", values = [] } = table?.columns[column] ?? {};
  const rows = columns?.[column]?.strays ?? [];
  const named = rows
    .slice(0, MOST_STRAYS)
    .map((row) => `${letters}${table?.rowNumbers[row] ?? ""}: “${shorten(values[row] ?? "")}”`);
  const others = rows.length - named.length;
  return `${named.join(", ")}${others === 0 ? "" : ` and ${others} more`}`;
};

const strayEvidence = (tables: readonly ObservedTable[], at: number, column: number): readonly string[] => {
  const { strays = [], filled = 0 } = tables[at]?.columns[column] ?? {};
  if (strays.length === 0) return [];
  const count = filled - strays.length;
  return [`${count} of ${filled} values are numbers, but not ${nameStrays(tables, at, column)}`];
};

/** Asks about the cells of a column of numbers that have none. */
const askAboutNumbers = (tables: readonly ObservedTable[], at: number, column: number): readonly string[] => {
  const { table, columns } = tables[at] ?? {};
  const { strays = [], type = "text" } = columns?.[column] ?? {};
  if (strays.length === 0 || type === "text") return [];
  const [verb, meant] = strays.length === 1 ? ["is", "number that is"] : ["are", "numbers that are"];
  const shown = strays.length === 1 ? "is" : "are";
  return [
    `“${table?.columns[column]?.header ?? ""}” has numbers, but ${nameStrays(tables, at, column)} ${verb} none, so the ${meant} meant there ${shown} not shown.`,
  ];
};

/** Asks about the values of a reference that are no key. */
const askAboutStrays = (
  tables: readonly ObservedTable[],
  { header }: SheetTable["columns"][number],
  link: TableLink | undefined,
): readonly string[] => {
  if (link === undefined || link.strays.length === 0) return [];
  const named = link.strays.slice(0, MOST_STRAYS).map((value) => `“${value}”`);
  const others = link.strays.length - named.length;
  const all = [...named, ...(others === 0 ? [] : [`one of ${others} more values`])].join(" or ");
  return [`No ${describeKey(tables, link)} is ${all}, so the record that “${header}” means there is not shown.`];
};

const fieldOf = (
  tables: readonly ObservedTable[],
  at: number,
  column: number,
  link: TableLink | undefined,
  taken: ReadonlySet<string>,
): DraftField | undefined => {
  const { table, columns } = tables[at] ?? {};
  const [seen, source] = [columns?.[column], table?.columns[column]];
  if (seen === undefined || source === undefined) return undefined;
  const written = source.header;
  const header = link === undefined && seen.type === "money" ? toPlainHeader(written) : written;
  const name = toFieldName(link === undefined ? toWords(header) : wordsOfReference(header), taken);
  const { unique, ...others } = seen.keys;
  const target = link === undefined ? undefined : tables[link.to]?.entity;
  const evidence =
    link === undefined
      ? [...strayEvidence(tables, at, column), ...seen.evidence]
      : [linkEvidence(tables, source, link), ...seen.evidence.filter((part) => part.startsWith("empty"))];
  const optional = seen.type !== "boolean" && seen.filled < (table?.rowNumbers.length ?? 0);
  const keys = target === undefined ? (unique === true ? { unique, ...others } : others) : {};
  return {
    name,
    type: `${target ?? seen.type}${optional ? "?" : ""}`,
    keys: {
      ...(titleEqualsHeader(name, header) || (target !== undefined && titleEqualsHeader(`${name}_id`, header))
        ? {}
        : { title: header }),
      ...keys,
      ...(evidence.length > 0 ? { source: evidence.join(", ") } : {}),
    },
  };
};

export const chooseColumns = (label: string | undefined, fields: readonly DraftField[]): readonly string[] => {
  const inLabel = fields.filter(({ name }) => label?.includes(`{${name}}`) || label?.includes(`{${name}.`));
  const short = fields.filter(
    (field) => !/^long text|^url/u.test(field.type) && !field.name.startsWith("original_") && !isRowNumber(field),
  );
  return [...new Set([...inLabel, ...short].map(({ name }) => name))].slice(0, MOST_COLUMNS);
};

/** Converts related tables to entities with fields, with the evidence for each. */
export const draftEntities = (tables: readonly SheetTable[]): readonly DraftEntity[] => {
  const observed = observeTables(tables);
  const incoming = new Map<string, Incoming[]>();
  const drafted = observed.map(({ entity, table, columns }, at) => {
    const taken = new Set<string>();
    const links = table.columns.map((_, column) => findLink(observed, at, column));
    const fields = table.columns.flatMap((_, column) => {
      const field = fieldOf(observed, at, column, links[column], taken);
      if (field === undefined) return [];
      taken.add(field.name);
      const link = links[column];
      const target = link === undefined ? undefined : observed[link.to]?.entity;
      if (target !== undefined)
        incoming.set(target, [...(incoming.get(target) ?? []), { from: entity, field: field.name }]);
      return [field];
    });
    return { entity, table, columns, fields, links, taken: findTakenNames(fields) };
  });
  const entities = new Set(observed.map(({ entity }) => entity));
  const labels: Labels = new Map(
    drafted.map(({ entity, fields }) => [entity, labelFor(fields, entity, incoming.has(entity))]),
  );
  return drafted.map(({ entity, table, columns, fields, links, taken }, at) => {
    const sources = incoming.get(entity) ?? [];
    const lists = sources.map((source) => {
      const list = listFor(source, taken, sources.filter(({ from }) => from === source.from).length === 1);
      taken.add(list.name);
      return list;
    });
    const label = labelOfRow(fields, entity, labels);
    return {
      name: entity,
      source: `${table.source}, ${table.rowNumbers.length} ${table.rowNumbers.length === 1 ? "row" : "rows"}`,
      label,
      fields: [...fields, ...lists],
      columns: chooseColumns(label, fields),
      filters: fields
        .filter(({ type }) => /^(?:choice|boolean)/u.test(type) || entities.has(type.replace("?", "")))
        .map(({ name }) => name),
      // Rows are imported in the order of the sheet, and new ones follow at its end.
      sort: "created_at",
      remarks: table.remarks,
      questions: columns.flatMap(({ questions }, column) => {
        const source = table.columns[column];
        if (source === undefined) return questions;
        const link = links[column];
        const numbers = link === undefined ? askAboutNumbers(observed, at, column) : [];
        return [...questions, ...numbers, ...askAboutStrays(observed, source, link)];
      }),
      columnsOfSource: fields.map((field, column): DraftColumn => {
        const target = field.type.replace("?", "");
        return {
          column: table.columns[column]?.header ?? "",
          field: field.name,
          columnType: undefined,
          choices: undefined,
          target: entities.has(target) ? target : undefined,
          isOptional: field.type.endsWith("?"),
          isUnique: field.keys.unique === true,
        };
      }),
    };
  });
};
