import { typeOfColumn } from "../derive/tables/columns.ts";
import type { Column, Table } from "../derive/tables/table.ts";
import { isSequence } from "../field/sequence.ts";
import { isPlainColumn } from "../model/field.ts";
import { toTableName } from "../model/inflection.ts";
import type { Model, Renaming } from "../model/model.ts";
import type { Past } from "../model/renaming.ts";
import { formerOfRetired } from "./aside-names.ts";
import { bringColumnsBack, bringTablesBack } from "./bring-back.ts";
import { type FindFormer, findChangeOfNumber, findWidening, isSameType, sameValue } from "./conversions.ts";
import { isRecomputed } from "./diff/change-generated.ts";
import { dropUnwanted } from "./diff/drop-unwanted.ts";
import { stepsBetween } from "./diff/steps-between.ts";
import { freeNames, type IsTaken } from "./free-names.ts";
import { withListReferences } from "./list-references.ts";
import type { MigrationStep, RefusedChange } from "./migration-step.ts";
import { type NamesBefore, withFormerNames, withNextNames } from "./names-before-switch.ts";
import { findFormer, findNarrowedBounds, findOutsideIn, findReturningIn } from "./narrowed-bounds.ts";
import { nextName } from "./phases.ts";
import { makeValuesPlain } from "./plain-values.ts";
import { type FormerStorage, planRetirement } from "./plan-retirement.ts";
import type { Before } from "./rename/rename-step.ts";
import { planRenames, type Renamed } from "./rename/renames.ts";
import { isReadByDerived } from "./replace-column.ts";
import {
  afterRenaming,
  dropEmpty,
  type FormerName,
  isSameColumn,
  type NextVersion,
  type Retired,
  withoutRetired,
} from "./retired.ts";
import { withReturnedNames } from "./returned-retired.ts";

/** The current database, and the document that it should match. */
export interface MigrationInput {
  /** All tables of the schema `app`, with what is retired. */
  readonly actual: readonly Table[];
  readonly retired: readonly Retired[];
  readonly desired: readonly Table[];
  readonly model: Model;
  readonly before: Before;
  /** The renamings that the database has carried out. */
  readonly past: Past;
  /** The columns, as `table.column`, whose values earlier versions replaced. */
  readonly former: ReadonlySet<string>;
  /** False if the text is in force already, so that only missing objects are created. */
  readonly isNew: boolean;
  readonly next: NextVersion;
}

export interface MigrationPlan {
  readonly steps: readonly MigrationStep[];
  readonly refused: readonly RefusedChange[];
  readonly renamings: readonly Renaming[];
  /** Values that were merged into others. */
  readonly merged: readonly Renaming[];
  /** The live tables before any addition. */
  readonly tables: readonly Table[];
}

/**
 * All steps that make a database match a document. Renames come first, so that no renamed element looks removed. Then
 * removed elements are retired, returning ones are restored, and new ones are added.
 */
export const planMigration = ({
  actual,
  retired,
  desired: tables,
  model,
  before,
  past,
  former,
  isNew,
  next,
}: MigrationInput): MigrationPlan => {
  const derived = withListReferences(tables);
  const found = withoutRetired(withListReferences(actual), retired);
  const plain = isNew ? makeValuesPlain(found.live, model, before) : { steps: [], tables: found.live };
  const remaining = dropUnwanted(plain.tables, derived);
  const room = freeNames(retired, found.unused, isTakenBy(remaining.tables, derived, model));
  const named = planRenames(remaining.tables, derived, { model, before, version: next.version });
  const known = entityRenames(named.renamings, model).reduce(
    afterRenaming,
    withReturnedNames(room.retired, derived, { model, past }),
  );
  const desired = withWidenings(derived, named.tables, known);
  const tablesBack = bringTablesBack(named.tables, room.unused, desired, known);
  const retirement = planRetirement(tablesBack.tables, desired, {
    storageBefore: getStorageBefore(before),
    isReplaced: (table, column, desiredColumn) =>
      column.wasComputed === true && hasRetiredValues(known, table, desiredColumn),
    returns: (table, desiredColumn) => hasRetiredValues(tablesBack.retired, table, desiredColumn),
    formerName: getFormerName(named.renamings, model),
    next,
  });
  const back = bringColumnsBack(retirement.tables, desired, tablesBack.retired, {
    moved: retirement.moved,
    version: next.version,
    hasFormer: (retired) =>
      former.has(`${named.before.tables.get(retired.table) ?? retired.table}.${formerOfRetired(retired)}`),
  });
  const find = findFormerIn({
    tables: tablesBack.tables,
    moved: retirement.moved,
    retired: tablesBack.retired,
    remaining: back.retired,
  });
  const steps = stepsBetween(back.tables, desired, {
    version: next.version,
    find,
    isConverted: isConvertedIn(model, before, isNew),
    isMoved: (table, column) => retirement.moved.has(`${table.name}.${column.name}`),
    beginsToCount: beginsToCountIn(model, before, isNew),
    canReplace: canReplaceIn({ desired, named }),
    hasFormer: hasFormerIn(former, named.before),
    findOutside: findOutsideIn(model, before, isNew),
    findReturning: findReturningIn(model, before, isNew),
  });
  const later = withNextNames(
    [
      ...back.steps,
      ...steps,
      ...tablesBack.late,
      ...back.late,
      ...(isNew
        ? [...findNarrowedBounds(withFilledColumns(back.tables, desired), model, before), ...dropEmpty(back.retired)]
        : []),
    ],
    nextColumns({ moved: retirement.moved, steps: named.steps, waiting: back.waiting }, back.tables, desired),
    desired,
  );
  return {
    steps: [
      ...room.steps,
      ...plain.steps,
      ...remaining.steps,
      ...withFormerNames(
        [...named.steps, ...tablesBack.steps, ...back.first, ...retirement.steps, ...later],
        named.before,
        desired,
      ),
    ],
    refused: retirement.refused,
    renamings: [...named.renamings, ...tablesBack.renamings, ...back.renamings],
    merged: named.merged,
    tables: back.tables,
  };
};

/**
 * Columns with a wider type get their values from the columns that they replace. A change between one value and several
 * is done in place, unless retired values will be restored.
 */
const withWidenings = (
  desired: readonly Table[],
  live: readonly Table[],
  retired: readonly Retired[],
): readonly Table[] =>
  desired.map((table) => {
    const known = live.find(({ name }) => name === table.name);
    if (known === undefined || table.rowMaintenance !== undefined) return table;
    const columns = table.columns.map((column) => {
      const old = known.columns.find(({ name }) => name === column.name);
      const isPlain = column.conversion === undefined && column.generated === undefined && column.filled === undefined;
      if (old === undefined || !isPlain || old.generated !== undefined) return column;
      const isBack = hasRetiredValues(retired, table, column);
      const widening =
        old.type === column.type
          ? old.wasComputed === true && isBack
            ? sameValue(old, column)
            : undefined
          : (findWidening(old, column) ?? (isBack ? findChangeOfNumber(old, column) : undefined));
      return widening === undefined ? column : { ...column, conversion: widening };
    });
    return { ...table, columns };
  });

/**
 * The names before the switch, by table, of columns that take the name of another one: a retired column, or one with
 * another formula or other values. Restored values may be stored under another name until then.
 */
const nextColumns = (
  {
    moved,
    steps,
    waiting,
  }: {
    readonly moved: ReadonlyMap<string, string>;
    readonly steps: readonly MigrationStep[];
    readonly waiting: ReadonlyMap<string, ReadonlyMap<string, string>>;
  },
  tables: readonly Table[],
  desired: readonly Table[],
): ReadonlyMap<string, ReadonlyMap<string, string>> =>
  new Map(
    desired.map(({ name, columns }) => {
      const existing = new Map(
        tables.find((table) => table.name === name)?.columns.map((column) => [column.name, column]),
      );
      const isNext = (column: Column): boolean => {
        const old = existing.get(column.name);
        if (old !== undefined) return isRecomputed(old, column);
        const isNew = column.conversion !== undefined || column.generated !== undefined;
        return moved.has(`${name}.${column.name}`) && isNew;
      };
      const replaced = steps.flatMap(({ online }) =>
        online?.table === name && online.replaces !== undefined ? [online.replaces] : [],
      );
      const next = [...columns.filter(isNext).map((column) => column.name), ...replaced];
      return [name, new Map([...(waiting.get(name) ?? []), ...next.map((item) => [item, nextName(item)] as const)])];
    }),
  );

/** True if new values can be written to a second column: no other change of the version reads or writes the column. */
const canReplaceIn =
  ({ desired, named }: { readonly desired: readonly Table[]; readonly named: Pick<Renamed, "steps" | "before"> }) =>
  (table: Table, { name }: Column): boolean => {
    const isNamed = named.before.tables.has(table.name) || named.before.columns.get(table.name)?.has(name) === true;
    const isReplaced = named.steps.some(({ online }) => online?.table === table.name && online.replaces === name);
    const isRead = table.columns.some(
      (column) => column.name !== name && column.conversion?.former.some((former) => former.name === name) === true,
    );
    return !(isNamed || isReplaced || isRead || isReadByDerived(desired, table.name, name));
  };

/**
 * Former values are stored under the names of the earlier version. A version that merges values creates some itself.
 */
const hasFormerIn =
  (former: ReadonlySet<string>, { tables, columns }: NamesBefore) =>
  (table: Table, { name }: Column): boolean =>
    former.has(`${tables.get(table.name) ?? table.name}.${columns.get(table.name)?.get(name) ?? name}`);

/** True if a retired column contains the values for this one. */
const hasRetiredValues = (retired: readonly Retired[], table: Table, column: Column): boolean =>
  retired.some((retired) => retired.kind === "field" && retired.table === table.name && isSameColumn(retired, column));

/** Finds former fields among the columns before the migration, then among the retired ones. */
const findFormerIn =
  ({
    tables,
    moved,
    retired,
    remaining: left,
  }: {
    readonly tables: readonly Table[];
    readonly moved: ReadonlyMap<string, string>;
    readonly retired: readonly Retired[];
    /** The retired fields and entities that remain retired. */
    readonly remaining: readonly Retired[];
  }): FindFormer =>
  (table, former) => {
    const live = tables
      .find(({ name }) => name === table)
      ?.columns.find(({ name, generated }) => name === former.name && generated === undefined);
    if (live !== undefined && isSameType(live, former))
      return { is: "column", name: moved.get(`${table}.${live.name}`) ?? live.name, former: live.name };
    const known = retired.findLast(
      (retired) =>
        retired.kind === "field" &&
        retired.table === table &&
        retired.field === former.name &&
        retired.definition.computed !== true &&
        isSameType(retired.definition, former),
    );
    if (known?.kind === "field")
      return { is: "column", name: left.includes(known) ? known.column : known.field, former: known.column };
    return live === undefined ? { is: "missing" } : { is: "other type", column: live };
  };

/** Integers and integer sequences share a Postgres type, and so do texts and sequences. */
const beginsToCountIn =
  (model: Model, before: Before, isNew: boolean) =>
  (table: Table, column: { readonly name: string }): boolean => {
    const entity = isNew ? [...model.entities.values()].find((entity) => entity.table === table.name) : undefined;
    if (entity === undefined) return false;
    const was = findFormer(before?.entities, "entity", entity.name, null, model);
    const old = findFormer(was?.fields, "field", column.name, entity.name, model);
    return old === undefined || !isSequence(old.type);
  };

/** Texts and choices share a Postgres type, so only the documents show that the type of a field changed. */
const isConvertedIn =
  (model: Model, before: Before, isNew: boolean) =>
  (table: Table, column: { readonly name: string }): boolean => {
    const entity = isNew ? [...model.entities.values()].find((entity) => entity.table === table.name) : undefined;
    const field = entity?.fields.get(column.name);
    if (entity === undefined || field === undefined || before === null) return false;
    const was = findFormer(before.entities, "entity", entity.name, null, model);
    const old = findFormer(was?.fields, "field", field.name, entity.name, model);
    return (
      old !== undefined &&
      isPlainColumn(old) &&
      isPlainColumn(field) &&
      old.type !== field.type &&
      (old.type === "choice" || field.type === "choice" || old.former.length > 0 || field.former.length > 0) &&
      old.many === field.many &&
      typeOfColumn(old) === typeOfColumn(field)
    );
  };

const getStorageBefore =
  (before: Before): FormerStorage =>
  ({ clause, name }) => {
    const storage = before?.entities.get(clause.split(".")[1] ?? "")?.fields.get(name)?.storage.as;
    return storage === "column" || storage === "stored" ? storage : undefined;
  };

/** A field that is renamed and also gets another type keeps its values under the former name. */
const getFormerName =
  (renamings: readonly Renaming[], model: Model): FormerName =>
  (table, column) =>
    renamings.find(
      ({ of, entity, now }) => of === "field" && now === column && model.entities.get(entity ?? "")?.table === table,
    )?.old ?? column;

const entityRenames = (renamings: readonly Renaming[], model: Model) =>
  renamings.flatMap(({ of, old, now }) =>
    of === "entity"
      ? [{ old, now, from: toTableName(old), to: model.entities.get(now)?.table ?? toTableName(now) }]
      : [],
  );

/**
 * True if a live table or column takes the name of a retired one: by a renaming, or because the name has another
 * meaning.
 */
const isTakenBy = (live: readonly Table[], desired: readonly Table[], model: Model): IsTaken => {
  const isLive = (table: string, column?: string): boolean =>
    live.some(
      ({ name, columns }) => name === table && (column === undefined || columns.some((other) => other.name === column)),
    );
  const renames = entityRenames(model.renamings, model).filter(({ from, to }) => isLive(from) && !isLive(to));
  const desiredByName = new Map(desired.map((table) => [table.name, table]));
  const fields = model.renamings.filter(({ of }) => of === "field");
  return (retired) => {
    if (retired.kind === "entity")
      return (
        desiredByName.get(retired.table)?.rowMaintenance !== undefined || renames.some(({ to }) => to === retired.table)
      );
    // A computed value that becomes a column needs the name first.
    if (isLive(retired.table, retired.column)) return true;
    const to = renames.find(({ from }) => from === retired.table)?.to ?? retired.table.replace(/#.*$/u, "");
    const desiredColumn = desiredByName.get(to)?.columns.find(({ name }) => name === retired.column);
    if (desiredColumn === undefined) return false;
    const isRenamed = fields.some(
      ({ entity, old, now }) =>
        now === retired.column && model.entities.get(entity ?? "")?.table === to && isLive(retired.table, old),
    );
    return isRenamed || !isSameColumn(retired, desiredColumn);
  };
};

/** Values of `fill` must be within the bounds of their field. */
const withFilledColumns = (tables: readonly Table[], desired: readonly Table[]): readonly Table[] =>
  tables.map((table) => {
    const desiredTable = desired.find(({ name }) => name === table.name);
    const filled = desiredTable?.columns.filter(
      ({ name, fill, conversion }) =>
        (fill !== undefined || conversion !== undefined) && !table.columns.some((column) => column.name === name),
    );
    return filled === undefined || filled.length === 0 ? table : { ...table, columns: [...table.columns, ...filled] };
  });
