import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { isSortedBy, LABEL_KEY } from "../../../core/derive/http/list-capabilities.ts";
import { readingOrder } from "../../../core/derive/sql/reading-order.ts";
import { hasSortValue, sortValue } from "../../../core/derive/sql/sort-value.ts";
import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { postgresType } from "../../../core/expression/values/value-kinds.ts";
import type { FieldKind } from "../../../core/field/kind.ts";
import { fieldKinds } from "../../../core/field/kinds.ts";
import { getFieldKind } from "../../../core/field/multi-valued.ts";
import { isId } from "../../../core/field/reference.ts";
import { type Field, isPlainColumn, isStored } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Past } from "../../../core/model/renaming.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { badQuery, type Refusal } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import { asValue, type ResultColumn, resultColumn } from "../result-columns.ts";
import { readableFieldName, renamedText } from "../row/former-names.ts";
import { labelSortValues, type SortValue } from "../row/labels.ts";
import { type ColumnMask, readScope } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";

/** A sort key of a list. A reference has several: the parts of the label, and the reference. */
export interface SortKey {
  readonly column: Sql;
  /** The Postgres type of the column, and the check of its text in a page token. */
  readonly type: string;
  readonly isKey: (text: string) => boolean;
  /** The table expression that the column is read from, beside the rows of the list. */
  readonly join?: Sql;
  /** True if the column is computed where its row is read, and named there. */
  readonly isRowValue: boolean;
  readonly name: string;
  readonly isDescending: boolean;
  readonly missing: boolean;
  /** True if every response contains the value under this name. */
  readonly isInResponse: boolean;
}

/** The reader whose view of other records decides about the order by their labels. */
export interface ListReader {
  readonly model: Model;
  readonly principal: Principal;
}

/** The column of a page that has a key's value for the cursor. */
export const cursorColumn = ({ isInResponse, name }: SortKey, i: number): ResultColumn<unknown> =>
  isInResponse ? resultColumn(name, asValue) : sortColumn(i);

/** The column of a sort key that responses do not contain. */
export const sortColumn = (nth: number): ResultColumn<unknown> => resultColumn(`sort:${nth}`, asValue);

/**
 * Parses a sort order and appends the id in the direction of the first key, so that the order is total and one index
 * serves it.
 */
export const findSortKeys = (
  reader: ListReader,
  scope: ColumnMask,
  sort: readonly string[],
  past: Past = [],
): readonly SortKey[] | Refusal => {
  const keys: SortKey[] = [];
  for (const written of sort) {
    const isDescending = written.startsWith("-");
    const name = isDescending ? written.slice(1) : written;
    const found = keysOf(reader, scope, name, isDescending, keys.length);
    if (found === undefined) return badQuery(...renamedText("SORT", name, readableFieldName(past, scope, name)));
    keys.push(...found);
  }
  const isDescending = keys[0]?.isDescending ?? true;
  const id = { column: sql`${TABLE}."id"`, type: "uuid", isKey: isId };
  return [...keys, { ...id, name: "id", isDescending, missing: false, isInResponse: true, isRowValue: false }];
};

const keysOf = (
  reader: ListReader,
  scope: ColumnMask,
  name: string,
  isDescending: boolean,
  nth: number,
): readonly SortKey[] | undefined => {
  if (name === LABEL_KEY) {
    const values = labelSortValues(reader.model, scope.entity, reader.principal, TABLE.alias);
    return toLabelKeys(values, (i) => values[i]?.value ?? sql`NULL`, { name, isDescending });
  }
  if (name === "created_at" || name === "updated_at") {
    const isKey = getKeyCheck(fieldKinds.datetime);
    const column = sql`${TABLE}.${identifier(name)}`;
    return [
      { column, type: "timestamptz", isKey, name, isDescending, missing: false, isInResponse: true, isRowValue: false },
    ];
  }
  const field = scope.fields.find((candidate) => candidate.name === name);
  const column = scope.column(name);
  if (field === undefined || column === undefined || !isSortedBy(field)) return undefined;
  const isConditional = scope.visibleWhen(name) !== undefined;
  const common = { name, isDescending, isRowValue: isConditional };
  if (field.type === "reference") return referenceKeys(reader, field, column, common, nth);
  const missing = field.optional || !isPlainColumn(field) || isConditional;
  if (hasSortValue(field)) {
    const { type, kind } = sortValueType(field);
    return [
      {
        ...common,
        column: sortValue(field, column, readingOrder(reader.model.locale)),
        type,
        isKey: getKeyCheck(kind),
        missing: missing || field.many,
        isInResponse: false,
      },
    ];
  }
  const type = typeOfColumn(field);
  const isResponseValue = type !== "text" || isStored(field);
  return [
    {
      ...common,
      column: sortValue(field, column, readingOrder(reader.model.locale)),
      type,
      isKey: getKeyCheck(getFieldKind(field)),
      missing,
      isInResponse: isResponseValue && !isConditional,
    },
  ];
};

/** The Postgres type of `sortValue`, and the field type of its values in page tokens. */
const sortValueType = (field: Field): { readonly type: string; readonly kind: FieldKind } => {
  if (field.values.length > 0) return { type: "integer", kind: fieldKinds.position };
  const type = typeOfColumn(field).replace(/\[\]$/u, "");
  return type === "jsonb" ? { type: "text", kind: fieldKinds.text } : { type, kind: fieldKinds[field.type] };
};

/** Maximum number of values of a label that decide the order. */
const MOST_PARTS = 8;

/**
 * The keys of a reference: the values of the label as the reader sees it, each in its own order, then the record. Records
 * that the reader cannot see come last, like missing values.
 */
const referenceKeys = (
  { model, principal }: ListReader,
  field: Field,
  column: Sql,
  { name, isDescending }: Pick<SortKey, "name" | "isDescending">,
  nth: number,
): readonly SortKey[] => {
  const target = model.entities.get(field.entity ?? "");
  if (target === undefined) throw new Error(`no entity ${field.entity}`);
  const alias = `sort:${nth}`;
  const id = field.many ? sql`(${column})[1]` : column;
  const parts = labelSortValues(model, target, principal, alias).slice(0, MOST_PARTS);
  const one = identifier(alias);
  const rows = identifier(`${alias}:label`);
  const { rows: seen } = readScope(model, target, principal, alias);
  const visible = seen === undefined ? sql`` : sql` AND (${seen})`;
  const columns = parts.map(({ value }, i) => sql`${value} AS ${identifier(`part:${i}`)}`);
  const labels = sql` LEFT JOIN LATERAL (SELECT ${join([sql`${one}."id"`, ...columns], ", ")} FROM ${tableSql(target)} AS ${one} WHERE ${one}."id" = ${id}${visible}) AS ${rows} ON TRUE`;
  const common = { name, isDescending, missing: true, isInResponse: false, isRowValue: true };
  const keys = toLabelKeys(parts, (i) => sql`${rows}.${identifier(`part:${i}`)}`, common);
  // One of them brings the table expression of all.
  return [...keys, { ...common, join: labels, column: sql`${rows}."id"`, type: "uuid", isKey: isId }];
};

const toLabelKeys = (
  parts: readonly SortValue[],
  column: (nth: number) => Sql,
  { name, isDescending }: Pick<SortKey, "name" | "isDescending">,
): readonly SortKey[] =>
  parts.slice(0, MOST_PARTS).map(({ type }, i) => ({
    ...{ name, isDescending, missing: true, isInResponse: false, isRowValue: true },
    column: column(i),
    type: postgresType(type),
    isKey: getKeyCheck(type.kind in fieldKinds ? fieldKinds[type.kind as keyof typeof fieldKinds] : fieldKinds.text),
  }));

/** The table expressions that sort keys are read from, after the rows of the list. */
export const sortJoinsSql = (sort: readonly SortKey[]): Sql =>
  join(
    sort.flatMap((key) => key.join ?? []),
    "",
  );

/** The check of a value in a page token. */
export const getKeyCheck = ({ isKey }: FieldKind): ((text: string) => boolean) =>
  isKey ?? ((text) => !text.includes("\0"));

/** `padded`: some rows are not records, and come last; an index order does not cover them. */
export const orderBySql = (sort: readonly SortKey[], padded = false): Sql =>
  join(
    sort.map(
      (key) =>
        sql`${key.column}${key.isDescending ? sql` DESC` : sql``}${key.name === "id" && !padded ? sql`` : sql` NULLS LAST`}`,
    ),
    ", ",
  );

/** Rows after the cursor; missing values come last in both directions. */
export const afterCursorSql = (sort: readonly SortKey[], cursor: readonly (string | null)[]): Sql => {
  const parameter = (i: number) => slot(`after:${i}`, sort[i]?.type ?? "text");
  // A single index range suffices if all keys have one direction and none can be missing.
  if (sort.every((key) => !key.missing && key.isDescending === sort[0]?.isDescending)) {
    const columns = join(
      sort.map((key) => key.column),
      ", ",
    );
    const values = join(
      sort.map((_, i) => sql`${parameter(i)}`),
      ", ",
    );
    return sort[0]?.isDescending ? sql`(${columns}) < (${values})` : sql`(${columns}) > (${values})`;
  }
  const beyond = (i: number): Sql => {
    const key = sort[i];
    if (key === undefined) return sql`FALSE`;
    const hasValue = cursor[i] !== null;
    const afterValue = key.isDescending ? sql`${key.column} < ${parameter(i)}` : sql`${key.column} > ${parameter(i)}`;
    const past = hasValue ? (key.missing ? sql`(${afterValue} OR ${key.column} IS NULL)` : afterValue) : sql`FALSE`;
    const same = hasValue ? sql`${key.column} = ${parameter(i)}` : sql`${key.column} IS NULL`;
    return i === sort.length - 1 ? past : sql`(${past} OR (${same} AND ${beyond(i + 1)}))`;
  };
  return beyond(0);
};
