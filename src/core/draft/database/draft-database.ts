import { builtInErrors } from "../../model/errors.ts";
import { toTitle, withArticle } from "../../model/inflection.ts";
import {
  chooseColumns,
  type DraftEntity,
  type DraftField,
  type DraftRule,
  labelFor,
  listFor,
} from "../draft-entities.ts";
import { wordsOfReference } from "../find-links.ts";
import { saysHeader, toChoiceNames, toEntityName, toFieldName, toWords, wordsOfEntity } from "../names.ts";
import type { DatabaseColumn, DatabaseTable, ForeignKey, SeenColumns } from "./database-table.ts";
import { toFieldType } from "./field-type.ts";
import { type CheckOperator, type CheckPart, parseCheck } from "./parse-check.ts";

/** How a database is drafted. */
export interface DatabaseOptions {
  /** True if rows are imported afterwards: numbers that the database gave them stay, so that references find them. */
  readonly keepsNumbers: boolean;
  readonly seen: SeenColumns;
}

/** Longer checks are quoted in part. */
const LONGEST_CHECK = 1000;
const LONGEST_QUOTE = 160;
const LONGEST_HELP = 500;

/** A table with its name as an entity, and with what its checks say. */
interface NamedTable {
  readonly table: DatabaseTable;
  readonly entity: string;
  readonly parts: readonly { readonly name: string; readonly part: CheckPart }[];
  /** Sentences about constraints that are not drafted. */
  readonly questions: readonly string[];
}

const idOf = ({ schema, name }: Pick<DatabaseTable, "schema" | "name">): string => `${schema}.${name}`;

const quoteSql = (sql: string): string => {
  const line = sql.replaceAll(/\s+/gu, " ");
  return `“${line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE - 1)}…` : line}”`;
};

const notDrafted = (name: string, sql: string): string =>
  `How the constraint “${name}” (${quoteSql(sql)}) applies here is not shown.`;

const nameTables = (tables: readonly DatabaseTable[]): readonly NamedTable[] => {
  const taken = new Set<string>();
  const count = new Map<string, number>();
  for (const { name } of tables) count.set(name, (count.get(name) ?? 0) + 1);
  return tables.map((table) => {
    const isTwice = (count.get(table.name) ?? 0) > 1 && table.schema !== "public";
    const entity = toEntityName(isTwice ? `${table.schema}_${table.name}` : table.name, taken);
    taken.add(entity);
    const all = [
      ...table.checks.map(({ name, sql }) => ({ name, sql })),
      ...table.columns.flatMap(({ name, domainChecks }) =>
        domainChecks.map((sql) => ({ name, sql: sql.replaceAll(/\bVALUE\b/gu, `"${name.replaceAll('"', '""')}"`) })),
      ),
    ];
    const read = all.map((check) => ({
      ...check,
      parts: check.sql.length > LONGEST_CHECK ? undefined : parseCheck(check.sql),
    }));
    return {
      table,
      entity,
      parts: read.flatMap(({ name, parts = [] }) => parts.map((part) => ({ name, part }))),
      questions: [
        ...read.flatMap(({ name, sql, parts }) => (parts === undefined ? [notDrafted(name, sql)] : [])),
        ...table.others.map(({ name, sql }) => notDrafted(name, sql)),
      ],
    };
  });
};

const isMoment = ({ type }: DatabaseColumn): boolean => type.startsWith("timestamp");

/** A column that says only what every record has anyway; the sentence says what. */
const findNeedless = ({ table }: NamedTable, column: DatabaseColumn): string | undefined => {
  const isKey = table.primaryKey.length === 1 && table.primaryKey[0] === column.name;
  if (isKey && column.fill === "numbered" && table.foreignKeys.every(({ columns }) => !columns.includes(column.name)))
    return `“${column.name}” numbers the rows; each record has an id.`;
  if (["created_at", "updated_at"].includes(toWords(column.name).join("_")) && isMoment(column))
    return `“${column.name}” is a time that each record has.`;
  return undefined;
};

const NUMBER = /^\(?'?(-?\d+(?:\.\d+)?)'?\)?(?:::[a-z][\w ]*(?:\(\d+(?:,\d+)?\))?)*$/u;
const TEXT = /^'((?:[^']|'')*)'(?:::[^']*)?$/su;
const NOW =
  /^(?:now\(\)|CURRENT_TIMESTAMP|LOCALTIMESTAMP|statement_timestamp\(\)|transaction_timestamp\(\))(?:\(\d\))?$/u;

/** A default as an expression; undefined if the language has none. */
const toDefault = (sql: string, type: string, choices: ReadonlyMap<string, string> | undefined): string | undefined => {
  const [, text] = TEXT.exec(sql) ?? [];
  if (choices !== undefined) return text === undefined ? undefined : choices.get(text.replaceAll("''", "'"));
  const [, number] = NUMBER.exec(sql) ?? [];
  switch (type) {
    case "boolean":
      return /^(?:true|false)$/u.test(sql) ? sql : undefined;
    case "integer":
    case "decimal":
      return number !== undefined && (type === "decimal" || /^-?\d{1,15}$/u.test(number)) ? number : undefined;
    case "date":
      return NOW.test(sql) || /^(?:CURRENT_DATE|\('now'::text\)::date|now\(\)::date)$/u.test(sql) ? "today" : undefined;
    case "datetime":
      return NOW.test(sql) ? "now" : undefined;
    case "text":
      return text !== undefined && /^[\w .,/-]{1,80}$/u.test(text) ? `'${text}'` : undefined;
    default:
      return undefined;
  }
};

/** A column as a field, with the names of its values if it is a choice. */
interface DraftedColumn {
  readonly column: DatabaseColumn;
  readonly field: DraftField;
  readonly isOptional: boolean;
  /** `integer`, `choice`, or the name of an entity. */
  readonly type: string;
  readonly choices: ReadonlyMap<string, string> | undefined;
}

type Keys = Record<string, string | boolean | number | readonly string[]>;

const whole = /^-?\d{1,15}$/u;
const date = /^\d{4}-\d{2}-\d{2}$/u;

/** The keys that a bound gives a field; undefined if the field cannot have it. */
const toBound = (
  { operator, value }: Extract<CheckPart, { kind: "bound" }>,
  type: string,
): Readonly<Record<string, string | number>> | undefined => {
  const isWhole = type === "integer" && whole.test(value);
  if (!isWhole && !(type === "decimal" && !date.test(value)) && !(type === "date" && date.test(value)))
    return undefined;
  const limit = type === "date" ? value : Number(value);
  if (operator === ">=") return { min: limit };
  if (operator === "<=") return { max: limit };
  if (operator === ">" && isWhole) return { min: Number(value) + 1 };
  if (operator === "<" && isWhole) return { max: Number(value) - 1 };
  return undefined;
};

const toLength = ({ operator, value }: Extract<CheckPart, { kind: "length" }>): Readonly<Record<string, number>> => {
  if (operator === "=") return { min: value, max: value };
  if (operator === ">" || operator === ">=") return { min: operator === ">" ? value + 1 : value };
  return operator === "<>" ? {} : { max: operator === "<" ? value - 1 : value };
};

/** Types whose values cannot be unique together. */
const incomparable: ReadonlySet<string> = new Set(["json", "long text"]);

const operators: Readonly<Record<string, string>> = { "=": "==", "<>": "!=" };

/** Drafts the entities of one database. */
class DatabaseDraft {
  readonly #tables: readonly NamedTable[];
  readonly #options: DatabaseOptions;
  readonly #entities: ReadonlyMap<string, NamedTable>;
  readonly #codes = new Set<string>(Object.keys(builtInErrors));

  constructor(tables: readonly DatabaseTable[], options: DatabaseOptions) {
    this.#tables = nameTables(tables);
    this.#options = options;
    this.#entities = new Map(this.#tables.map((one) => [idOf(one.table), one]));
  }

  draft(): readonly DraftEntity[] {
    const drafted = this.#tables.map((named) => this.#columns(named));
    const incoming = new Map<string, { readonly from: string; readonly field: string }[]>();
    drafted.forEach(({ columns }, at) => {
      for (const { field, type } of columns)
        if (/^[A-Z]/u.test(type))
          incoming.set(type, [
            ...(incoming.get(type) ?? []),
            { from: this.#tables[at]?.entity ?? "", field: field.name },
          ]);
    });
    const labels = new Map(
      this.#tables.map(({ entity }, at) => [entity, labelFor(drafted[at]?.columns.map(({ field }) => field) ?? [])]),
    );
    return this.#tables.flatMap((named, at) => {
      const item = drafted[at];
      if (item === undefined) return [];
      const { columns, remarks, questions } = item;
      const fields = columns.map(({ field }) => field);
      const taken = new Set(fields.map(({ name }) => name));
      const sources = incoming.get(named.entity) ?? [];
      const lists = sources.map((source) => {
        const list = listFor(source, taken, sources.filter(({ from }) => from === source.from).length === 1);
        taken.add(list.name);
        return list;
      });
      const rules = this.#rules(named, columns);
      const label = labels.get(named.entity) ?? labelOfReferences(columns, labels);
      return {
        name: named.entity,
        source: `table ${idOf(named.table)}`,
        about: named.table.comment,
        label,
        fields: [...fields, ...lists],
        columns: chooseColumns(label, fields),
        filters: columns
          .filter(
            ({ type, field }) =>
              (/^(?:choice|boolean)$/u.test(type) || /^[A-Z]/u.test(type)) && field.keys.many !== true,
          )
          .map(({ field }) => field.name),
        remarks,
        questions: [...questions, ...named.questions, ...rules.questions],
        rules: rules.rules,
        columnsOfSource: columns.map(({ column, field, type, choices, isOptional }) => ({
          column: column.name,
          field: field.name,
          columnType: column.type,
          choices,
          target: /^[A-Z]/u.test(type) ? type : undefined,
          isOptional,
          isUnique: field.keys.unique === true,
        })),
      };
    });
  }

  #columns(named: NamedTable): {
    readonly columns: readonly DraftedColumn[];
    readonly remarks: readonly string[];
    readonly questions: readonly string[];
  } {
    const { table } = named;
    const [columns, remarks, questions]: [DraftedColumn[], string[], string[]] = [[], [], []];
    const taken = new Set<string>();
    for (const { columns: own, toColumns, to, name } of table.foreignKeys) {
      if (own.length > 1)
        questions.push(
          `The reference of ${own.map((item) => `“${item}”`).join(" and ")} to ${to} (${name}, ${toColumns.join(", ")}) has several columns, and its field is not shown.`,
        );
      else if (!this.#entities.has(to)) questions.push(`The table ${to} of “${own.join()}” is not shown.`);
    }
    for (const column of table.columns) {
      const needless = this.#options.keepsNumbers ? undefined : findNeedless(named, column);
      if (needless !== undefined) {
        remarks.push(needless);
        continue;
      }
      const drafted = this.#field(named, column, taken, questions);
      if (drafted === undefined) {
        remarks.push(
          column.fill === "generated"
            ? `“${column.name}” is computed in the database: ${quoteSql(column.default ?? "")}.`
            : `“${column.name}” has the type ${column.type}, which no field has.`,
        );
        continue;
      }
      taken.add(drafted.field.name);
      columns.push(drafted);
    }
    return { columns, remarks, questions };
  }

  #reference({ table }: NamedTable, column: string): { readonly key: ForeignKey; readonly entity: string } | undefined {
    const key = table.foreignKeys.find(
      ({ columns, to }) => columns.length === 1 && columns[0] === column && this.#entities.has(to),
    );
    const entity = key === undefined ? undefined : this.#entities.get(key.to)?.entity;
    return key === undefined || entity === undefined ? undefined : { key, entity };
  }

  #field(
    named: NamedTable,
    column: DatabaseColumn,
    taken: ReadonlySet<string>,
    questions: string[],
  ): DraftedColumn | undefined {
    if (column.fill === "generated") return undefined;
    const { table } = named;
    const reference = this.#reference(named, column.name);
    const evidence: string[] = [];
    const keys: Keys = {};
    const isPrimary = table.primaryKey.length === 1 && table.primaryKey[0] === column.name;
    const unique = table.unique.find(({ columns }) => columns.length === 1 && columns[0] === column.name);
    const key = isPrimary ? "primary key" : unique?.name;

    if (reference !== undefined) {
      if (key !== undefined) keys.unique = true;
      evidence.push(
        `foreign key to ${reference.key.to}`,
        ...(key === undefined ? [] : [isPrimary ? key : `unique by ${key}`]),
      );
      return this.#finish(column, taken, {
        type: reference.entity,
        keys,
        evidence,
        choices: undefined,
        isOptional: !column.isRequired,
      });
    }

    const own = named.parts.flatMap(({ name, part }) =>
      part.kind !== "columns" && part.column === column.name ? [{ name, part }] : [],
    );
    const listed = own.flatMap(({ part }) => (part.kind === "values" ? [part.values] : []))[0];
    const base = column.labels === undefined ? toFieldType(column.type, column.name) : undefined;
    const labels = column.labels ?? (base?.type === "text" ? listed : undefined);
    if (base === undefined && labels === undefined) return undefined;
    const seen = this.#options.seen.get(`${idOf(table)}.${column.name}`);
    let isOptional = !column.isRequired || (isPrimary && column.fill === "numbered");
    if (base?.question !== undefined) questions.push(base.question);

    const choices = labels === undefined || labels.length === 0 ? undefined : toChoiceNames(labels);
    const isMany = column.type.endsWith("[]");
    if (choices !== undefined) {
      keys.values = [...choices.values()];
      const others = [...choices].filter(([label, name]) => toTitle(name) !== label && name !== label);
      evidence.push(
        column.labels === undefined ? "the values of a check" : `type ${column.type.replaceAll(/[[\]"]/gu, "")}`,
        ...others.map(([label, name]) => `${name} is “${label}”`),
      );
    }
    const isLong = base?.type === "text" && seen?.isLong === true;
    const type = choices !== undefined ? "choice" : isLong ? "long text" : (base?.type ?? "text");
    if (isMany) keys.many = true;
    if (choices === undefined && base?.max !== undefined && /text$/u.test(type)) keys.max = base.max;
    if (seen !== undefined && seen.empty > 0 && !isOptional) {
      isOptional = true;
      evidence.push(`empty in ${seen.empty} of ${seen.rows} rows`);
    }
    if (type === "boolean" && isOptional)
      questions.push(`What a row without a value in “${column.name}” means is not shown.`);
    for (const { name, part } of own) {
      const more =
        part.kind === "bound"
          ? toBound(part, type)
          : part.kind === "length" && type === "text"
            ? toLength(part)
            : undefined;
      if (more === undefined) continue;
      Object.assign(keys, more);
      if (!evidence.includes(`check ${name}`)) evidence.push(`check ${name}`);
    }
    if (key !== undefined && !isMany && type !== "boolean" && !incomparable.has(type)) {
      keys.unique = true;
      if (unique?.missingIsSame === true && isOptional) keys.missing = "same";
      evidence.push(isPrimary ? key : `unique by ${key}`);
    }
    if (column.fill === "numbered") evidence.push("numbered by the database");
    else if (column.default !== undefined && !isMany && !/^NULL\b/u.test(column.default)) {
      const value = toDefault(column.default, type, choices);
      if (value === undefined) evidence.push(`its default is ${quoteSql(column.default)}`);
      else if (value !== "false") keys.default = value;
    }
    return this.#finish(column, taken, { type, keys, evidence, choices, isOptional: isOptional && type !== "boolean" });
  }

  #finish(
    column: DatabaseColumn,
    taken: ReadonlySet<string>,
    {
      type,
      keys,
      evidence,
      choices,
      isOptional,
    }: {
      type: string;
      keys: Keys;
      evidence: readonly string[];
      choices: ReadonlyMap<string, string> | undefined;
      isOptional: boolean;
    },
  ): DraftedColumn {
    const isReference = /^[A-Z]/u.test(type);
    const words = isReference ? wordsOfReference(column.name) : toWords(column.name);
    const plain = toFieldName(words, taken);
    // `user_id` cannot be called “user”: it has the name of its entity.
    const name = isReference && plain.startsWith("original_") ? toFieldName(wordsOfEntity(type), taken) : plain;
    const help = column.comment?.replaceAll(/\s+/gu, " ").trim() ?? "";
    const isSaid = saysHeader(name, column.name) || (isReference && saysHeader(`${name}_id`, column.name));
    return {
      column,
      type,
      choices,
      isOptional,
      field: {
        name,
        type: `${type}${isOptional ? "?" : ""}`,
        keys: {
          ...(isSaid || isReference ? {} : { title: column.name }),
          ...(help === "" || help.length > LONGEST_HELP ? {} : { help }),
          ...keys,
          ...(evidence.length === 0 ? {} : { source: evidence.join(", ") }),
        },
      },
    };
  }

  #code(words: string): string {
    const plain = /^[A-Z]/u.test(words) ? words : `RULE_${words}`;
    for (let count = 1; ; count++) {
      const code = count === 1 ? plain.slice(0, 56) : `${plain.slice(0, 56)}_${count}`;
      if (this.#codes.has(code)) continue;
      this.#codes.add(code);
      return code;
    }
  }

  /** Unique combinations and conditions between fields. */
  #rules(
    { table, entity, parts }: NamedTable,
    columns: readonly DraftedColumn[],
  ): { readonly rules: readonly DraftRule[]; readonly questions: readonly string[] } {
    const rules: DraftRule[] = [];
    const questions: string[] = [];
    const find = (name: string) => columns.find(({ column }) => column.name === name);
    const words = wordsOfEntity(entity);
    const title = (name: string) => toTitle(name).toLowerCase();
    const keys = [
      ...(table.primaryKey.length > 1
        ? [{ name: "primary key", columns: table.primaryKey, missingIsSame: false }]
        : []),
      ...table.unique.filter((databaseKey) => databaseKey.columns.length > 1),
    ];
    for (const { name, columns: own, missingIsSame } of keys) {
      const found = own.flatMap((item) => find(item) ?? []);
      if (
        found.length < own.length ||
        found.some(({ field, type }) => field.keys.many === true || incomparable.has(type))
      ) {
        questions.push(`How “${name}” (${own.join(", ")}) applies here is not shown.`);
        continue;
      }
      const names = found.map(({ field }) => field.name);
      rules.push({
        keys: {
          unique: names,
          ...(missingIsSame ? { missing: "same" } : {}),
          source: name === "primary key" ? name : `unique by ${name}`,
        },
        code: this.#code(`${words.join("_").toUpperCase()}_EXISTS`),
        message: `There is already ${withArticle(words.join(" "))} with the same ${names.map(title).join(" and ")}.`,
      });
    }
    for (const { name, part } of parts) {
      if (part.kind === "columns") {
        const [left, right] = [find(part.left), find(part.right)];
        const isComparable =
          left !== undefined &&
          right !== undefined &&
          left.type === right.type &&
          left !== right &&
          ["integer", "decimal", "date", "datetime", "time", "text"].includes(left.type) &&
          left.field.keys.many !== true &&
          right.field.keys.many !== true;
        if (!isComparable) questions.push(notDrafted(name, `${part.left} ${part.operator} ${part.right}`));
        else this.#compare(rules, name, [left, right], part.operator);
        continue;
      }
      const draftedColumn = find(part.column);
      if (draftedColumn === undefined) continue;
      if (part.kind === "bound" && toBound(part, draftedColumn.type) === undefined) {
        const value = draftedColumn.type === "decimal" || (draftedColumn.type === "integer" && whole.test(part.value));
        if (!value) questions.push(notDrafted(name, `${part.column} ${part.operator} ${part.value}`));
        else
          rules.push({
            keys: {
              rule: `${draftedColumn.field.name} ${operators[part.operator] ?? part.operator} ${part.value}`,
              ...(draftedColumn.isOptional ? { when: `${draftedColumn.field.name} != null` } : {}),
              source: `check ${name}`,
            },
            code: this.#code(toWords(name).join("_").toUpperCase()),
            message: `${toTitle(draftedColumn.field.name)} must be ${sayNumbers[part.operator]} ${part.value}.`,
          });
      } else if (
        (part.kind === "length" && draftedColumn.type !== "text") ||
        (part.kind === "values" && draftedColumn.type !== "choice")
      )
        questions.push(`How the check “${name}” of “${part.column}” applies here is not shown.`);
    }
    return { rules, questions };
  }

  #compare(
    rules: DraftRule[],
    name: string,
    [left, right]: readonly [DraftedColumn, DraftedColumn],
    operator: CheckOperator,
  ): void {
    const guards = [left, right].flatMap(({ isOptional, field }) => (isOptional ? [`${field.name} != null`] : []));
    const isTime = /^(?:date|time)/u.test(left.type);
    rules.push({
      keys: {
        rule: `${left.field.name} ${operators[operator] ?? operator} ${right.field.name}`,
        ...(guards.length === 0 ? {} : { when: guards.join(" && ") }),
        source: `check ${name}`,
      },
      code: this.#code(toWords(name).join("_").toUpperCase()),
      message: `${toTitle(left.field.name)} must ${isTime ? sayTimes[operator] : `be ${sayNumbers[operator]}`} ${toTitle(right.field.name).toLowerCase()}.`,
    });
  }
}

const sayNumbers: Readonly<Record<CheckOperator, string>> = {
  "<": "less than",
  "<=": "at most",
  ">": "greater than",
  ">=": "at least",
  "=": "equal to",
  "<>": "different from",
};

const sayTimes: Readonly<Record<CheckOperator, string>> = {
  "<": "be before",
  "<=": "not be after",
  ">": "be after",
  ">=": "not be before",
  "=": "be the same as",
  "<>": "differ from",
};

/** A record that has no name of its own is called by the records that it connects. */
const labelOfReferences = (
  columns: readonly DraftedColumn[],
  labels: ReadonlyMap<string, string | undefined>,
): string | undefined => {
  const parts = columns.flatMap(({ field, type, isOptional }) => {
    const [, inner] = /^\{(\w+)\}/u.exec(labels.get(type) ?? "") ?? [];
    return inner === undefined || isOptional ? [] : [`{${field.name}.${inner}}`];
  });
  return parts.length === 0 ? undefined : parts.slice(0, 2).join(" – ");
};

/** Tables of a database → entities with fields and rules, each with the constraint that shows it. */
export const draftDatabase = (tables: readonly DatabaseTable[], options: DatabaseOptions): readonly DraftEntity[] =>
  new DatabaseDraft(tables, options).draft();
