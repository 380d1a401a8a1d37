import type { Check, Column, Table } from "../../derive/tables/table.ts";
import type { Renaming } from "../../model/model.ts";
import type { Rename } from "../../model/renaming.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../../sql.ts";
import { clauseNotes, comparableDefinitions, dropIndexSql } from "../diff/definitions.ts";
import { keepFormer, renameFormer } from "../former-values.ts";
import { writtenRows } from "../migration-step.ts";
import { inApp } from "../sql-text.ts";
import { alter, type RenameContext, type RenameStep } from "./rename-step.ts";

/** The condition for records with a value, and the expression that replaces the value. */
const replaceValue = (column: Sql, isMany: boolean, { old, now }: Pick<Rename, "old" | "now">) => ({
  holds: isMany ? sql`${column} @> array[${constant(old)}]` : sql`${column} = ${constant(old)}`,
  written: isMany ? sql`array_replace(${column}, ${constant(old)}, ${constant(now)})` : constant(now),
});

/** Statements that rename a value of a retired column, also in its former values. */
export const renameValue = (
  table: string,
  { name, type }: Column,
  names: Pick<Rename, "old" | "now">,
): readonly Sql[] => {
  const isMany = type.endsWith("[]");
  const { holds, written } = replaceValue(identifier(name), isMany, names);
  return [
    sql`update ${inApp(table)} set ${identifier(name)} = ${written} where ${holds}`,
    ...renameFormer({ table, column: name, isMany }, names),
  ];
};

/**
 * Drops the conditions on the value, updates the rows and restores the conditions, within the migration's transaction.
 * Later steps recompute columns derived from the value.
 */
export const planValueRename = (
  { field: name, old, now }: Renaming,
  { table, entity, version }: RenameContext,
): RenameStep | undefined => {
  const field = name === null ? undefined : entity?.fields.get(name);
  const stored = table?.columns.find((column) => column.name === name);
  if (table === undefined || field === undefined || stored === undefined) return undefined;
  // The version may also change the field to several values, in a later step.
  const isMany = stored.type.endsWith("[]");
  const column = identifier(field.name);
  const [quoted, other] = [definitionText(constant(old)), definitionText(constant(now))];
  const mentions = (text: string) => text.includes(quoted) && text.includes(definitionText(column));
  const values = table.checks.find((check) => check.values?.includes(old) === true && mentions(check.condition));
  if (values === undefined) {
    const lists = table.checks.filter(
      (check) => check.values !== null && check.condition.includes(definitionText(column)),
    );
    if (lists.length === 0 || lists.some((check) => check.values?.includes(now))) return undefined;
    const former = renameFormer({ table: table.name, column: field.name, isMany }, { old, now });
    return { isFormer: true, run: former.map(definitionText) };
  }
  if (values.values?.includes(now) === true)
    return planValueMerge(table, { name: field.name, isMany }, values, { old, now, version });
  const replaceValueIn = (text: string) => (mentions(text) ? text.replaceAll(quoted, other) : text);
  const valueNow = (value: string) => (value === old ? now : value);
  const next: Table = {
    ...table,
    checks: table.checks.map((check) => ({
      ...check,
      condition: replaceValueIn(check.condition),
      values: check.condition === values.condition ? (check.values?.map(valueNow) ?? null) : check.values,
    })),
    indexes: table.indexes.map((index) => ({ ...index, on: replaceValueIn(index.on) })),
    exclusions: table.exclusions.map((exclusion) => ({
      ...exclusion,
      definition: replaceValueIn(exclusion.definition),
    })),
  };
  const { holds, written } = replaceValue(column, isMany, { old, now });
  const changedParts = <T>(parts: readonly T[], before: readonly T[], text: (part: T) => string) =>
    parts.filter((part, i) => before[i] !== undefined && text(part) !== text(before[i]));
  const parts: Table = {
    ...next,
    columns: [],
    checks: changedParts(next.checks, table.checks, ({ condition }) => condition),
    indexes: changedParts(next.indexes, table.indexes, ({ on }) => on),
    exclusions: changedParts(next.exclusions, table.exclusions, ({ definition }) => definition),
  };
  const former = renameFormer({ table: table.name, column: field.name, isMany }, { old, now }).map(definitionText);
  return {
    table: next,
    rows: writtenRows(table, holds),
    replaces: { column: field.name, holds, written, former },
    run: [
      ...[...parts.checks, ...parts.exclusions].map((item) =>
        alter(table.name, sql`drop constraint ${identifier(item.name)}`),
      ),
      ...parts.indexes.map((index) => definitionText(dropIndexSql(table, index))),
      definitionText(sql`update ${inApp(table.name)} set ${column} = ${written} where ${holds}`),
      ...former,
      ...comparableDefinitions(parts),
      ...clauseNotes(parts),
    ],
  };
};

/**
 * Replaces a value by another existing one. Checks of either document could reject that, so they are dropped, and those
 * of the new document are added afterwards.
 */
const planValueMerge = (
  table: Table,
  field: { readonly name: string; readonly isMany: boolean },
  values: Check,
  { old, now, version }: { readonly old: string; readonly now: string; readonly version: number },
): RenameStep => {
  const column = identifier(field.name);
  const reads = (text: string) => text.includes(definitionText(column));
  const checks = table.checks.filter((check) => check !== values && reads(check.condition));
  const exclusions = table.exclusions.filter(({ definition }) => reads(definition));
  const indexes = table.indexes.filter(({ on, unique }) => unique && reads(on));
  const holds = field.isMany ? sql`${column} @> array[${constant(old)}]` : sql`${column} = ${constant(old)}`;
  const after = field.isMany
    ? sql`array(select "value" from (select "value", min("place") as "place" from unnest(array_replace(${column}, ${constant(old)}, ${constant(now)})) with ordinality as "one"("value", "place") group by 1) "once" order by "place")`
    : sql`${constant(now)}::text`;
  return {
    isMerge: true,
    replaces: { column: field.name, holds, written: after, former: [] },
    table: {
      ...table,
      checks: table.checks
        .filter((check) => !checks.includes(check))
        .map((check) =>
          check === values ? { ...check, values: check.values?.filter((value) => value !== old) ?? null } : check,
        ),
      exclusions: table.exclusions.filter((exclusion) => !exclusions.includes(exclusion)),
      indexes: table.indexes.filter((index) => !indexes.includes(index)),
    },
    rows: writtenRows(table, holds),
    run: [
      ...[...checks, ...exclusions].map((item) => alter(table.name, sql`drop constraint ${identifier(item.name)}`)),
      ...indexes.map((index) => definitionText(dropIndexSql(table, index))),
      definitionText(keepFormer({ table: table.name, column: field.name }, after, holds, version)),
      definitionText(sql`update ${inApp(table.name)} set ${column} = ${after} where ${holds}`),
    ],
  };
};
