import type { Column, Conversion, FormerColumn, Table } from "../derive/tables/table.ts";
import { dateTextSql, decimalTextSql } from "../expression/operations/conversion-ops.ts";
import { andList, type Message, type MessageValue, say } from "../i18n/message.ts";
import { constant, definitionText, identifier, type Sql, sql, withSlots } from "../sql.ts";
import { keepFormer } from "./former-values.ts";
import { refersToSame } from "./list-references.ts";
import { countedRows, type MigrationStep, type ReplaceInPlace, writtenRows } from "./migration-step.ts";
import { inApp, raw } from "./sql-text.ts";

/*
 * Values computed from former fields: those that the document names with `was: { pages: text }`, or the values of a
 * field whose type became wider. The former values stay as retired data.
 */

/** Finds the column that now holds the values of a former field. */
export type FindFormer = (table: string, former: FormerColumn) => FormerPlace;
export type FormerPlace =
  /** `former`: the column's name until the switch. */
  | { readonly is: "column"; readonly name: string; readonly former: string }
  | { readonly is: "missing" }
  | { readonly is: "other type"; readonly column: Column };

/** The type of a column, as the document writes it: `integer`, `[text]`. */
export const describe = ({ type, references }: Pick<Column, "type" | "references">): MessageValue => {
  if (references !== null) return say("type.reference", { to: references });
  const [, one = type, list = ""] = /^(.*?)(\[\])?$/u.exec(type) ?? [];
  const name = documentTypes[one] ?? one;
  return list === "" ? name : `[${name}]`;
};

const documentTypes: { readonly [column: string]: string } = {
  bigint: "integer",
  numeric: "decimal",
  "numeric(38,10)": "decimal",
  interval: "duration",
  "timestamp(3) with time zone": "datetime",
  "time(0) without time zone": "time",
  "timestamptz(3)": "datetime",
  "time(0)": "time",
  jsonb: "json",
};

type Widening = (value: Sql) => Sql;
const asNumber: Widening = (value) => sql`${value}::numeric(38,10)`;
const widenings: { readonly [from: string]: { readonly [to: string]: Widening } } = {
  bigint: { "numeric(38,10)": asNumber, text: (value) => sql`${value}::text` },
  "numeric(38,10)": { text: decimalTextSql },
  numeric: { "numeric(38,10)": asNumber, text: decimalTextSql },
  date: { text: dateTextSql },
};

/** The conversion of a column to a wider type, in which each value has exactly one counterpart. */
export const findWidening = (old: Column, column: Column): Conversion | undefined => {
  const widen = old.references === null && column.references === null ? widenings[old.type]?.[column.type] : undefined;
  if (widen === undefined) return undefined;
  return {
    former: [{ name: column.name, type: old.type, references: null }],
    value: widen({ kind: "sql", parts: [{ kind: "slot", slot: `was.${column.name}` }] }),
    isEmptied: sql`false`,
    isDeclared: false,
  };
};

/** The conversion of one value to several, or of several to one if there is only one. */
export const findChangeOfNumber = (old: Column, column: Column): Conversion | undefined => {
  if (!refersToSame(old, column)) return undefined;
  const was: Sql = { kind: "sql", parts: [{ kind: "slot", slot: `was.${column.name}` }] };
  const value =
    column.type === `${old.type}[]`
      ? sql`array_remove(array[${was}], null)`
      : old.type === `${column.type}[]`
        ? sql`case when cardinality(${was}) < 2 then (${was})[1] end`
        : undefined;
  if (value === undefined) return undefined;
  return {
    former: [{ name: column.name, type: old.type, references: old.references }],
    value,
    isEmptied: sql`false`,
    isDeclared: false,
  };
};

/** The conversion that leaves values unchanged. */
export const sameValue = (old: Column, column: Column): Conversion => ({
  former: [{ name: column.name, type: old.type, references: old.references }],
  value: { kind: "sql", parts: [{ kind: "slot", slot: `was.${column.name}` }] },
  isEmptied: sql`false`,
  isDeclared: false,
});

export const isSameType = (column: Pick<Column, "type" | "references">, former: FormerColumn): boolean =>
  (column.type === former.type || (column.type === "numeric" && former.type === "numeric(38,10)")) &&
  column.references === former.references;

/** Refuses a conversion whose former field has another type than the one in the document. */
const refuseOtherType = (table: Table, { clause }: Column, former: FormerColumn, existing: Column): MigrationStep => ({
  message: null,
  run: "",
  unless: {
    clause,
    count: definitionText(sql`select count(*)::int from ${inApp(table.name)}`),
    message: () =>
      say("refused.other.type", { clause, name: former.name, said: describe(former), is: describe(existing) }),
  },
});

interface ConvertedValue {
  readonly value: Sql;
  /** True for rows with a former value that cannot be converted. */
  readonly isUnfit: Sql;
}

const convert = (
  table: Table,
  column: Column,
  conversion: Conversion,
  find: FindFormer,
  when: "now" | "before the switch" = "now",
): ConvertedValue => {
  const formerColumns = conversion.former.map((former) => {
    const place = find(table.name, former);
    if (place.is !== "column") return { former, value: sql`null::${raw(former.type)}`, isPresent: undefined };
    const own = sql`${identifier(table.name)}.${identifier(when === "now" ? place.name : place.former)}`;
    if (former.type.endsWith("[]"))
      return { former, value: sql`coalesce(${own}, '{}')`, isPresent: sql`${own} <> '{}'` };
    if (former.type === "boolean") return { former, value: sql`coalesce(${own}, false)`, isPresent: undefined };
    return { former, value: own, isPresent: sql`${own} is not null` };
  });
  const slots = Object.fromEntries(formerColumns.map(({ former, value }) => [`was.${former.name}`, value]));
  const value = sql`(${withSlots(conversion.value, slots)})::${raw(column.type)}`;
  const present = formerColumns.flatMap((former) => (former.isPresent === undefined ? [] : [former.isPresent]));
  const anything = present.length === 0 ? sql`true` : sql`(${raw(present.map(definitionText).join(" or "))})`;
  return {
    value,
    isUnfit: sql`${anything} and ${value} is null and not coalesce(${withSlots(conversion.isEmptied, slots)}, false)`,
  };
};

const unfitWords = (column: Column, rows: number): Message => {
  if (column.references !== null) return say("refused.converted.reference", { clause: column.clause, rows });
  const names = (column.conversion?.former ?? []).map(({ name }) => name);
  return say("refused.converted", {
    clause: column.clause,
    names: names.length === 0 ? say("former.value", {}) : andList(names),
    rows,
  });
};

/**
 * Computes the values of a new column. If it replaces a column with the same name, it is called `nextName` until the
 * switch.
 */
export const convertNewColumn = (
  table: Table,
  column: Column,
  conversion: Conversion,
  find: FindFormer,
  nextName: string,
): MigrationStep => {
  const step = convertColumn(table, column, conversion, find);
  if (step.run === "") return step;
  const { value, isUnfit } = convert(table, column, conversion, find, "before the switch");
  return {
    ...step,
    online: {
      table: table.name,
      readsFormer: true,
      backfill: {
        clause: column.clause,
        column: nextName,
        value: definitionText(value),
        where: definitionText(sql`${value} is not null`),
        again: "true",
        former: null,
      },
      unfit: definitionText(isUnfit),
      switch: "",
    },
  };
};

/** Computes the values of a column. `where`: the rows to convert; all by default. */
export const convertColumn = (
  table: Table,
  column: Column,
  conversion: Conversion,
  find: FindFormer,
  where: Sql = sql`true`,
): MigrationStep => {
  for (const former of conversion.former) {
    const place = find(table.name, former);
    if (place.is === "other type") return refuseOtherType(table, column, former, place.column);
  }
  const { value, isUnfit } = convert(table, column, conversion, find);
  const message = (rows: number) => (rows === 0 ? null : say("step.converted", { clause: column.clause, rows }));
  return {
    message: message(0),
    unless: {
      clause: column.clause,
      count: definitionText(sql`select count(*)::int from ${inApp(table.name)} where ${where} and ${isUnfit}`),
      misfits: countedRows(table, sql`${where} and ${isUnfit}`),
      message: (rows) => unfitWords({ ...column, conversion }, rows),
    },
    writes: { ...writtenRows(table, sql`${where} and ${value} is not null`), message },
    run: definitionText(sql`update ${inApp(table.name)} set ${identifier(column.name)} = ${value} where ${where}`),
  };
};

/** A query for the number of rows that have no value after the conversion and had none before it. */
export const countMissing = (
  table: Table,
  column: Column,
  conversion: Conversion,
  find: FindFormer,
  where: Sql = sql`true`,
): string => {
  const { value, isUnfit } = convert(table, column, conversion, find);
  const after = sql`case when ${where} then ${value} else ${identifier(column.name)} end`;
  return definitionText(
    sql`select count(*)::int from ${inApp(table.name)} where ${after} is null and not (${where} and ${isUnfit})`,
  );
};

/**
 * Replaces the values of a column whose Postgres type stays the same. The former values are stored for a restored
 * version.
 */
export const convertInPlace = (
  table: Table,
  column: Column,
  conversion: Conversion,
  find: FindFormer,
  { version, beside: inPlace }: { readonly version: number; readonly beside: ReplaceInPlace | undefined },
): readonly MigrationStep[] => {
  const step = convertColumn(table, column, conversion, find);
  if (step.run === "") return [step];
  const { value } = convert(table, column, conversion, find);
  const isOther = sql`${value} is distinct from ${identifier(column.name)}`;
  const keepStep = keepFormer({ table: table.name, column: column.name }, value, isOther, version);
  const before = convert(table, column, conversion, find, "before the switch");
  const full = { ...step, run: `${definitionText(keepStep)};\n${step.run}` };
  if (inPlace === undefined) return [full];
  return inPlace(full, {
    value: before.value,
    where: sql`${before.value} is not null`,
    keeps: sql`${before.value} is distinct from ${identifier(column.name)}`,
    unfit: before.isUnfit,
  });
};

/** The value of a conversion as SQL text, for rows that have none. */
export const conversionText = (table: Table, column: Column, conversion: Conversion, find: FindFormer): string =>
  definitionText(convert(table, column, conversion, find).value);

/** Reports that values written while the field had another type are not in the restored column. */
export const reportStaleValues = (table: Table, column: Column, since: string): MigrationStep => ({
  message: null,
  writes: {
    ...writtenRows(table, isWrittenSince(table, column.name, since)),
    message: (rows) => (rows === 0 ? null : say("step.stale", { clause: column.clause, rows })),
  },
  run: "",
});

/** Rows that were created, or changed in this field, after a given time. */
export const isWrittenSince = (table: Table, field: string, since: string): Sql => {
  const at = sql`${constant(since)}::timestamptz`;
  const own = identifier(table.name);
  return sql`(${own}."created_at" > ${at} or exists (select from "ninefold"."audit" "a" where "a"."record" = ${own}."id" and "a"."at" > ${at} and "a"."changes" ? ${constant(field)}))`;
};
