import { identifier, join, type Sql, sql } from "../../core/sql.ts";
import type { Row, RowValues } from "../../postgres/database.ts";
import type { Alias } from "./aliases.ts";

/** Reads a value of a result row. */
export type Decoder<T> = (value: unknown) => T;

/** `null` for NULL, and for a column that the statement leaves out. */
export const asBoolean: Decoder<boolean | null> = (value) => (value === true || value === false ? value : null);
export const asText: Decoder<string> = (value) => String(value);
export const asTextOrNull: Decoder<string | null> = (value) =>
  value === null || value === undefined ? null : String(value);
export const asNumber: Decoder<number> = (value) => Number(value);
export const asNumberOrNull: Decoder<number | null> = (value) =>
  value === null || value === undefined ? null : Number(value);
/** For values that another function decodes, such as those of a label. */
export const asValue: Decoder<unknown> = (value) => value;
export const asValues: Decoder<readonly unknown[]> = (value) => (Array.isArray(value) ? value : []);

/**
 * A column of a result. The statement names it with `selectAs` and `resultColumnSql`, and rows are read with
 * `readColumn`, so that its alias is written only once. An alias beside fields contains a colon, because no field name
 * does.
 */
export interface ResultColumn<T> {
  readonly alias: string;
  readonly decode: Decoder<T>;
}

export const resultColumn = <T>(alias: string, decode: Decoder<T>): ResultColumn<T> => ({ alias, decode });

/** NULL, and a column that is left out, are `null`. */
export type BooleanColumn = ResultColumn<boolean | null>;

export const booleanColumn = (alias: string): BooleanColumn => resultColumn(alias, asBoolean);

export const selectAs = (expression: Sql, { alias }: ResultColumn<unknown>): Sql =>
  sql`${expression} AS ${identifier(alias)}`;

/** The column in a table expression: `"j"."rule:0"`. */
export const resultColumnSql = (table: string | Alias, { alias }: ResultColumn<unknown>): Sql =>
  sql`${typeof table === "string" ? identifier(table) : table}.${identifier(alias)}`;

export const readColumn = <T>(row: Row, { alias, decode }: ResultColumn<T>): T => decode(row[alias]);

/** The form of rows, for code that reads rows of both forms. */
export interface RowForm<R> {
  /** Returns a function that reads a column without its decoder, because lists have thousands of values. */
  readonly find: (column: ResultColumn<unknown>) => (row: R) => unknown;
  readonly toRow: (row: R) => Row;
}

export const objectRows: RowForm<Row> = {
  find:
    ({ alias }) =>
    (row) =>
      row[alias],
  toRow: (row) => row,
};

/** Rows that are values by position, which are read several times as fast. `aliases`: the columns in order. */
export const positionalRows = (aliases: readonly string[]): RowForm<RowValues> => {
  const positions = new Map(aliases.map((alias, position) => [alias, position]));
  return {
    find: ({ alias }) => {
      const position = positions.get(alias);
      return position === undefined ? () => undefined : (values) => values[position];
    },
    toRow: (values) => Object.fromEntries(aliases.map((alias, i) => [alias, values[i]])),
  };
};

/** All columns of a result: an expression for each in the SELECT list, and a decoder for the row. */
export interface ResultShape<T> {
  readonly select: (expressions: { readonly [K in keyof T]: Sql }) => Sql;
  readonly read: (row: Row) => T;
}

/** The names of the properties are the aliases. */
export const resultShape = <T extends object>(decoders: { readonly [K in keyof T]: Decoder<T[K]> }): ResultShape<T> => {
  const names = Object.keys(decoders) as (keyof T & string)[];
  return {
    select: (expressions) =>
      join(
        names.map((name) => sql`${expressions[name]} AS ${identifier(name)}`),
        ", ",
      ),
    read: (row) => {
      const values: Partial<T> = {};
      for (const name of names) values[name] = decoders[name](row[name]);
      return values as T;
    },
  };
};
