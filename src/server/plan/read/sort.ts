import { isSortedBy } from "../../../core/derive/http/list-capabilities.ts";
import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import type { FieldKind } from "../../../core/field/kind.ts";
import { kinds } from "../../../core/field/kinds.ts";
import { kindOf } from "../../../core/field/multi-valued.ts";
import { isId } from "../../../core/field/reference.ts";
import { isGiven, isStored } from "../../../core/model/model.ts";
import type { Past } from "../../../core/model/renaming.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { badQuery, type Refusal } from "../../refusal.ts";
import { readableFieldName, renamedText } from "../row/former-names.ts";
import type { ReadScope } from "../row/read-scope.ts";

/** What a list is put in order by. */
export interface SortKey {
  readonly column: Sql;
  /** The column's type in Postgres, and whether a page token may bear a text for it. */
  readonly type: string;
  readonly isKey: (text: string) => boolean;
  readonly name: string;
  readonly down: boolean;
  readonly missing: boolean;
  /** Whether the record itself bears this very value, by this name, wherever it is shown. */
  readonly borne: boolean;
}

/** The column of a page that tells the cursor a key's value. */
export const cursorColumn = ({ borne, name }: SortKey, i: number): string => (borne ? name : `sort:${i}`);

/** The order ends in the id, in the direction of the first key, so that it is whole and one index walks it. */
export const sortKeys = (scope: ReadScope, sort: readonly string[], past: Past = []): readonly SortKey[] | Refusal => {
  const keys: SortKey[] = [];
  for (const written of sort) {
    const down = written.startsWith("-");
    const name = down ? written.slice(1) : written;
    const key = sortKey(scope, name, down);
    if (key === undefined) return badQuery(...renamedText("SORT", name, readableFieldName(past, scope, name)));
    keys.push(key);
  }
  const down = keys[0]?.down ?? true;
  return [...keys, { column: sql`"t"."id"`, type: "uuid", isKey: isId, name: "id", down, missing: false, borne: true }];
};

const sortKey = (scope: ReadScope, name: string, down: boolean): SortKey | undefined => {
  if (name === "created_at" || name === "updated_at")
    return {
      column: sql`"t".${identifier(name)}`,
      type: "timestamptz",
      isKey: keyOf(kinds.datetime),
      name,
      down,
      missing: false,
      borne: true,
    };
  const field = scope.fields.find((one) => one.name === name);
  const column = scope.column(name);
  if (field === undefined || column === undefined || !isSortedBy(field)) return undefined;
  const type = typeOfColumn(field);
  const isOrdered = type !== "text" || isStored(field);
  return {
    // A column has its order; what is computed here is put in the same.
    column: isOrdered ? column : sql`(${column} COLLATE "pg_unicode_fast")`,
    type,
    isKey: keyOf(kindOf(field)),
    name,
    down,
    missing: field.optional || !isGiven(field) || scope.visibleWhen(name) !== undefined,
    borne: isOrdered && !field.many && scope.visibleWhen(name) === undefined,
  };
};

const keyOf = ({ isKey }: FieldKind): ((text: string) => boolean) => isKey ?? ((text) => !text.includes("\0"));

/** `padded`: among rows of which some are no records, which come last. An index of records says nothing of those. */
export const orderBySql = (sort: readonly SortKey[], padded = false): Sql =>
  join(
    sort.map(
      (key) =>
        sql`${key.column}${key.down ? sql` DESC` : sql``}${key.name === "id" && !padded ? sql`` : sql` NULLS LAST`}`,
    ),
    ", ",
  );

/** Rows after the cursor's: missing values come last in either direction. */
export const afterCursorSql = (sort: readonly SortKey[], cursor: readonly (string | null)[]): Sql => {
  const parameter = (i: number) => slot(`after:${i}`, sort[i]?.type ?? "text");
  // One range over the index, where all keys run the same way and none may be missing.
  if (sort.every((key) => !key.missing && key.down === sort[0]?.down)) {
    const columns = join(
      sort.map((key) => key.column),
      ", ",
    );
    const values = join(
      sort.map((_, i) => sql`${parameter(i)}`),
      ", ",
    );
    return sort[0]?.down ? sql`(${columns}) < (${values})` : sql`(${columns}) > (${values})`;
  }
  const beyond = (i: number): Sql => {
    const key = sort[i];
    if (key === undefined) return sql`FALSE`;
    const given = cursor[i] !== null;
    const further = key.down ? sql`${key.column} < ${parameter(i)}` : sql`${key.column} > ${parameter(i)}`;
    const past = given ? (key.missing ? sql`(${further} OR ${key.column} IS NULL)` : further) : sql`FALSE`;
    const same = given ? sql`${key.column} = ${parameter(i)}` : sql`${key.column} IS NULL`;
    return i === sort.length - 1 ? past : sql`(${past} OR (${same} AND ${beyond(i + 1)}))`;
  };
  return beyond(0);
};
