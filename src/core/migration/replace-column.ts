import { referenceName } from "../derive/tables/names.ts";
import type { Column, Index, Table } from "../derive/tables/table.ts";
import { definitionText, identifier, sql } from "../sql.ts";
import { columnDropped } from "./diff/add-column.ts";
import { dropExclusion, exclusionOnline } from "./diff/change-exclusions.ts";
import { indexOnline } from "./diff/change-indexes.ts";
import { computedOnline } from "./diff/columns-by-trigger.ts";
import { addCheckSql, addReferenceSql, columnNote, commentCheck, validateConstraintSql } from "./diff/definitions.ts";
import { notNullName } from "./diff/require-column.ts";
import type { InPlace, MigrationStep, Online, ReplaceInPlace } from "./migration-step.ts";
import { hiddenComment, nextName } from "./phases.ts";
import { inApp, raw } from "./sql-text.ts";

/*
 * A column whose values or type change, in a table with many records. The live version must not see the new values yet,
 * so they are written to a second column. Everything that depends on the column is built again for the second one:
 * indexes, exclusion constraints and computed columns. At the switch, it replaces the first column.
 */

interface Replacement extends InPlace {
  /** The table just before the step, without what later steps rebuild. */
  readonly table: Table;
  /** The table including what the step drops; by default the same. */
  readonly before?: Table;
  /** True if computed columns with another formula still exist. */
  readonly isFirst?: true;
  readonly desiredTable: Table;
  readonly column: Column;
  /** The column afterwards; unchanged by default. */
  readonly becomes?: Column;
  readonly version: number;
}

const quote = (name: string): string => definitionText(identifier(name));

/** True if derived rows read a column: their triggers depend on it. */
export const isReadByDerived = (desired: readonly Table[], table: string, column: string): boolean =>
  desired.some(
    ({ rowMaintenance }) =>
      rowMaintenance?.run.some(
        (text) => text.includes(definitionText(inApp(table))) && text.includes(quote(column)),
      ) === true,
  );

/** Everything in a table that depends on some columns. */
const getReaders = (table: Table, names: readonly string[]) => {
  const reads = (text = ""): boolean => names.some((name) => text.includes(quote(name)));
  return {
    checks: table.checks.filter(({ condition }) => reads(condition)),
    indexes: table.indexes.filter(({ on }) => reads(on)),
    exclusions: table.exclusions.filter(({ definition }) => reads(definition)),
    generated: table.columns.filter(({ generated }) => reads(generated)),
  };
};

/** A column with its clause in the new version. */
const withClause = (column: Column, desiredTable: Table): Column => ({
  ...column,
  clause: desiredTable.columns.find(({ name }) => name === column.name)?.clause ?? column.clause,
});

/** True if a computed column gets another formula or type, or is removed. */
const isRemade = (column: Column, desiredTable: Table): boolean => {
  const desiredColumn = desiredTable.columns.find(({ name }) => name === column.name);
  return (
    desiredColumn === undefined || desiredColumn.generated !== column.generated || desiredColumn.type !== column.type
  );
};

/** A table without what depends on computed columns with another formula; later steps rebuild it. */
export const withoutRemadeReaders = (table: Table, desiredTable: Table): Table => {
  const remade = table.columns.filter((column) => column.generated !== undefined && isRemade(column, desiredTable));
  const { checks, indexes } = getReaders(
    table,
    remade.map(({ name }) => name),
  );
  return {
    ...table,
    checks: table.checks.filter((check) => !checks.includes(check)),
    indexes: table.indexes.filter((index) => !indexes.includes(index)),
  };
};

/** True if the new values can be written to a second column of the same type. */
export const canReplace = (
  { desiredTable, column }: Pick<Replacement, "desiredTable" | "column">,
  desired: readonly Table[],
): boolean => {
  const desiredColumn = desiredTable.columns.find((candidate) => candidate.name === column.name);
  return (
    desiredColumn?.type === column.type &&
    desiredColumn.generated === undefined &&
    desiredColumn.conversion === undefined &&
    column.generated === undefined &&
    column.references === null &&
    column.listReferences === undefined &&
    !desiredTable.columns.some(({ conversion }) => conversion?.former.some((former) => former.name === column.name)) &&
    !isReadByDerived(desired, desiredTable.name, column.name)
  );
};

/** The work in phases that gives a column other values or another type, and the steps for its dependants. */
export const replaceColumn = ({
  table,
  before = table,
  isFirst,
  desiredTable,
  column,
  becomes = column,
  value,
  where = sql`${identifier(column.name)} is not null`,
  keeps,
  version,
  retire = [],
  unfit,
}: Replacement): { readonly online: Online; readonly readers: readonly MigrationStep[] } => {
  const [name, own] = [identifier(column.name), identifier(nextName(column.name))];
  const alter = sql`alter table ${inApp(table.name)}`;
  const order = /^text(?:\[\])?$/u.test(becomes.type) ? sql` collate "pg_unicode_fast"` : sql``;
  const computed = getReaders(table, [column.name]).generated;
  const names = [column.name, ...computed.map((column) => column.name)];
  const { checks, indexes, exclusions } = getReaders(withoutRemadeReaders(table, desiredTable), names);
  const inNext = (text: string): string =>
    names.reduce((now, name) => now.replaceAll(quote(name), () => quote(nextName(name))), text);
  const required = notNullName(table, becomes);
  const group = `${table.name}.${column.name}`;
  const reader = (online: Online): MigrationStep => ({
    message: null,
    run: "",
    online: { ...online, readsFormer: true, group },
  });
  return {
    online: {
      table: table.name,
      readsFormer: true,
      group,
      replaces: column.name,
      expand: [
        definitionText(sql`${alter} add column ${own} ${raw(becomes.type)}${order}`),
        hiddenComment(table.name, nextName(column.name)),
      ].join(";\n"),
      backfill: {
        clause: column.clause,
        column: nextName(column.name),
        value: definitionText(sql`(${value})::${raw(becomes.type)}`),
        where: definitionText(where),
        again: "true",
        former: keeps === undefined ? null : version,
        ...(keeps === undefined ? {} : { keeps: { column: column.name, where: definitionText(keeps) } }),
      },
      ...(unfit === undefined ? {} : { unfit: definitionText(unfit) }),
      switch: [
        ...getReaders(before, names)
          .exclusions.flatMap((exclusion) => dropExclusion(table, exclusion))
          .map(definitionText),
        ...computed
          .filter((column) => isFirst === true || !isRemade(column, desiredTable))
          .flatMap((column) => columnDropped(table, column)),
        // Its indexes and constraints are dropped with it.
        definitionText(sql`${alter} drop column ${name}`),
        definitionText(sql`${alter} rename column ${own} to ${name}`),
        ...(becomes.initial === null
          ? []
          : [definitionText(sql`${alter} alter column ${name} set default ${raw(becomes.initial)}`)]),
        ...(becomes.required
          ? [definitionText(sql`${alter} add constraint ${identifier(required)} not null ${name} not valid`)]
          : []),
        ...(becomes.references === null
          ? []
          : [definitionText(sql`${addReferenceSql(table, becomes, becomes.references)} not valid`)]),
        definitionText(
          sql`comment on column ${inApp(table.name)}.${name} is ${columnNote(withClause(becomes, desiredTable))}`,
        ),
        ...checks.flatMap((check) => [
          `${addCheckSql(table, check)} not valid`,
          definitionText(commentCheck(table, check)),
        ]),
      ].join(";\n"),
      retire: [
        ...[
          ...(becomes.required ? [required] : []),
          ...(becomes.references === null ? [] : [referenceName(table.name, becomes.name)]),
          // A later step may rename it to the name of the new version.
          ...checks.map(
            (check) => desiredTable.checks.find(({ condition }) => condition === check.condition)?.name ?? check.name,
          ),
        ].map((constraint) => validateConstraintSql(table, constraint)),
        ...retire,
      ],
    },
    readers: [
      ...computed
        .filter((column) => !isRemade(column, desiredTable))
        .map((column) => {
          const online = computedOnline(table.name, withClause(column, desiredTable), {
            name: nextName(column.name),
            version,
            before: [],
          });
          return reader({ ...withBackfill(online, inNext), replaces: column.name });
        }),
      ...indexes
        .filter((index) => desiredTable.indexes.some((other) => isSameIndex(other, index)))
        .map((index) => {
          const online = indexOnline(table, index);
          const { index: built } = online;
          return reader(built === undefined ? online : { ...online, index: { ...built, build: inNext(built.build) } });
        }),
      ...exclusions
        .filter(({ definition }) => desiredTable.exclusions.some((exclusion) => exclusion.definition === definition))
        .flatMap((exclusion) => {
          const among = desiredTable.exclusions.find(({ definition }) => definition === exclusion.definition)?.among;
          const online = exclusionOnline(table, { ...exclusion, ...(among === undefined ? {} : { among }) });
          return online === undefined ? [] : [reader({ ...online, expand: inNext(online.expand ?? "") })];
        }),
    ],
  };
};

/** Does a step that writes values of a column in phases. */
export const writeBeside =
  (place: Pick<Replacement, "table" | "desiredTable" | "column" | "becomes" | "version">): ReplaceInPlace =>
  (step, how) => {
    const { online, readers } = replaceColumn({ ...place, ...how });
    return [{ ...step, online }, ...readers];
  };

const isSameIndex = (one: Index, other: Index): boolean => one.on === other.on && one.unique === other.unique;

const withBackfill = (online: Online, inNext: (text: string) => string): Online => {
  const { backfill } = online;
  if (backfill === undefined) return online;
  return { ...online, backfill: { ...backfill, value: inNext(backfill.value), where: inNext(backfill.where) } };
};
