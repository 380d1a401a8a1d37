import { isSortedBy } from "../../../core/derive/http/list-capabilities.ts";
import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import type { FieldKind } from "../../../core/field/kind.ts";
import { fieldKinds } from "../../../core/field/kinds.ts";
import { getFieldKind } from "../../../core/field/multi-valued.ts";
import { isId } from "../../../core/field/reference.ts";
import { isPlainColumn, isStored } from "../../../core/model/field.ts";
import type { Past } from "../../../core/model/renaming.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { badQuery, type Refusal } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import { asValue, type ResultColumn, resultColumn } from "../result-columns.ts";
import { readableFieldName, renamedText } from "../row/former-names.ts";
import type { ReadScope } from "../row/read-scope.ts";

/** A sort key of a list. */
export interface SortKey {
  readonly column: Sql;
  /** The Postgres type of the column, and the check of its text in a page token. */
  readonly type: string;
  readonly isKey: (text: string) => boolean;
  readonly name: string;
  readonly isDescending: boolean;
  readonly missing: boolean;
  /** True if every response contains the value under this name. */
  readonly isInResponse: boolean;
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
export const sortKeys = (scope: ReadScope, sort: readonly string[], past: Past = []): readonly SortKey[] | Refusal => {
  const keys: SortKey[] = [];
  for (const written of sort) {
    const isDescending = written.startsWith("-");
    const name = isDescending ? written.slice(1) : written;
    const key = sortKey(scope, name, isDescending);
    if (key === undefined) return badQuery(...renamedText("SORT", name, readableFieldName(past, scope, name)));
    keys.push(key);
  }
  const isDescending = keys[0]?.isDescending ?? true;
  return [
    ...keys,
    {
      column: sql`${TABLE}."id"`,
      type: "uuid",
      isKey: isId,
      name: "id",
      isDescending,
      missing: false,
      isInResponse: true,
    },
  ];
};

const sortKey = (scope: ReadScope, name: string, isDescending: boolean): SortKey | undefined => {
  if (name === "created_at" || name === "updated_at")
    return {
      column: sql`${TABLE}.${identifier(name)}`,
      type: "timestamptz",
      isKey: getKeyCheck(fieldKinds.datetime),
      name,
      isDescending,
      missing: false,
      isInResponse: true,
    };
  const field = scope.fields.find((one) => one.name === name);
  const column = scope.column(name);
  if (field === undefined || column === undefined || !isSortedBy(field)) return undefined;
  const type = typeOfColumn(field);
  const isOrdered = type !== "text" || isStored(field);
  return {
    // Gives a computed text the collation of stored columns.
    column: isOrdered ? column : sql`(${column} COLLATE "pg_unicode_fast")`,
    type,
    isKey: getKeyCheck(getFieldKind(field)),
    name,
    isDescending,
    missing: field.optional || !isPlainColumn(field) || scope.visibleWhen(name) !== undefined,
    isInResponse: isOrdered && !field.many && scope.visibleWhen(name) === undefined,
  };
};

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
