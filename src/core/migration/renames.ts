import { referenceName } from "../derive/tables/names.ts";
import type { Check, Column, Exclusion, Index, Table } from "../derive/tables/table.ts";
import { type Message, say } from "../i18n/message.ts";
import type { Entity } from "../model/entity.ts";
import { toTableName } from "../model/inflection.ts";
import type { Model, Renaming } from "../model/model.ts";
import type { Rename } from "../model/renaming.ts";
import { constant, definitionText, identifier, join, type Sql, sql } from "../sql.ts";
import { remakeTrigger, withTriggers } from "./diff/columns-by-trigger.ts";
import { clauseNotes, comparableDefinitions, dropIndexSql } from "./diff/definitions.ts";
import { keepFormer, moveFormer, renameFormer } from "./former-values.ts";
import type { MigrationStep } from "./migration-step.ts";
import { canReplace, replaceOnline } from "./replace-values.ts";
import { renameRetired } from "./retired.ts";
import { inApp } from "./sql-text.ts";

/** Properties of the previous document that tables do not show; null if there was none. */
export type Before = Pick<Model, "entities" | "roles" | "limits"> | null;

export interface Renamed {
  /** The renamings to carry out: the old name exists in the database, and the new one does not. */
  readonly renamings: readonly Renaming[];
  /** Values that another value took over. */
  readonly merged: readonly Renaming[];
  readonly steps: readonly MigrationStep[];
  /** The tables after the renamings. */
  readonly tables: readonly Table[];
  /** Columns whose values are replaced beside the live ones, by table. */
  readonly beside: ReadonlyMap<string, readonly string[]>;
}

const alter = (table: string, what: Sql): string => definitionText(sql`alter table ${inApp(table)} ${what}`);

/**
 * Renames existing tables, columns, indexes and constraints in place, without writing rows. Renaming a state or a value
 * of a choice updates only the rows that contain it.
 */
export const planRenames = (
  actual: readonly Table[],
  desired: readonly Table[],
  { model, before, version }: { readonly model: Model; readonly before: Before; readonly version: number },
): Renamed => {
  const done: Renaming[] = [];
  const merged: Renaming[] = [];
  const planned: PlannedRename[] = [];
  let tables = actual;
  const touched = new Set<string>();
  const change = (name: string, to: Table) => {
    tables = tables.map((table) => (table.name === name ? to : table));
    touched.add(to.name);
  };
  for (const one of model.renamings) {
    const entity = one.entity === null ? undefined : model.entities.get(one.entity);
    const table = tables.find(({ name }) => name === entity?.table);
    const took = planRenaming(one, { tables, table, entity, before, model, version });
    if (took === undefined) continue;
    (took.isMerge === true ? merged : done).push(one);
    const { count } = took;
    const isMerge = took.isMerge === true;
    const step = {
      message: took.isFormer === true ? null : renamingMessage(one, { isMerge }),
      run: took.run.join(";\n"),
    };
    planned.push({
      step:
        count === undefined
          ? step
          : { ...step, writes: { count, message: (rows) => renamingMessage(one, { isMerge, stored: rows }) } },
      ...(took.replaces === undefined || table === undefined
        ? {}
        : { replaces: { ...took.replaces, renaming: one, isMerge, before: table } }),
    });
    if (took.table !== undefined) change(took.from ?? took.table.name, took.table);
    if (one.of === "entity" && took.table !== undefined)
      tables = tables.map((other) => redirectReferences(other, took));
  }
  const replaced = replaceBeside(planned, { tables, desired, version });
  const steps = [...replaced.steps];
  for (const name of touched) {
    const table = tables.find((one) => one.name === name);
    const aim = desired.find((one) => one.name === name);
    if (table === undefined || aim === undefined) continue;
    const named = renameParts(table, aim);
    change(name, named.table);
    const run = [...named.run, ...clauseNotes(existingParts(aim, named.table))];
    if (run.length > 0) steps.push({ message: null, run: run.join(";\n") });
  }
  return { renamings: done, merged, steps, tables, beside: replaced.beside };
};

interface PlannedRename {
  readonly step: MigrationStep;
  readonly replaces?: NonNullable<RenameStep["replaces"]> & {
    readonly renaming: Renaming;
    readonly isMerge: boolean;
    /** The table before this renaming. */
    readonly before: Table;
  };
}

/**
 * Puts the work of all renamings of a column’s values together, so that it can be done in phases. Each keeps its message.
 */
const replaceBeside = (
  planned: readonly PlannedRename[],
  {
    tables,
    desired,
    version,
  }: { readonly tables: readonly Table[]; readonly desired: readonly Table[]; readonly version: number },
): { readonly steps: readonly MigrationStep[]; readonly beside: ReadonlyMap<string, readonly string[]> } => {
  const steps: MigrationStep[] = [];
  const beside = new Map<string, readonly string[]>();
  for (let i = 0; i < planned.length; ) {
    const first = planned[i]?.replaces;
    const isAlike = ({ replaces }: PlannedRename): boolean =>
      replaces?.column === first?.column && replaces?.before.name === first?.before.name;
    const rest = planned.slice(i);
    const others = rest.findIndex((one) => !isAlike(one));
    const group = first === undefined ? rest.slice(0, 1) : others < 0 ? rest : rest.slice(0, others);
    i += group.length;
    const all = group.flatMap(({ replaces }) => (replaces === undefined ? [] : [replaces]));
    const isLast = !planned.slice(i).some(isAlike);
    const made = first === undefined || !isLast ? undefined : replaceTogether(all, { tables, desired, version });
    if (made === undefined || first === undefined) {
      steps.push(...group.map(({ step }) => step));
      continue;
    }
    const run = group.map(({ step }) => step.run).join(";\n");
    steps.push(
      ...group.map(({ step }) => ({ ...step, run: "" })),
      { message: null, run, online: made.online },
      ...made.indexes,
    );
    beside.set(first.before.name, [...(beside.get(first.before.name) ?? []), first.column]);
  }
  return { steps, beside };
};

const replaceTogether = (
  all: readonly NonNullable<PlannedRename["replaces"]>[],
  {
    tables,
    desired,
    version,
  }: { readonly tables: readonly Table[]; readonly desired: readonly Table[]; readonly version: number },
): ReturnType<typeof replaceOnline> | undefined => {
  const [first] = all;
  const after = tables.find(({ name }) => name === first?.before.name);
  const aim = desired.find(({ name }) => name === first?.before.name);
  const column = after?.columns.find(({ name }) => name === first?.column);
  if (first === undefined || after === undefined || aim === undefined || column === undefined) return undefined;
  // One after the other, they could pass a value on.
  const isPassedOn = all.some(({ renaming }) => all.some((other) => other.renaming.old === renaming.now));
  const isMany = column.type.endsWith("[]");
  const replacing = { before: first.before, after, aim, column };
  if (isPassedOn || (isMany && all.length > 1) || !canReplace(replacing, { desired })) return undefined;
  const name = identifier(column.name);
  const cases = all.map(({ renaming }) => sql`when ${constant(renaming.old)} then ${constant(renaming.now)}`);
  const kept = all.filter(({ isMerge }) => isMerge).map(({ holds }) => holds);
  return replaceOnline(replacing, {
    value: isMany ? first.written : sql`case ${name} ${join(cases, " ")} else ${name} end`,
    keeps: kept.length === 0 ? undefined : join(kept, " or "),
    version,
    also: all.flatMap(({ former }) => former),
  });
};

interface Live {
  readonly tables: readonly Table[];
  readonly table: Table | undefined;
  readonly entity: Entity | undefined;
  readonly before: Before;
  readonly model: Model;
  readonly version: number;
}

interface RenameStep {
  readonly run: readonly string[];
  readonly table?: Table;
  /** Former name of the table. */
  readonly from?: string;
  /** True if the new value existed before. */
  readonly isMerge?: true;
  /** True if only former values have the old name, because another value took it over. */
  readonly isFormer?: true;
  /** Query for the number of records to update. */
  readonly count?: string;
  /** The column whose values change, and statements about its former ones. */
  readonly replaces?: {
    readonly column: string;
    readonly holds: Sql;
    readonly written: Sql;
    readonly former: readonly string[];
  };
}

/** The steps of one renaming; undefined if the old name does not exist or the new one already does. */
const planRenaming = (one: Renaming, live: Live): RenameStep | undefined => {
  switch (one.of) {
    case "entity":
      return planEntityRename(one, live);
    case "field":
      return planFieldRename(one, live);
    case "value":
      return planValueRename(one, live);
    case "role":
      return wasIn(live.before?.roles, one)
        ? {
            run: [
              definitionText(
                sql`update "app"."user" set "roles" = array_replace("roles", ${constant(one.old)}, ${constant(one.now)}) where "roles" @> array[${constant(one.old)}]`,
              ),
            ],
          }
        : undefined;
    case "transition":
      return wasIn(live.before?.entities.get(nameBefore(one, live))?.states?.transitions, one)
        ? { run: [] }
        : undefined;
    case "record":
      return planRecordRename(one, live);
    case "limit":
      return wasIn(live.before?.limits.all, one) ? { run: [] } : undefined;
  }
};

const wasIn = (names: ReadonlyMap<string, unknown> | undefined, { old, now }: Rename): boolean =>
  names?.has(old) === true && !names.has(now);

/** A seed record is identified by its key. References use its id, which does not change. */
const planRecordRename = (one: Renaming, live: Live): RenameStep | undefined => {
  const { entity, table } = live;
  const key = entity === undefined ? undefined : [...entity.fields.values()].find(({ isKey }) => isKey)?.name;
  if (
    table === undefined ||
    key === undefined ||
    !wasIn(live.before?.entities.get(nameBefore(one, live))?.records, one)
  )
    return undefined;
  const column = identifier(key);
  return {
    run: [
      definitionText(
        sql`update ${inApp(table.name)} set ${column} = ${constant(one.now)} where ${column} = ${constant(one.old)}`,
      ),
    ],
  };
};

/** The name of an entity in the previous document. */
const nameBefore = ({ entity }: Rename, { before, model }: Live): string => {
  if (entity === null || before?.entities.has(entity) === true) return entity ?? "";
  return model.renamings.find((one) => one.of === "entity" && one.now === entity)?.old ?? entity;
};

/** Platform tables that contain names of entities. Texts of notifications and refusals stay unchanged. */
const naming = ["notification", "outbox", "sample"] as const;

const planEntityRename = ({ old, now }: Renaming, { tables, model }: Live): RenameStep | undefined => {
  const from = toTableName(old);
  const to = model.entities.get(now)?.table;
  const table = tables.find(({ name }) => name === from);
  if (to === undefined || table === undefined || tables.some(({ name }) => name === to)) return undefined;
  return {
    from,
    table: { ...table, name: to },
    run: [
      alter(from, sql`rename to ${identifier(to)}`),
      definitionText(sql`alter index "app".${identifier(`${from}_pkey`)} rename to ${identifier(`${to}_pkey`)}`),
      ...table.columns.flatMap((column) => referenceMoved(to, column, from, column.name)),
      ...followEntity(old, now, from, to).map(definitionText),
    ],
  };
};

/** Statements that give an entity its new name in the platform's tables. */
export const followEntity = (old: string, now: string, from: string, to: string): readonly Sql[] => [
  ...naming.map(
    (rows) =>
      sql`update "ninefold".${identifier(rows)} set "entity" = ${constant(now)} where "entity" = ${constant(old)}`,
  ),
  ...renameRetired(old, now, from, to),
  sql`update "ninefold"."sequence" set "field" = ${constant(to)} || substr("field", ${constant(from.length + 1)}::integer) where starts_with("field", ${constant(`${from}.`)})`,
];

/** Statements that give a field its new name in the platform's tables. */
export const followField = (table: string, old: string, now: string): readonly Sql[] => [
  moveFormer({ table, column: old }, now),
  sql`update "ninefold"."sequence" set "field" = ${constant(`${table}.${now}`)} where "field" = ${constant(`${table}.${old}`)}`,
];

const referenceMoved = (
  table: string,
  { references, name }: Column,
  from: string,
  column: string,
): readonly string[] =>
  references === null
    ? []
    : [
        alter(
          table,
          sql`rename constraint ${identifier(referenceName(from, column))} to ${identifier(referenceName(table, name))}`,
        ),
      ];

/** Redirects references to a renamed table, including its own. */
const redirectReferences = (table: Table, { table: to, from }: RenameStep): Table => ({
  ...table,
  columns: table.columns.map((column) =>
    to === undefined || from === undefined
      ? column
      : {
          ...column,
          ...(column.references === from ? { references: to.name } : {}),
          ...(column.listReferences === from ? { listReferences: to.name } : {}),
        },
  ),
});

const planFieldRename = ({ old, now }: Renaming, { table }: Live): RenameStep | undefined => {
  const column = table?.columns.find(({ name }) => name === old);
  if (table === undefined || column === undefined || table.columns.some(({ name }) => name === now)) return undefined;
  const quoted = { from: definitionText(identifier(old)), to: definitionText(identifier(now)) };
  const next = rewritten(
    { ...table, columns: table.columns.map((one) => (one === column ? { ...one, name: now } : one)) },
    (text) => text.replaceAll(quoted.from, quoted.to),
  );
  return {
    table: next,
    run: [
      alter(table.name, sql`rename column ${identifier(old)} to ${identifier(now)}`),
      ...referenceMoved(table.name, { ...column, name: now }, table.name, old),
      ...next.columns.flatMap(remakeTrigger),
      ...followField(table.name, old, now).map(definitionText),
    ],
  };
};

/** Adjusts definitions that are equal in meaning but written differently. */
const rewritten = (table: Table, words: (text: string) => string): Table => ({
  ...table,
  columns: table.columns.map((column) =>
    column.generated === undefined ? column : { ...column, generated: words(column.generated) },
  ),
  checks: table.checks.map((check) => ({ ...check, condition: words(check.condition) })),
  indexes: table.indexes.map((index) => ({ ...index, on: words(index.on) })),
  exclusions: table.exclusions.map((one) => ({ ...one, definition: words(one.definition) })),
});

/** The records with a value, and the column with another one in its place. */
const replaceValue = (column: Sql, isMany: boolean, { old, now }: Pick<Rename, "old" | "now">) => ({
  holds: isMany ? sql`${column} @> array[${constant(old)}]` : sql`${column} = ${constant(old)}`,
  written: isMany ? sql`array_replace(${column}, ${constant(old)}, ${constant(now)})` : constant(now),
});

/** Statements that give a value of a retired column its new name, among former values too. */
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
const planValueRename = (
  { field: name, old, now }: Renaming,
  { table, entity, version }: Live,
): RenameStep | undefined => {
  const field = name === null ? undefined : entity?.fields.get(name);
  const stored = table?.columns.find((column) => column.name === name);
  if (table === undefined || field === undefined || stored === undefined) return undefined;
  // One value can become several in the same version, after this step.
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
    exclusions: table.exclusions.map((one) => ({ ...one, definition: replaceValueIn(one.definition) })),
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
    count: definitionText(sql`select count(*)::int from ${inApp(table.name)} where ${holds}`),
    replaces: { column: field.name, holds, written, former },
    run: [
      ...[...parts.checks, ...parts.exclusions].map((one) =>
        alter(table.name, sql`drop constraint ${identifier(one.name)}`),
      ),
      ...parts.indexes.map((one) => definitionText(dropIndexSql(table, one))),
      definitionText(sql`update ${inApp(table.name)} set ${column} = ${written} where ${holds}`),
      ...former,
      ...comparableDefinitions(parts),
      ...clauseNotes(parts),
    ],
  };
};

/**
 * Gives records another existing value. Conditions on the field could refuse that under either document, so they are
 * dropped, and those of the new document are added afterwards.
 */
const planValueMerge = (
  table: Table,
  field: { readonly name: string; readonly isMany: boolean },
  values: Check,
  { old, now, version }: { readonly old: string; readonly now: string; readonly version: number },
): RenameStep => {
  const column = identifier(field.name);
  const reads = (text: string) => text.includes(definitionText(column));
  const checks = table.checks.filter((one) => one !== values && reads(one.condition));
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
        .filter((one) => !checks.includes(one))
        .map((one) =>
          one === values ? { ...one, values: one.values?.filter((value) => value !== old) ?? null } : one,
        ),
      exclusions: table.exclusions.filter((one) => !exclusions.includes(one)),
      indexes: table.indexes.filter((one) => !indexes.includes(one)),
    },
    count: definitionText(sql`select count(*)::int from ${inApp(table.name)} where ${holds}`),
    run: [
      ...[...checks, ...exclusions].map((one) => alter(table.name, sql`drop constraint ${identifier(one.name)}`)),
      ...indexes.map((one) => definitionText(dropIndexSql(table, one))),
      definitionText(keepFormer({ table: table.name, column: field.name }, after, holds, version)),
      definitionText(sql`update ${inApp(table.name)} set ${column} = ${after} where ${holds}`),
    ],
  };
};

/** Renames indexes and constraints with equal definitions to the document's names, so that none is rebuilt. */
const renameParts = (table: Table, aim: Table): { readonly table: Table; readonly run: readonly string[] } => {
  const run: string[] = [];
  const renameMatching = <T extends { readonly name: string }>(
    there: readonly T[],
    desired: readonly T[],
    isSame: (a: T, b: T) => boolean,
    rename: (from: T, to: T) => string,
  ): readonly T[] =>
    there.map((one) => {
      if (desired.some((other) => other.name === one.name)) return one;
      const to = desired.find((other) => isSame(one, other) && !there.some(({ name }) => name === other.name));
      if (to === undefined) return one;
      run.push(rename(one, to));
      return { ...one, name: to.name };
    });
  const constraint = (from: { readonly name: string }, to: { readonly name: string }) =>
    alter(table.name, sql`rename constraint ${identifier(from.name)} to ${identifier(to.name)}`);
  return {
    table: {
      ...table,
      checks: renameMatching<Check>(table.checks, aim.checks, (a, b) => a.condition === b.condition, constraint),
      exclusions: renameMatching<Exclusion>(
        table.exclusions,
        aim.exclusions,
        (a, b) => a.definition === b.definition,
        constraint,
      ),
      indexes: renameMatching<Index>(
        table.indexes,
        aim.indexes,
        (a, b) => a.on === b.on && a.unique === b.unique,
        (from, to) => definitionText(sql`alter index "app".${identifier(from.name)} rename to ${identifier(to.name)}`),
      ),
    },
    run,
  };
};

/** The existing parts of a desired table, with the clauses of the new document. */
const existingParts = (aim: Table, there: Table): Table => {
  const isIn =
    (parts: readonly { readonly name: string }[]) =>
    ({ name }: { readonly name: string }) =>
      parts.some((one) => one.name === name);
  return {
    ...aim,
    columns: withTriggers(aim, there).columns.filter(
      ({ name, generated }) =>
        there.columns.find((one) => one.name === name && one.generated === generated) !== undefined,
    ),
    checks: aim.checks.filter(({ name, condition }) =>
      there.checks.some((one) => one.name === name && one.condition === condition),
    ),
    indexes: aim.indexes.filter(({ name, on }) => there.indexes.some((one) => one.name === name && one.on === on)),
    exclusions: aim.exclusions.filter(isIn(there.exclusions)),
  };
};

/** A step about a renamed thing; for a value with the number of records to update. */
const renamingMessage = (
  { of, old, now, clause }: Renaming,
  { isMerge, stored }: { readonly isMerge: boolean; readonly stored?: number },
): Message => {
  const named = { clause: clause.id, old, now };
  if (isMerge) return say("step.merged", { ...named, rows: stored ?? 0 });
  if (of !== "value" || stored === undefined) return say("step.renamed", { ...named, of });
  return say("step.value.renamed", { ...named, rows: stored });
};
