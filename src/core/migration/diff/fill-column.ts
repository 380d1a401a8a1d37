import type { Column, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { definitionText, identifier, type Sql, sql } from "../../sql.ts";
import { keepFormer } from "../former-values.ts";
import { type MigrationStep, type ReplaceInPlace, writtenRows } from "../migration-step.ts";
import { inApp, raw } from "../sql-text.ts";

/**
 * Gives rows without a value the value of `fill`. With `version`, their former state is stored for a restored version.
 */
export const fillMissingValues = (
  table: Table,
  column: Column,
  fill: string,
  version: number | null,
): MigrationStep => {
  const name = identifier(column.name);
  const value = sql`(${raw(fill)})::${raw(column.type)}`;
  const isMissing = column.type.endsWith("[]") ? sql`${name} = '{}'` : sql`${name} is null`;
  const place = { table: table.name, column: column.name };
  const message = (rows: number) => (rows === 0 ? null : say("step.filled", { clause: column.clause, rows }));
  return {
    message: message(0),
    writes: { ...writtenRows(table, sql`${isMissing} and ${value} is not null`), message },
    run: [
      ...(version === null ? [] : [keepFormer(place, value, sql`${isMissing} and ${value} is not null`, version)]),
      sql`update ${inApp(table.name)} set ${name} = ${value} where ${isMissing}`,
    ]
      .map(definitionText)
      .join(";\n"),
    online: {
      table: table.name,
      backfill: {
        clause: column.clause,
        column: column.name,
        value: definitionText(value),
        where: definitionText(isMissing),
        again: version === null ? "true" : definitionText(isMissing),
        former: version,
      },
      switch: "",
    },
  };
};

/**
 * Gives records that do not fit the value of `fill`. One that gets none keeps its own, and a later step refuses it. The
 * former values are stored for a restored version.
 */
export const fillUnfitValues = (
  table: Table,
  column: Column,
  { fill, isUnfit, version }: { readonly fill: string; readonly isUnfit: Sql; readonly version: number },
  inPlace: ReplaceInPlace | undefined,
): readonly MigrationStep[] => {
  const name = identifier(column.name);
  const value = sql`coalesce((${raw(fill)})::${raw(column.type)}, ${name})`;
  const message = (rows: number) => (rows === 0 ? null : say("step.replaced", { clause: column.clause, rows }));
  const counted = { message: message(0), writes: { ...writtenRows(table, isUnfit), message } };
  const step: MigrationStep = {
    message: null,
    run: [
      keepFormer({ table: table.name, column: column.name }, value, isUnfit, version),
      sql`update ${inApp(table.name)} set ${name} = ${value} where ${isUnfit}`,
    ]
      .map(definitionText)
      .join(";\n"),
  };
  if (inPlace === undefined) return [{ ...step, ...counted }];
  // They are counted before the switch where many records follow.
  return [
    { ...counted, run: "" },
    ...inPlace(step, {
      value: sql`case when ${isUnfit} then ${value} else ${name} end`,
      where: sql`true`,
      keeps: isUnfit,
    }),
  ];
};

/** Runs after all tables exist, since the values may be read from them. */
export const fillColumn = (table: Table, { name, clause, type, filled }: Column): readonly MigrationStep[] =>
  filled === undefined
    ? []
    : [
        {
          message: null,
          run: definitionText(
            sql`update ${inApp(table.name)} set ${identifier(name)} = (${raw(filled)})::${raw(type)}`,
          ),
          online: {
            table: table.name,
            backfill: {
              clause,
              column: name,
              value: definitionText(sql`(${raw(filled)})::${raw(type)}`),
              where: "true",
              again: "true",
              former: null,
            },
            switch: "",
          },
        },
      ];
