import type { Check, Exclusion, Index, Table } from "../../derive/tables/table.ts";
import { type Message, say } from "../../i18n/message.ts";
import { toTableName } from "../../model/inflection.ts";
import type { Model, Renaming } from "../../model/model.ts";
import type { Rename } from "../../model/renaming.ts";
import { constant, definitionText, identifier, join, sql } from "../../sql.ts";
import { withTriggers } from "../diff/columns-by-trigger.ts";
import { clauseNotes } from "../diff/definitions.ts";
import type { MigrationStep } from "../migration-step.ts";
import type { NamesBefore } from "../names-before-switch.ts";
import { canReplace, replaceColumn, withoutRemadeReaders } from "../replace-column.ts";
import { inApp } from "../sql-text.ts";
import { planEntityRename, planFieldRename, redirectReferences } from "./rename-entity.ts";
import { alter, type Before, type RenameContext, type RenameStep } from "./rename-step.ts";
import { planValueRename } from "./rename-value.ts";

export interface Renamed {
  /** The renamings to carry out: the old name exists in the database, and the new one does not. */
  readonly renamings: readonly Renaming[];
  /** Values that were merged into others. */
  readonly merged: readonly Renaming[];
  readonly steps: readonly MigrationStep[];
  /** The tables after the renamings. */
  readonly tables: readonly Table[];
  /** The names before the switch. */
  readonly before: NamesBefore;
}

/**
 * Renames existing tables, columns, indexes and constraints in place, without writing rows. Renaming a state or a value
 * of a choice updates only the rows that contain it.
 */
export const planRenames = (
  live: readonly Table[],
  desired: readonly Table[],
  { model, before, version }: { readonly model: Model; readonly before: Before; readonly version: number },
): Renamed => {
  const done: Renaming[] = [];
  const merged: Renaming[] = [];
  const planned: PlannedRename[] = [];
  let tables = live;
  const touched = new Set<string>();
  const change = (name: string, to: Table) => {
    tables = tables.map((table) => (table.name === name ? to : table));
    touched.add(to.name);
  };
  for (const renaming of model.renamings) {
    const entity = renaming.entity === null ? undefined : model.entities.get(renaming.entity);
    const table = tables.find(({ name }) => name === entity?.table);
    const took = planRenaming(renaming, { tables, table, entity, before, model, version });
    if (took === undefined) continue;
    (took.isMerge === true ? merged : done).push(renaming);
    const isMerge = took.isMerge === true;
    const run = took.run.join(";\n");
    const isName = renaming.of === "field" || renaming.of === "entity";
    const step: MigrationStep = {
      message: took.isFormer === true ? null : renamingMessage(renaming, { isMerge }),
      run,
      // A new name blocks nobody. Work of later steps uses the former one.
      ...(isName && took.table !== undefined ? { online: { table: took.table.name, switch: run } } : {}),
      // Only versions read former values, and the next one begins after this job.
      ...(took.isFormer === true && table !== undefined
        ? { online: { table: table.name, switch: "", retire: took.run } }
        : {}),
    };
    planned.push({
      step:
        took.rows === undefined
          ? step
          : {
              ...step,
              writes: { ...took.rows, message: (rows) => renamingMessage(renaming, { isMerge, stored: rows }) },
            },
      ...(took.replaces === undefined || table === undefined
        ? {}
        : { replaces: { ...took.replaces, renaming, isMerge, before: table } }),
    });
    if (took.table !== undefined) change(took.from ?? took.table.name, took.table);
    if (renaming.of === "entity" && took.table !== undefined)
      tables = tables.map((other) => redirectReferences(other, took));
  }
  const steps = [...replaceBeside(planned, { tables, desired, version })];
  for (const name of touched) {
    const table = tables.find((table) => table.name === name);
    const desiredTable = desired.find((table) => table.name === name);
    if (table === undefined || desiredTable === undefined) continue;
    const named = renameParts(table, desiredTable);
    change(name, named.table);
    // A replaced column already has its comment, and its dependants were dropped with it; later steps rebuild them.
    const replaced = steps.flatMap(({ online }) => (online?.table === name ? (online.replaces ?? []) : []));
    const [run, atSwitch] = [
      { parts: named, own: desiredTable },
      {
        parts: renameParts(withoutRemadeReaders(table, desiredTable), desiredTable),
        own: { ...desiredTable, columns: desiredTable.columns.filter((column) => !replaced.includes(column.name)) },
      },
    ].map(({ parts, own }) => [...parts.run, ...clauseNotes(existingParts(own, parts.table))].join(";\n"));
    if (run !== undefined && run !== "")
      steps.push({ message: null, run, online: { table: name, switch: atSwitch ?? "" } });
  }
  return { renamings: done, merged, steps, tables, before: namesBefore(done, model) };
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

/** Combines all renamings of a column's values, so that they can be done in phases. Each keeps its message. */
const replaceBeside = (
  planned: readonly PlannedRename[],
  {
    tables,
    desired,
    version,
  }: { readonly tables: readonly Table[]; readonly desired: readonly Table[]; readonly version: number },
): readonly MigrationStep[] => {
  const steps: MigrationStep[] = [];
  for (let i = 0; i < planned.length; ) {
    const first = planned[i]?.replaces;
    const isAlike = ({ replaces }: PlannedRename): boolean =>
      replaces?.column === first?.column && replaces?.before.name === first?.before.name;
    const rest = planned.slice(i);
    const others = rest.findIndex((rename) => !isAlike(rename));
    const group = first === undefined ? rest.slice(0, 1) : others < 0 ? rest : rest.slice(0, others);
    i += group.length;
    const all = group.flatMap(({ replaces }) => (replaces === undefined ? [] : [replaces]));
    const isLast = !planned.slice(i).some(isAlike);
    const together = first === undefined || !isLast ? undefined : replaceTogether(all, { tables, desired, version });
    if (together === undefined || first === undefined) {
      steps.push(...group.map(({ step }) => step));
      continue;
    }
    const run = group.map(({ step }) => step.run).join(";\n");
    steps.push(
      ...group.map(({ step }) => ({ ...step, run: "" })),
      { message: null, run, online: together.online },
      ...together.readers,
    );
  }
  return steps;
};

const replaceTogether = (
  all: readonly NonNullable<PlannedRename["replaces"]>[],
  {
    tables,
    desired,
    version,
  }: { readonly tables: readonly Table[]; readonly desired: readonly Table[]; readonly version: number },
): ReturnType<typeof replaceColumn> | undefined => {
  const [first] = all;
  const after = tables.find(({ name }) => name === first?.before.name);
  const desiredTable = desired.find(({ name }) => name === first?.before.name);
  const column = after?.columns.find(({ name }) => name === first?.column);
  if (first === undefined || after === undefined || desiredTable === undefined || column === undefined)
    return undefined;
  // One after the other, they could rename a value twice.
  const isPassedOn = all.some(({ renaming }) => all.some((other) => other.renaming.old === renaming.now));
  const isMany = column.type.endsWith("[]");
  if (isPassedOn || (isMany && all.length > 1) || !canReplace({ desiredTable, column }, desired)) return undefined;
  const name = identifier(column.name);
  const cases = all.map(({ renaming }) => sql`when ${constant(renaming.old)} then ${constant(renaming.now)}`);
  const conditions = all.filter(({ isMerge }) => isMerge).map(({ holds }) => holds);
  return replaceColumn({
    table: after,
    before: first.before,
    isFirst: true,
    desiredTable,
    column,
    value: isMany ? first.written : sql`case ${name} ${join(cases, " ")} else ${name} end`,
    keeps: conditions.length === 0 ? undefined : join(conditions, " or "),
    version,
    // Only versions read former values, and the next one begins after this job.
    retire: all.flatMap(({ former }) => former),
  });
};

/** The names of tables and columns before some renamings are carried out. */
const namesBefore = (done: readonly Renaming[], model: Model): NamesBefore => {
  const tables = new Map<string, string>();
  const columns = new Map<string, Map<string, string>>();
  for (const { of, entity, old, now } of done) {
    if (of === "entity") tables.set(model.entities.get(now)?.table ?? now, toTableName(old));
    const table = model.entities.get(entity ?? "")?.table;
    if (of === "field" && table !== undefined) columns.set(table, new Map([...(columns.get(table) ?? []), [now, old]]));
  }
  return { tables, columns };
};

/** The steps of one renaming; undefined if the old name does not exist or the new one already does. */
const planRenaming = (renaming: Renaming, live: RenameContext): RenameStep | undefined => {
  switch (renaming.of) {
    case "entity":
      return planEntityRename(renaming, live);
    case "field":
      return planFieldRename(renaming, live);
    case "value":
      return planValueRename(renaming, live);
    case "role":
      return wasIn(live.before?.roles, renaming)
        ? {
            run: [
              definitionText(
                sql`update "app"."user" set "roles" = array_replace("roles", ${constant(renaming.old)}, ${constant(renaming.now)}) where "roles" @> array[${constant(renaming.old)}]`,
              ),
            ],
          }
        : undefined;
    case "transition":
      return wasIn(live.before?.entities.get(nameBefore(renaming, live))?.states?.transitions, renaming)
        ? { run: [] }
        : undefined;
    case "record":
      return planRecordRename(renaming, live);
    case "limit":
      return wasIn(live.before?.limits.all, renaming) ? { run: [] } : undefined;
  }
};

const wasIn = (names: ReadonlyMap<string, unknown> | undefined, { old, now }: Rename): boolean =>
  names?.has(old) === true && !names.has(now);

/** A seed record is identified by its key. References use its id, which stays the same. */
const planRecordRename = (renaming: Renaming, live: RenameContext): RenameStep | undefined => {
  const { entity, table } = live;
  const key = entity === undefined ? undefined : [...entity.fields.values()].find(({ isKey }) => isKey)?.name;
  if (
    table === undefined ||
    key === undefined ||
    !wasIn(live.before?.entities.get(nameBefore(renaming, live))?.records, renaming)
  )
    return undefined;
  const column = identifier(key);
  return {
    run: [
      definitionText(
        sql`update ${inApp(table.name)} set ${column} = ${constant(renaming.now)} where ${column} = ${constant(renaming.old)}`,
      ),
    ],
  };
};

/** The name of an entity in the previous document. */
const nameBefore = ({ entity }: Rename, { before, model }: RenameContext): string => {
  if (entity === null || before?.entities.has(entity) === true) return entity ?? "";
  return model.renamings.find((renaming) => renaming.of === "entity" && renaming.now === entity)?.old ?? entity;
};

/** Renames indexes and constraints with equal definitions to the document's names, so that none is rebuilt. */
const renameParts = (table: Table, desiredTable: Table): { readonly table: Table; readonly run: readonly string[] } => {
  const run: string[] = [];
  const renameMatching = <T extends { readonly name: string }>(
    existing: readonly T[],
    desired: readonly T[],
    isSame: (a: T, b: T) => boolean,
    rename: (from: T, to: T) => string,
  ): readonly T[] =>
    existing.map((item) => {
      if (desired.some((other) => other.name === item.name)) return item;
      const to = desired.find((other) => isSame(item, other) && !existing.some(({ name }) => name === other.name));
      if (to === undefined) return item;
      run.push(rename(item, to));
      return { ...item, name: to.name };
    });
  const constraint = (from: { readonly name: string }, to: { readonly name: string }) =>
    alter(table.name, sql`rename constraint ${identifier(from.name)} to ${identifier(to.name)}`);
  return {
    table: {
      ...table,
      checks: renameMatching<Check>(
        table.checks,
        desiredTable.checks,
        (a, b) => a.condition === b.condition,
        constraint,
      ),
      exclusions: renameMatching<Exclusion>(
        table.exclusions,
        desiredTable.exclusions,
        (a, b) => a.definition === b.definition,
        constraint,
      ),
      indexes: renameMatching<Index>(
        table.indexes,
        desiredTable.indexes,
        (a, b) => a.on === b.on && a.unique === b.unique,
        (from, to) => definitionText(sql`alter index "app".${identifier(from.name)} rename to ${identifier(to.name)}`),
      ),
    },
    run,
  };
};

/** The parts of a desired table that exist, with the clauses of the new document. */
const existingParts = (desiredTable: Table, existing: Table): Table => {
  const isIn =
    (parts: readonly { readonly name: string }[]) =>
    ({ name }: { readonly name: string }) =>
      parts.some((part) => part.name === name);
  return {
    ...desiredTable,
    columns: withTriggers(desiredTable, existing).columns.filter(
      ({ name, generated }) =>
        existing.columns.find((column) => column.name === name && column.generated === generated) !== undefined,
    ),
    checks: desiredTable.checks.filter(({ name, condition }) =>
      existing.checks.some((check) => check.name === name && check.condition === condition),
    ),
    indexes: desiredTable.indexes.filter(({ name, on }) =>
      existing.indexes.some((index) => index.name === name && index.on === on),
    ),
    exclusions: desiredTable.exclusions.filter(isIn(existing.exclusions)),
  };
};

/** The step that reports a renaming; for a value, with the number of records to update. */
const renamingMessage = (
  { of, old, now, clause }: Renaming,
  { isMerge, stored }: { readonly isMerge: boolean; readonly stored?: number },
): Message => {
  const named = { clause: clause.id, old, now };
  if (isMerge) return say("step.merged", { ...named, rows: stored ?? 0 });
  if (of !== "value" || stored === undefined) return say("step.renamed", { ...named, of });
  return say("step.value.renamed", { ...named, rows: stored });
};
