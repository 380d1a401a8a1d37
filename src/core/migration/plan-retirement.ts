import { STATE_SINCE } from "../derive/tables/columns.ts";
import { referenceName } from "../derive/tables/names.ts";
import { type Column, isOfAct, type Table } from "../derive/tables/table.ts";
import { type Message, say } from "../i18n/message.ts";
import { retiredName } from "../model/renaming.ts";
import { constant, definitionText, identifier, join, type Sql, sql } from "../sql.ts";
import { asideName } from "./aside-names.ts";
import { describe } from "./conversions.ts";
import { convertText } from "./convert-text.ts";
import { columnDropped } from "./diff/add-column.ts";
import { changesNumber } from "./diff/change-number.ts";
import { dropIndexSql } from "./diff/definitions.ts";
import { dropLinks } from "./diff/drop-unwanted.ts";
import { moveFormer } from "./former-values.ts";
import { tableAside } from "./free-names.ts";
import { refersToSame } from "./list-references.ts";
import { findEntityIn, type MigrationStep, type RefusedChange, refuseChange, writtenRows } from "./migration-step.ts";
import {
  alterTable,
  type FormerName,
  hasValue,
  isCreatedByNinefold,
  joinDefinitions,
  type NextVersion,
  type RetiredColumn,
} from "./retired.ts";
import { raw } from "./sql-text.ts";

const noteRetired = (
  next: NextVersion,
  item:
    | { readonly kind: "entity"; readonly entity: string; readonly table: string; readonly definition: Table }
    | {
        readonly kind: "field";
        readonly entity: string;
        readonly table: string;
        readonly column: string;
        readonly definition: RetiredColumn;
      },
): Sql => {
  const values = [
    constant(item.kind),
    constant(item.entity),
    constant(item.kind === "field" ? item.definition.name : null),
    constant(item.table),
    constant(item.kind === "field" ? item.column : null),
    sql`${constant(JSON.stringify(item.definition))}::jsonb`,
    constant(next.version),
    sql`${constant(next.person)}::uuid`,
  ];
  return sql`insert into "ninefold"."retired" ("kind", "entity", "field", "table_name", "column_name", "definition", "version", "person") values (${join(values, ", ")})`;
};

/** Releases a retired name in the history until its field returns, so that another field does not get its history. */
const leaveHistory = (entity: string, field: string, version: number): Sql =>
  sql`insert into "ninefold"."renaming" ("document", "of", "entity", "old", "now") values (${constant(version)}, 'field', ${constant(entity)}, ${constant(field)}, ${constant(retiredName(field, version))})`;

const referenceDropped = (table: string, { name }: Column): Sql =>
  alterTable(table, sql`drop constraint if exists ${identifier(referenceName(table, name))}`);

/** A column, and everything in its table that depends on it. */
const getReaders = (table: Table, { name }: Column) => {
  const column = definitionText(identifier(name));
  return {
    checks: table.checks.filter(({ condition }) => condition.includes(column)),
    indexes: table.indexes.filter(({ on }) => on.includes(column)),
    exclusions: table.exclusions.filter(({ definition }) => definition.includes(column)),
    generated: table.columns.filter(({ generated }) => generated?.includes(column)),
  };
};

/** The expression that would convert a text for an optional field, if the document has none. */
const findTextConversion = (column: Column, desiredColumn: Column): string | undefined =>
  column.type === "text" &&
  column.references === null &&
  !desiredColumn.required &&
  desiredColumn.generated === undefined &&
  desiredColumn.filled === undefined &&
  desiredColumn.conversion === undefined &&
  desiredColumn.fill === undefined
    ? convertText(desiredColumn)
    : undefined;

/**
 * Retires a column: nothing live depends on it any more, and it accepts rows without a value, so that servers of the
 * previous version can still write. With `aside`, its name becomes free.
 */
const retireColumn = (
  table: Table,
  column: Column,
  {
    desiredColumn,
    isComputed,
    returns,
    formerName,
    next,
  }: {
    readonly desiredColumn: Column | undefined;
    readonly isComputed: boolean;
    /** True if retired values will be restored under the name. */
    readonly returns: boolean;
    readonly formerName: FormerName;
    readonly next: NextVersion;
  },
): { readonly step: MigrationStep; readonly table: Table } => {
  const readers = getReaders(table, column);
  const name = identifier(column.name);
  const aside = desiredColumn === undefined ? column.name : asideName(column.name, next.version);
  const clause = isCreatedByNinefold(column) ? column.clause : table.clause;
  const dropped = new Set<Column>([column, ...(desiredColumn === undefined ? [] : readers.generated)]);
  // Postgres drops them together with the computed column that they read.
  const isDropped = (reads: string): boolean =>
    desiredColumn !== undefined &&
    readers.generated.some((column) => reads.includes(definitionText(identifier(column.name))));
  const convert = desiredColumn === undefined ? undefined : findTextConversion(column, desiredColumn);
  const message = (rows: number): Message | null => {
    if (column.name === STATE_SINCE || isOfAct(column) || (column.wasComputed === true && desiredColumn !== undefined))
      return null;
    if (isComputed) return say("step.computed.removed", { clause });
    const keptValues = say("kept.values", { rows });
    if (desiredColumn === undefined) return say("step.removed", { clause, kept: keptValues });
    const isPlain = desiredColumn.generated === undefined && desiredColumn.filled === undefined;
    if (convert !== undefined && rows > 0)
      return say("step.retyped.text", {
        clause,
        from: describe(column),
        to: describe(desiredColumn),
        kept: keptValues,
        was: `was: { ${column.name}: text }`,
        fill: `fill: ${convert}`,
      });
    return say("step.retyped", {
      clause,
      from: describe(column),
      to: isPlain ? describe(desiredColumn) : say("type.computed", {}),
      kept: keptValues,
    });
  };
  // The new column is filled before the switch, and then takes the name.
  const isFollowed =
    (desiredColumn?.conversion !== undefined || desiredColumn?.generated !== undefined || returns) &&
    column.wasComputed !== true &&
    readers.generated.length === 0;
  const step = {
    message: message(0),
    writes: {
      ...writtenRows(table, hasValue(column, name)),
      message,
      ...(convert === undefined
        ? {}
        : {
            missing: {
              kind: "fill" as const,
              entity: findEntityIn(table),
              field: column.name,
              was: "text",
              convert,
            },
          }),
    },
    run: joinDefinitions(
      ...[...readers.checks, ...readers.exclusions].map((item) =>
        alterTable(table.name, sql`drop constraint ${identifier(item.name)}`),
      ),
      ...readers.indexes.map((index) => dropIndexSql(table, index)),
      ...(desiredColumn === undefined
        ? []
        : readers.generated.flatMap((column) => columnDropped(table, column)).map(raw)),
      referenceDropped(table.name, column),
      alterTable(table.name, sql`alter column ${name} drop default, alter column ${name} drop not null`),
      ...(desiredColumn === undefined
        ? []
        : [alterTable(table.name, sql`rename column ${name} to ${identifier(aside)}`)]),
      moveFormer({ table: table.name, column: column.name }, asideName(column.name, next.version)),
      // After a conversion, the field is still the same one.
      ...(desiredColumn?.conversion === undefined
        ? [leaveHistory(findEntityIn(table), formerName(table.name, column.name), next.version)]
        : []),
      noteRetired(next, {
        kind: "field",
        entity: findEntityIn(table),
        table: table.name,
        column: aside,
        definition: {
          ...column,
          name: formerName(table.name, column.name),
          ...(isComputed ? { computed: true as const } : {}),
        },
      }),
    ),
  };
  return {
    step: isFollowed ? { ...step, online: { table: table.name, readsFormer: true, switch: step.run } } : step,
    table: {
      ...table,
      columns: table.columns.filter((column) => !dropped.has(column)),
      checks: table.checks.filter((check) => !readers.checks.includes(check) && !isDropped(check.condition)),
      indexes: table.indexes.filter((index) => !readers.indexes.includes(index) && !isDropped(index.on)),
      exclusions: table.exclusions.filter((exclusion) => !readers.exclusions.includes(exclusion)),
    },
  };
};

/** Retires a table. Its references to live records are removed, so that these can be deleted. */
const retireTable = (table: Table, isNameNeeded: boolean, next: NextVersion): MigrationStep => {
  const name = isNameNeeded ? asideName(table.name, next.version) : table.name;
  const message = (rows: number): Message =>
    say(isNameNeeded ? "step.derived" : "step.removed", { clause: table.clause, kept: say("kept.records", { rows }) });
  return {
    message: message(0),
    writes: { ...writtenRows(table, sql`true`), message },
    run: joinDefinitions(
      ...table.columns
        .filter(({ references }) => references !== null)
        .map((column) => referenceDropped(table.name, column)),
      ...(isNameNeeded ? tableAside(table, name) : []),
      ...(isNameNeeded
        ? [
            sql`update "ninefold"."retired" set "table_name" = ${constant(name)} where "table_name" = ${constant(table.name)}`,
          ]
        : []),
      noteRetired(next, { kind: "entity", entity: findEntityIn(table), table: name, definition: table }),
    ),
  };
};

/** True if the values of a column cannot be converted to those of the desired one. */
const isRetyped = (liveTable: Table, old: Column, column: Column): boolean => {
  if (old.generated !== undefined) return false;
  if (column.generated !== undefined || isOfAct(old) !== isOfAct(column)) return true;
  return !changesNumber(liveTable, old, column) && (old.type !== column.type || !refersToSame(old, column));
};

/** Finds how the previous document stored a column; undefined if it did not have it. */
export type FormerStorage = (column: Column) => "column" | "stored" | undefined;

/**
 * Retires tables and columns that the document no longer has, or has with another type. `tables` are the remaining
 * ones. Tables and columns that others created are refused.
 */
export const planRetirement = (
  live: readonly Table[],
  desired: readonly Table[],
  {
    storageBefore,
    isReplaced = () => false,
    returns = () => false,
    formerName,
    next,
  }: {
    readonly storageBefore: FormerStorage;
    /** True if retired values will replace those of a column. */
    readonly isReplaced?: (table: Table, column: Column, desiredColumn: Column) => boolean;
    /** True if retired values will be restored to a column. */
    readonly returns?: (table: Table, desiredColumn: Column) => boolean;
    readonly formerName: FormerName;
    readonly next: NextVersion;
  },
): {
  readonly steps: readonly MigrationStep[];
  readonly tables: readonly Table[];
  readonly refused: readonly RefusedChange[];
  /** The names of columns that were renamed for one with another type, by `table.column`. */
  readonly moved: ReadonlyMap<string, string>;
} => {
  const byName = new Map(desired.map((table) => [table.name, table]));
  const steps: MigrationStep[] = [];
  const moved = new Map<string, string>();
  const refused: RefusedChange[] = [];
  const relinked = new Set<Table>();
  const tables = live.flatMap((liveTable): readonly Table[] => {
    const desiredTable = byName.get(liveTable.name);
    if (liveTable.links !== undefined || liveTable.rowMaintenance !== undefined) return [liveTable];
    if (desiredTable === undefined && !isCreatedByNinefold(liveTable)) {
      refused.push(refuseChange(liveTable.clause, say("refused.foreign.table", { name: liveTable.name })));
      return [liveTable];
    }
    if (desiredTable === undefined || desiredTable.rowMaintenance !== undefined) {
      steps.push(retireTable(liveTable, desiredTable !== undefined, next));
      return [];
    }
    let table = liveTable;
    const desiredColumns = new Map(desiredTable.columns.map((column) => [column.name, column]));
    for (const column of liveTable.columns) {
      const desiredColumn = desiredColumns.get(column.name);
      if (!table.columns.includes(column)) continue;
      if (desiredColumn === undefined && column.generated !== undefined) continue;
      if (desiredColumn === undefined && !isCreatedByNinefold(column)) {
        refused.push(
          refuseChange(table.clause, say("refused.foreign.column", { name: column.name, table: table.name })),
        );
        continue;
      }
      const links = live.find((table) => table.links?.of === liveTable.name && table.links.column === column.name);
      if (desiredColumn !== undefined && links !== undefined && !refersToSame(column, desiredColumn)) {
        steps.push(dropLinks(links));
        relinked.add(links);
      }
      const storage = storageBefore(column);
      const isComputedNow = desiredColumn?.filled !== undefined && storage === "column";
      const isRetired =
        desiredColumn === undefined ||
        isRetyped(liveTable, column, desiredColumn) ||
        isReplaced(liveTable, column, desiredColumn);
      if (!isRetired && !isComputedNow) continue;
      // The history has the values of acts, so those in the column need not return.
      const isComputed = storage === "stored" || column.wasComputed === true || isOfAct(column);
      const done = retireColumn(table, column, {
        ...{ desiredColumn, isComputed, formerName, next },
        returns: desiredColumn !== undefined && returns(liveTable, desiredColumn),
      });
      steps.push(done.step);
      if (desiredColumn !== undefined) moved.set(`${table.name}.${column.name}`, asideName(column.name, next.version));
      table = done.table;
    }
    return [table];
  });
  return { steps, tables: tables.filter((table) => !relinked.has(table)), refused, moved };
};
