import { STATE_SINCE } from "../derive/tables/columns.ts";
import type { Column, Table } from "../derive/tables/table.ts";
import { type Message, say } from "../i18n/message.ts";
import type { Renaming } from "../model/model.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../sql.ts";
import { formerOfRetired } from "./aside-names.ts";
import { reportStaleValues } from "./conversions.ts";
import { addReference } from "./diff/add-reference.ts";
import { dropTrigger, withTriggers } from "./diff/columns-by-trigger.ts";
import { clauseNotes, columnNote } from "./diff/definitions.ts";
import { requireColumn } from "./diff/require-column.ts";
import { moveFormer, restoreValues } from "./former-values.ts";
import {
  type Backfill,
  countedRows,
  findEntityIn,
  type MigrationStep,
  type Online,
  type ReplaceInPlace,
  writtenRows,
} from "./migration-step.ts";
import { followEntity, followField } from "./rename/rename-entity.ts";
import { renameValue } from "./rename/rename-value.ts";
import { canReplace, writeBeside } from "./replace-column.ts";
import {
  afterRenaming,
  hasValue,
  isSameColumn,
  type Retired,
  type RetiredEntity,
  type RetiredField,
  rejoinHistory,
} from "./retired.ts";
import { inApp, raw } from "./sql-text.ts";

export interface RestoredSchema {
  readonly steps: readonly MigrationStep[];
  /** Steps to run after all tables are created: references. */
  readonly late: readonly MigrationStep[];
  readonly tables: readonly Table[];
  /** Steps to run before all others: they report values entered while the columns were retired. */
  readonly first: readonly MigrationStep[];
  /** Renamings for the history, of names that are in use again. */
  readonly renamings: readonly Renaming[];
  /** Fields and entities that remain retired. */
  readonly retired: readonly Retired[];
  /** For each table, the names until the switch of columns whose values are stored under another name. */
  readonly waiting: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const alterTable = (table: string, what: Sql): Sql => sql`alter table ${inApp(table)} ${what}`;
const run = (...statements: readonly Sql[]): string => statements.map(definitionText).join(";\n");
const forget = ({ id }: Retired): Sql => sql`delete from "ninefold"."retired" where "id" = ${constant(id)}`;

const latest = <T extends Retired>(found: readonly T[]): T | undefined =>
  found.reduce<T | undefined>((best, item) => (best === undefined || item.id > best.id ? item : best), undefined);

/** Restores tables of retired entities that the document has again, with their records. */
export const bringTablesBack = (
  live: readonly Table[],
  unused: readonly Table[],
  desired: readonly Table[],
  retired: readonly Retired[],
): RestoredSchema => {
  const steps: MigrationStep[] = [];
  const late: MigrationStep[] = [];
  const renamings: Renaming[] = [];
  const tables = [...live];
  const back = new Map<RetiredEntity, Table>();
  for (const desiredTable of desired) {
    if (
      desiredTable.rowMaintenance !== undefined ||
      desiredTable.links !== undefined ||
      live.some(({ name }) => name === desiredTable.name)
    )
      continue;
    const newest = latest(
      retired.filter(
        (other): other is RetiredEntity =>
          other.kind === "entity" && (other.returnsAs?.table ?? other.definition.name) === desiredTable.name,
      ),
    );
    const known = unused.find(({ name }) => name === newest?.table);
    if (newest === undefined || known === undefined) continue;
    const before = columnsBefore(newest);
    const names = fieldNames(newest);
    const table: Table = {
      ...known,
      // Checks of values would reject their earlier names.
      ...(hasOtherValues(newest) ? { checks: [] } : {}),
      name: desiredTable.name,
      columns: known.columns.map((column) => {
        const name = names.get(column.name) ?? column.name;
        const { references = null, listReferences } = before.get(name) ?? {};
        return { ...column, name, references, ...(listReferences === undefined ? {} : { listReferences }) };
      }),
    };
    tables.push(table);
    back.set(newest, table);
    const message = (rows: number) => say("step.table.back", { clause: desiredTable.clause, rows });
    steps.push({
      message: message(0),
      writes: { count: definitionText(sql`select count(*)::int from ${inApp(newest.table)}`), message },
      run: run(
        ...(newest.table === desiredTable.name
          ? []
          : [
              alterTable(newest.table, sql`rename to ${identifier(desiredTable.name)}`),
              sql`alter index "app".${identifier(`${newest.table}_pkey`)} rename to ${identifier(`${desiredTable.name}_pkey`)}`,
              sql`update "ninefold"."retired" set "table_name" = ${constant(desiredTable.name)} where "table_name" = ${constant(newest.table)}`,
            ]),
        ...followNames(newest, desiredTable, known),
        ...(newest.again === undefined || newest.again.length === 0 ? [] : getNotes(desiredTable, table).map(raw)),
        forget(newest),
      ),
    });
    renamings.push(...(newest.again ?? []));
  }
  for (const [retiredEntity, { name }] of back) {
    const desiredTable = desired.find((table) => table.name === name);
    if (desiredTable === undefined) continue;
    const before = columnsBefore(retiredEntity);
    for (const column of desiredTable.columns) {
      const former = before.get(column.name);
      if (former?.type !== column.type) continue;
      steps.push(...danglingElements(desiredTable, column, tables, desired));
      if (former.references === column.references) late.push(...reconnect(desiredTable, column));
    }
  }
  const names = new Map([...back].map(([retiredEntity, table]) => [retiredEntity.table, table.name]));
  return {
    first: [],
    waiting: new Map(),
    steps,
    late,
    tables,
    renamings,
    retired: [...back.keys()].reduce<readonly Retired[]>(
      (known, { returnsAs, entity, table }) =>
        returnsAs === undefined
          ? known
          : afterRenaming(known, { from: table, to: returnsAs.table, old: entity, now: returnsAs.name }),
      retired.flatMap((retired) =>
        retired.kind === "entity" && back.has(retired)
          ? []
          : [{ ...retired, table: names.get(retired.table) ?? retired.table }],
      ),
    ),
  };
};

/** True if a condition on values concerns a column. */
const isAbout = (condition: string, { name }: Column): boolean =>
  condition.startsWith(`${definitionText(identifier(name))} `);

const getRenamings = ({ again = [] }: Retired, of: "field" | "value"): readonly Renaming[] =>
  again.filter((renaming) => renaming.of === of);

const fieldNames = (retired: Retired): ReadonlyMap<string, string> =>
  new Map(getRenamings(retired, "field").map(({ old, now }) => [old, now]));

const hasOtherValues = (retired: Retired): boolean => getRenamings(retired, "value").length > 0;

/** The columns of a retired table, by their names in the new document. */
const columnsBefore = (retired: RetiredEntity): ReadonlyMap<string, Column> => {
  const names = fieldNames(retired);
  return new Map(retired.definition.columns.map((column) => [names.get(column.name) ?? column.name, column]));
};

/** Comments with the clauses, for those columns that the restored table has. */
const getNotes = (desiredTable: Table, existing: Table): readonly string[] =>
  clauseNotes({
    ...desiredTable,
    columns: withTriggers(desiredTable, existing).columns.filter(({ name }) =>
      existing.columns.some((column) => column.name === name),
    ),
    checks: [],
    indexes: [],
    exclusions: [],
  });

/** Statements that rename the columns and values of a retired table to those of the document. */
const followNames = (retired: RetiredEntity, desiredTable: Table, known: Table): readonly Sql[] => [
  ...(retired.returnsAs === undefined
    ? []
    : followEntity(retired.entity, retired.returnsAs.name, retired.table, desiredTable.name)),
  ...getRenamings(retired, "field").flatMap(({ old, now }) => [
    alterTable(desiredTable.name, sql`rename column ${identifier(old)} to ${identifier(now)}`),
    ...followField(desiredTable.name, old, now),
  ]),
  ...(hasOtherValues(retired) ? known.checks : []).map((check) =>
    alterTable(desiredTable.name, sql`drop constraint ${identifier(check.name)}`),
  ),
  ...getRenamings(retired, "value").flatMap((value) => {
    const column = desiredTable.columns.find(({ name }) => name === value.field);
    const isSame = column !== undefined && columnsBefore(retired).get(column.name)?.type === column.type;
    return isSame ? renameValue(desiredTable.name, column, value) : [];
  }),
];

/** Restores columns of retired fields that the document has again with the same type, with their values. */
export const bringColumnsBack = (
  live: readonly Table[],
  desired: readonly Table[],
  retired: readonly Retired[],
  {
    moved,
    version,
    hasFormer,
  }: {
    readonly moved: ReadonlyMap<string, string>;
    readonly version: number;
    /** True if values of the retired field were replaced before it was retired. */
    readonly hasFormer: (retired: RetiredField) => boolean;
  },
): RestoredSchema => {
  const first: MigrationStep[] = [];
  const steps: MigrationStep[] = [];
  const late: MigrationStep[] = [];
  const renamings: Renaming[] = [];
  const back = new Set<RetiredField>();
  const tables = live.map((existing) => {
    const desiredTable = desired.find(({ name }) => name === existing.name);
    if (desiredTable === undefined || desiredTable.rowMaintenance !== undefined || desiredTable.links !== undefined)
      return existing;
    let known = existing;
    const columns = desiredTable.columns.flatMap((column): readonly Column[] => {
      const computed = known.columns.find(({ name }) => name === column.name);
      if (computed !== undefined && computed.generated === undefined) return [];
      const newest = latest(
        retired.filter(
          (other): other is RetiredField =>
            other.kind === "field" && other.table === known.name && isSameColumn(other, column),
        ),
      );
      if (newest === undefined) return [];
      back.add(newest);
      renamings.push(...(newest.again ?? []));
      // Meanwhile, the field had another type, and people wrote values of that type.
      const isStale = moved.has(`${known.name}.${column.name}`);
      const since = isStale ? { staleSince: newest.at } : {};
      if (isStale && column.conversion === undefined) first.push(reportStaleValues(known, column, newest.at));
      if (computed !== undefined) {
        steps.push(dropComputed(known, computed, newest, column));
        known = withoutColumn(known, computed);
      }
      const values =
        desiredTable.checks.find(({ values, condition }) => values !== null && isAbout(condition, column))?.values ??
        [];
      if (values.length > 0 && hasFormer(newest))
        steps.push(...columnBackWithFormer(known, newest, column, { desiredTable, desired, values, version }));
      else steps.push(...columnBack(known, newest, column, { version, group: `${known.name}.${column.name} back` }));
      steps.push(...danglingElements(known, column, live, desired));
      late.push(...reconnect(known, column));
      // Rows added in the meantime get their value first.
      const { fill, conversion, counter } = column;
      if (column.required && (fill !== undefined || conversion !== undefined || counter !== undefined))
        return [{ ...column, ...since, required: false }];
      if (column.required) steps.push({ ...requireColumn(known, column), message: null });
      return [{ ...column, ...since }];
    });
    return columns.length === 0 ? known : { ...known, columns: [...known.columns, ...columns] };
  });
  const waiting = new Map<string, ReadonlyMap<string, string>>();
  for (const { table, column, field, returnsAs = field } of back)
    if (column !== returnsAs) waiting.set(table, new Map([...(waiting.get(table) ?? []), [returnsAs, column]]));
  return {
    first,
    steps,
    late,
    tables,
    renamings,
    retired: retired.filter((retired) => retired.kind === "entity" || !back.has(retired)),
    waiting,
  };
};

/** Restores values that were entered before a field became computed. Newer records keep their computed values. */
const dropComputed = (table: Table, computed: Column, retired: RetiredField, column: Column): MigrationStep => {
  const [former, name] = [identifier(retired.column), identifier(computed.name)];
  return {
    message: null,
    run: run(
      ...(column.required && computed.type === column.type
        ? [sql`update ${inApp(table.name)} set ${former} = ${name} where ${former} is null`]
        : []),
      ...dropTrigger(computed).map(raw),
      alterTable(table.name, sql`drop column ${name} cascade`),
    ),
  };
};

/** A table after the column was dropped, with the constraints and indexes that read it. */
const withoutColumn = (table: Table, column: Column): Table => {
  const quoted = definitionText(identifier(column.name));
  return {
    ...table,
    columns: table.columns.filter((other) => other !== column && other.generated?.includes(quoted) !== true),
    checks: table.checks.filter(({ condition }) => !condition.includes(quoted)),
    indexes: table.indexes.filter(({ on }) => !on.includes(quoted)),
    exclusions: table.exclusions.filter(({ definition }) => !definition.includes(quoted)),
  };
};

/** The value of records that were created while a field was retired. */
const findBeginning = ({ initial, required, type }: Column): Sql | undefined =>
  initial === null || !required ? undefined : sql`(${raw(initial)})::${raw(type)}`;

const columnBack = (
  table: Table,
  retired: RetiredField,
  column: Column,
  {
    version,
    group,
    isWritten = false,
  }: {
    readonly version: number;
    readonly group: string;
    /** True if another step of the group writes every record before the switch. */
    readonly isWritten?: boolean;
  },
): readonly MigrationStep[] => {
  const name = identifier(column.name);
  const isHidden = column.name === STATE_SINCE;
  const message = (rows: number): Message | null => {
    if (isHidden) return null;
    return rows === 0
      ? say("step.column.gets", { clause: column.clause, name: column.name })
      : say("step.column.back", { clause: column.clause, rows });
  };
  const renamed = getRenamings(retired, "value");
  const beginning = findBeginning(column);
  const begin = beginning === undefined ? undefined : { value: beginning, where: sql`${name} is null` };
  const runWith = (filling: readonly Sql[]): string =>
    run(
      ...(retired.column === column.name
        ? []
        : [alterTable(table.name, sql`rename column ${identifier(retired.column)} to ${name}`)]),
      ...(column.initial === null
        ? []
        : [alterTable(table.name, sql`alter column ${name} set default ${raw(column.initial)}`), ...filling]),
      moveFormer({ table: table.name, column: formerOfRetired(retired) }, retired.field),
      ...(retired.returnsAs === undefined ? [] : followField(table.name, retired.field, retired.returnsAs)),
      ...renamed.flatMap((value) => renameValue(table.name, column, value)),
      sql`comment on column ${inApp(table.name)}.${name} is ${columnNote(column)}`,
      ...rejoinHistory(findEntityIn(table), retired, version),
      forget(retired),
    );
  const canDivide = renamed.length === 0;
  const place = { table: table.name, group };
  const back: MigrationStep = {
    message: message(0),
    writes: { ...writtenRows(table, hasValue(column, identifier(retired.column))), message },
    run: runWith(
      begin === undefined ? [] : [sql`update ${inApp(table.name)} set ${name} = ${begin.value} where ${begin.where}`],
    ),
    ...(canDivide ? { online: { ...place, readsFormer: true, switch: runWith([]) } } : {}),
  };
  if (begin === undefined || !canDivide || isWritten) return [back];
  const backfill: Backfill = {
    clause: column.clause,
    column: column.name,
    value: definitionText(begin.value),
    where: definitionText(begin.where),
    again: definitionText(begin.where),
    former: null,
  };
  return [{ message: null, run: "", online: { ...place, backfill, switch: "" } }, back];
};

/**
 * A field returns with values that another one had taken over before it was retired. They are written beside the retired
 * ones, which stay as they are if the version is abandoned.
 */
const columnBackWithFormer = (
  table: Table,
  retired: RetiredField,
  column: Column,
  {
    desiredTable,
    desired,
    values,
    version,
  }: {
    readonly desiredTable: Table;
    readonly desired: readonly Table[];
    readonly values: readonly string[];
    readonly version: number;
  },
): readonly MigrationStep[] => {
  const group = `${table.name}.${column.name}`;
  const returning = { ...column, retired: { column: retired.column, former: formerOfRetired(retired) } };
  const isBeside = getRenamings(retired, "value").length === 0 && canReplace({ desiredTable, column }, desired);
  // Later steps require a value.
  const inPlace = writeBeside({ table, desiredTable, column, becomes: { ...column, required: false }, version });
  const beginning = findBeginning(column);
  const written: ReplaceInPlace = (step, how) =>
    inPlace(step, {
      ...how,
      value: beginning === undefined ? how.value : sql`coalesce(${how.value}, ${beginning})`,
    });
  return [
    ...columnBack(table, retired, column, { version, group, isWritten: isBeside }),
    ...restoreValues(table, returning, values, isBeside ? written : undefined),
  ];
};

const removedReferences = (rows: number, clause: string): Message | null =>
  rows === 0 ? null : say("step.dangling", { clause, rows });

/** Work in phases that no record can prevent. */
const withoutUnfit = (online: Online): Online => {
  const { unfit, ...rest } = online;
  return unfit === undefined ? online : rest;
};

/**
 * Restores a foreign key. References to records that were deleted in the meantime are removed; if the reference is
 * required, the change is refused.
 */
const reconnect = (table: Table, column: Column): readonly MigrationStep[] => {
  if (column.references === null) return [];
  const name = identifier(column.name);
  const isDangling = sql`${name} is not null and not exists (select from ${inApp(column.references)} "target" where "target"."id" = ${inApp(table.name)}.${name})`;
  const removed = run(sql`update ${inApp(table.name)} set ${name} = null where ${isDangling}`);
  const clean: MigrationStep = column.required
    ? {
        message: null,
        run: "",
        unless: {
          clause: column.clause,
          count: writtenRows(table, isDangling).count,
          misfits: countedRows(table, isDangling),
          message: (rows) => say("refused.dangling", { clause: column.clause, rows }),
        },
      }
    : {
        message: null,
        writes: { ...writtenRows(table, isDangling), message: (rows) => removedReferences(rows, column.clause) },
        run: removed,
        // New references to them are refused from the switch on.
        online: { table: table.name, switch: "", retire: [removed] },
      };
  const refers = addReference(table, column).map(({ online, ...step }) => ({
    ...step,
    message: null,
    ...(online === undefined ? {} : { online: column.required ? online : withoutUnfit(online) }),
  }));
  return [clean, ...refers];
};

/** Removes references to deleted records from lists before the link table is filled. */
const danglingElements = (
  table: Table,
  column: Column,
  live: readonly Table[],
  desired: readonly Table[],
): readonly MigrationStep[] => {
  const links = desired.find(
    (candidate) => candidate.links?.of === table.name && candidate.links.column === column.name,
  );
  const target = links?.columns.find(({ name }) => name === "refers")?.references;
  if (target === undefined || target === null) return [];
  const name = identifier(column.name);
  const isThere = live.some((table) => table.name === target);
  const exists = isThere
    ? sql`exists (select from ${inApp(target)} "target" where "target"."id" = "one"."value")`
    : sql`false`;
  const isDangling = sql`exists (select from unnest(${name}) as "one"("value") where not ${exists})`;
  return [
    {
      message: null,
      writes: {
        ...writtenRows(table, isDangling),
        message: (rows) => removedReferences(rows, column.clause),
      },
      run: run(
        sql`update ${inApp(table.name)} set ${name} = array(select "one"."value" from unnest(${name}) with ordinality as "one"("value", "place") where ${exists} order by "one"."place") where ${isDangling}`,
      ),
    },
  ];
};
