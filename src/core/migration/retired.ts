import { STATE_SINCE } from "../derive/tables/columns.ts";
import { referenceName, shortHash } from "../derive/tables/names.ts";
import type { Column, Table } from "../derive/tables/table.ts";
import { type Message, say } from "../i18n/message.ts";
import type { Entity } from "../model/entity.ts";
import type { Renaming } from "../model/model.ts";
import { retiredName } from "../model/renaming.ts";
import { constant, definitionText, identifier, join, type Sql, sql } from "../sql.ts";
import { describe } from "./conversions.ts";
import { columnDropped } from "./diff/add-column.ts";
import { changesNumber } from "./diff/change-number.ts";
import { columnNote, columnSql, createTable, dropIndexSql } from "./diff/definitions.ts";
import { dropLinks } from "./diff/let-go.ts";
import { dropFormer, moveFormer } from "./former-values.ts";
import { refersToSame } from "./list-references.ts";
import { type MigrationStep, type RefusedChange, refuseChange } from "./migration-step.ts";
import { inApp, raw } from "./sql-text.ts";

/**
 * A field or an entity that a version of the document stopped using. Its values stay in the schema `app`; nothing reads
 * or writes them until a later version has it again or an administrator deletes it.
 */
export type Retired = RetiredField | RetiredEntity;

interface RetiredThing {
  readonly id: number;
  /** The names in the document. */
  readonly entity: string;
  /** The table with the values. */
  readonly table: string;
  /** The version of the document that retired it. */
  readonly version: number;
  /** The moment at which it was retired. */
  readonly at: string;
  /** Names within it that the document has again, in the order in which they change. */
  readonly again?: readonly Renaming[];
}

export interface RetiredField extends RetiredThing {
  readonly kind: "field";
  readonly field: string;
  /** The earlier name under which the document has the field again; absent if that is `field`. */
  readonly returnsAs?: string;
  /** The column with the values: named after the field, until another field needs that name. */
  readonly column: string;
  readonly definition: RetiredColumn;
}

/** Computed values are never brought back, since they are computed again. */
export type RetiredColumn = Column & { readonly computed?: true };

export interface RetiredEntity extends RetiredThing {
  readonly kind: "entity";
  /** The entity of the document that it is again under an earlier name; absent if its name is the last one. */
  readonly returnsAs?: Pick<Entity, "name" | "table">;
  readonly definition: Table;
}

/** The version that a migration makes, and its author. */
export interface Moment {
  readonly version: number;
  readonly person: string | null;
}

/** The name that a field had in the previous version. */
export type FormerName = (table: string, column: string) => string;

const alterTable = (table: string, what: Sql): Sql => sql`alter table ${inApp(table)} ${what}`;
const run = (...pieces: readonly Sql[]): string => pieces.map(definitionText).join(";\n");

/** Columns and tables that Ninefold did not create lack its comment. */
const isOurs = ({ clause }: { readonly clause: string }): boolean => clause !== "none";

export const findEntityIn = ({ clause }: { readonly clause: string }): string => clause.split(".")[1] ?? clause;

/** True for rows with a value: a list without elements holds nothing. */
export const hasValue = (column: Pick<Column, "type">, name: Sql): Sql =>
  column.type.endsWith("[]") ? sql`${name} <> '{}'` : sql`${name} is not null`;

const countRows = (table: string, condition: Sql): string =>
  definitionText(sql`select count(*)::int from ${inApp(table)} where ${condition}`);

/** The tables that the document uses, without what is retired, and the retired tables. */
export const withoutRetired = (
  all: readonly Table[],
  retired: readonly Retired[],
): { readonly live: readonly Table[]; readonly unused: readonly Table[] } => {
  const columns = new Set(retired.flatMap((one) => (one.kind === "field" ? [`${one.table}.${one.column}`] : [])));
  const tables = new Set(retired.flatMap((one) => (one.kind === "entity" ? [one.table] : [])));
  const shown = all.map((table) => ({
    ...table,
    columns: table.columns.filter(({ name }) => !columns.has(`${table.name}.${name}`)),
  }));
  return {
    live: shown.filter(({ name }) => !tables.has(name)),
    unused: shown.filter(({ name }) => tables.has(name)),
  };
};

/** True if a column is as it was when it was retired, so that its values mean the same. */
export const isSameColumn = ({ definition, field, returnsAs = field }: RetiredField, column: Column): boolean =>
  returnsAs === column.name &&
  definition.type === column.type &&
  refersToSame(definition, column) &&
  definition.computed !== true &&
  definition.generated === undefined &&
  column.generated === undefined &&
  column.filled === undefined;

/** Drops retired things that hold nothing. Servers of the version that used them no longer run by the next one. */
export const dropEmpty = (retired: readonly Retired[]): readonly MigrationStep[] =>
  retired.map((one) => {
    const forget = sql`delete from "ninefold"."retired" where "id" = ${constant(one.id)}`;
    const [drop, condition] =
      one.kind === "entity"
        ? [sql`drop table ${inApp(one.table)}`, sql``]
        : [
            alterTable(one.table, sql`drop column ${identifier(one.column)}`),
            one.definition.computed === true
              ? sql` where false`
              : sql` where ${hasValue(one.definition, identifier(one.column))}`,
          ];
    const former = dropFormer(one.table, one.kind === "entity" ? null : formerOfRetired(one));
    const within =
      one.kind === "entity"
        ? sql`;\n  delete from "ninefold"."retired" where "table_name" = ${constant(one.table)}`
        : sql``;
    const run = definitionText(
      sql`do $$ begin
  if exists (select from ${inApp(one.table)}${condition}) then return; end if;
  ${drop};
  ${former};
  ${forget}${within};
end $$`,
    );
    // Readers go on while the records are searched for values.
    const blocked = definitionText(sql`lock table ${inApp(one.table)} in share row exclusive mode`);
    return { message: null, run, online: { table: one.table, switch: "", retire: [`${blocked};\n${run}`] } };
  });

/** A name that no document can use, for values whose own name is needed for something else. */
const asideName = (name: string, version: number): string => {
  const aside = `${name}#${version}`;
  return aside.length <= 63 ? aside : `${name.slice(0, 40)}#${version}#${shortHash(name)}`;
};

/** The name under which the former values of a retired field are kept, so that no other field takes them for its own. */
export const formerOfRetired = ({ column, version }: Pick<RetiredField, "column" | "version">): string =>
  column.includes("#") ? column : asideName(column, version);

/** Moves a retired column or table out of the way of a live one with its name. */
const moveAside = <T extends Retired>(
  one: T,
  unused: readonly Table[],
): { readonly step: MigrationStep; readonly moved: T } => {
  const note = (column: Sql, name: string) =>
    sql`update "ninefold"."retired" set ${column} = ${constant(name)} where "id" = ${constant(one.id)}`;
  if (one.kind === "field") {
    const name = asideName(one.column, one.version);
    return {
      step: {
        message: null,
        run: run(
          alterTable(one.table, sql`rename column ${identifier(one.column)} to ${identifier(name)}`),
          note(sql`"column_name"`, name),
        ),
      },
      moved: { ...one, column: name },
    };
  }
  const name = asideName(one.table, one.version);
  const table = unused.find((other) => other.name === one.table);
  return {
    step: {
      message: null,
      run: run(
        ...(table === undefined ? [] : tableAside(table, name)),
        sql`update "ninefold"."retired" set "table_name" = ${constant(name)} where "table_name" = ${constant(one.table)}`,
      ),
    },
    moved: { ...one, table: name },
  };
};

/** The members of a definition that name the table that is referred to. */
const referring = ["references", "listReferences"];

/** Retired things after entities were renamed, as the steps of a renaming change them in the database too. */
export const afterRenaming = (
  retired: readonly Retired[],
  { from, to, now, old }: { readonly from: string; readonly to: string; readonly old: string; readonly now: string },
): readonly Retired[] =>
  retired.map((one) => ({
    ...one,
    entity: one.entity === old ? now : one.entity,
    table: one.table === from ? to : one.table,
    definition: JSON.parse(
      referring.reduce(
        (text, key) => text.replaceAll(`"${key}":${JSON.stringify(from)}`, `"${key}":${JSON.stringify(to)}`),
        JSON.stringify(one.definition),
      ),
    ),
  }));

/** Statements that change the rows of retired things as `afterRenaming` does. */
export const renameRetired = (old: string, now: string, from: string, to: string): readonly Sql[] => [
  sql`update "ninefold"."former_value" set "table_name" = ${constant(to)} where "table_name" = ${constant(from)}`,
  sql`update "ninefold"."retired" set "table_name" = ${constant(to)} where "table_name" = ${constant(from)}`,
  sql`update "ninefold"."retired" set "entity" = ${constant(now)} where "entity" = ${constant(old)}`,
  ...referring.map(
    (key) =>
      sql`update "ninefold"."retired" set "definition" = replace("definition"::text, ${constant(`"${key}": ${JSON.stringify(from)}`)}, ${constant(`"${key}": ${JSON.stringify(to)}`)})::jsonb`,
  ),
];

/** Names of indexes and constraints are unique in the schema, so those of the table are dropped. */
const tableAside = (table: Table, name: string): readonly Sql[] => [
  ...[...table.checks, ...table.exclusions].map((one) =>
    alterTable(table.name, sql`drop constraint ${identifier(one.name)}`),
  ),
  ...table.indexes.map((index) => dropIndexSql(table, index)),
  alterTable(table.name, sql`rename to ${identifier(name)}`),
  sql`alter index "app".${identifier(`${table.name}_pkey`)} rename to ${identifier(`${name}_pkey`)}`,
];

/** True if something live is about to take the name of a retired thing. */
export type IsTaken = (one: Retired) => boolean;

/** Moves retired things aside whose names are needed before anything is renamed or created. */
export const freeNames = (
  retired: readonly Retired[],
  unused: readonly Table[],
  isTaken: IsTaken,
): {
  readonly steps: readonly MigrationStep[];
  readonly retired: readonly Retired[];
  readonly unused: readonly Table[];
} => {
  const fields: MigrationStep[] = [];
  const entities: MigrationStep[] = [];
  const names = new Map<string, string>();
  const moved = retired.map((one) => {
    if (!isTaken(one)) return one;
    const aside = moveAside(one, unused);
    (one.kind === "field" ? fields : entities).push(aside.step);
    if (one.kind === "entity") names.set(one.table, aside.moved.table);
    return aside.moved;
  });
  return {
    steps: [...fields, ...entities],
    retired: moved.map((one) => ({ ...one, table: names.get(one.table) ?? one.table })),
    unused: unused.map((table) => {
      const name = names.get(table.name);
      return name === undefined ? table : { ...table, name, checks: [], indexes: [], exclusions: [] };
    }),
  };
};

const noteRetired = (
  moment: Moment,
  one:
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
    constant(one.kind),
    constant(one.entity),
    constant(one.kind === "field" ? one.definition.name : null),
    constant(one.table),
    constant(one.kind === "field" ? one.column : null),
    sql`${constant(JSON.stringify(one.definition))}::jsonb`,
    constant(moment.version),
    sql`${constant(moment.person)}::uuid`,
  ];
  return sql`insert into "ninefold"."retired" ("kind", "entity", "field", "table_name", "column_name", "definition", "version", "person") values (${join(values, ", ")})`;
};

/** A name that is retired belongs to nothing until its field returns, so that another field does not get its history. */
const leaveHistory = (entity: string, field: string, version: number): Sql =>
  sql`insert into "ninefold"."renaming" ("document", "of", "entity", "old", "now") values (${constant(version)}, 'field', ${constant(entity)}, ${constant(field)}, ${constant(retiredName(field, version))})`;

/** A field that returns has its name in the history again, also if it was converted in between. */
export const rejoinHistory = (entity: string, one: RetiredField, version: number): readonly Sql[] => {
  const field = sql`"of" = 'field' and "entity" = ${constant(entity)} and "old" = ${constant(one.field)}`;
  const left = sql`exists (select from "ninefold"."renaming" where "of" = 'field' and "now" = ${constant(retiredName(one.field, one.version))})`;
  return [
    sql`delete from "ninefold"."renaming" where ${field} and "document" = ${constant(version)} and "now" = ${constant(retiredName(one.field, version))} and not ${left}`,
    sql`insert into "ninefold"."renaming" ("document", "of", "entity", "old", "now") select ${constant(version)}, 'field', ${constant(entity)}, ${constant(retiredName(one.field, one.version))}, ${constant(one.returnsAs ?? one.field)} where ${left}`,
  ];
};

const referenceDropped = (table: string, { name }: Column): Sql =>
  alterTable(table, sql`drop constraint if exists ${identifier(referenceName(table, name))}`);

/** A column, and everything in its table that reads it. */
const getReaders = (table: Table, { name }: Column) => {
  const column = definitionText(identifier(name));
  return {
    checks: table.checks.filter(({ condition }) => condition.includes(column)),
    indexes: table.indexes.filter(({ on }) => on.includes(column)),
    exclusions: table.exclusions.filter(({ definition }) => definition.includes(column)),
    generated: table.columns.filter(({ generated }) => generated?.includes(column)),
  };
};

/**
 * Retires a column: nothing that is live depends on it, and it accepts rows without a value, so that servers of the
 * previous version can still write. With `aside`, its name becomes free.
 */
const retireColumn = (
  table: Table,
  column: Column,
  {
    target,
    isComputed,
    formerName,
    moment,
  }: {
    readonly target: Column | undefined;
    readonly isComputed: boolean;
    readonly formerName: FormerName;
    readonly moment: Moment;
  },
): { readonly step: MigrationStep; readonly table: Table } => {
  const readers = getReaders(table, column);
  const name = identifier(column.name);
  const aside = target === undefined ? column.name : asideName(column.name, moment.version);
  const clause = isOurs(column) ? column.clause : table.clause;
  const gone = new Set<Column>([column, ...(target === undefined ? [] : readers.generated)]);
  // Postgres drops them with the computed column that they read.
  const isDropped = (reads: string): boolean =>
    target !== undefined && readers.generated.some((one) => reads.includes(definitionText(identifier(one.name))));
  const message = (rows: number): Message | null => {
    if (column.name === STATE_SINCE || (column.wasComputed === true && target !== undefined)) return null;
    if (isComputed) return say("step.computed.removed", { clause });
    const kept = say("kept.values", { rows });
    if (target === undefined) return say("step.removed", { clause, kept });
    const isPlain = target.generated === undefined && target.filled === undefined;
    return say("step.retyped", {
      clause,
      from: describe(column),
      to: isPlain ? describe(target) : say("type.computed", {}),
      kept,
    });
  };
  // Its successor is filled before the switch, and then takes its name.
  const isFollowed =
    (target?.conversion !== undefined || target?.generated !== undefined) &&
    column.wasComputed !== true &&
    readers.generated.length === 0;
  const step = {
    message: message(0),
    writes: { count: countRows(table.name, hasValue(column, name)), message },
    run: run(
      ...[...readers.checks, ...readers.exclusions].map((one) =>
        alterTable(table.name, sql`drop constraint ${identifier(one.name)}`),
      ),
      ...readers.indexes.map((index) => dropIndexSql(table, index)),
      ...(target === undefined ? [] : readers.generated.flatMap((one) => columnDropped(table, one)).map(raw)),
      referenceDropped(table.name, column),
      alterTable(table.name, sql`alter column ${name} drop default, alter column ${name} drop not null`),
      ...(target === undefined ? [] : [alterTable(table.name, sql`rename column ${name} to ${identifier(aside)}`)]),
      moveFormer({ table: table.name, column: column.name }, asideName(column.name, moment.version)),
      // A converted field stays the field that it was.
      ...(target?.conversion === undefined
        ? [leaveHistory(findEntityIn(table), formerName(table.name, column.name), moment.version)]
        : []),
      noteRetired(moment, {
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
      columns: table.columns.filter((one) => !gone.has(one)),
      checks: table.checks.filter((one) => !readers.checks.includes(one) && !isDropped(one.condition)),
      indexes: table.indexes.filter((one) => !readers.indexes.includes(one) && !isDropped(one.on)),
      exclusions: table.exclusions.filter((one) => !readers.exclusions.includes(one)),
    },
  };
};

/** Retires a table: its references to live records go, so that these can be deleted. */
const retireTable = (table: Table, isNameNeeded: boolean, moment: Moment): MigrationStep => {
  const name = isNameNeeded ? asideName(table.name, moment.version) : table.name;
  const message = (rows: number): Message =>
    say(isNameNeeded ? "step.derived" : "step.removed", { clause: table.clause, kept: say("kept.records", { rows }) });
  return {
    message: message(0),
    writes: { count: countRows(table.name, sql`true`), message: message },
    run: run(
      ...table.columns
        .filter(({ references }) => references !== null)
        .map((column) => referenceDropped(table.name, column)),
      ...(isNameNeeded ? tableAside(table, name) : []),
      ...(isNameNeeded
        ? [
            sql`update "ninefold"."retired" set "table_name" = ${constant(name)} where "table_name" = ${constant(table.name)}`,
          ]
        : []),
      noteRetired(moment, { kind: "entity", entity: findEntityIn(table), table: name, definition: table }),
    ),
  };
};

/** Statements that create the empty tables and columns of retired things, for rows from a backup. */
export const createRetiredSql = (retired: readonly Retired[]): readonly string[] => [
  ...retired.flatMap((one) =>
    one.kind === "entity" ? [createTable({ ...one.definition, name: one.table, checks: [] }).run] : [],
  ),
  ...retired.flatMap((one) =>
    one.kind === "field"
      ? [
          run(
            alterTable(
              one.table,
              sql`add column ${columnSql({ ...one.definition, name: one.column, required: false, initial: null })}`,
            ),
            sql`comment on column ${inApp(one.table)}.${identifier(one.column)} is ${columnNote(one.definition)}`,
          ),
        ]
      : [],
  ),
];

/** A column whose values cannot become those of the desired one. */
const isRetyped = (known: Table, old: Column, column: Column): boolean => {
  if (old.generated !== undefined) return false;
  if (column.generated !== undefined) return true;
  return !changesNumber(known, old, column) && (old.type !== column.type || !refersToSame(old, column));
};

/** Finds how the previous document held a column; undefined if it did not have it. */
export type FormerStorage = (column: Column) => "column" | "stored" | undefined;

/**
 * Retires tables and columns that the document no longer has, or has with another type. `tables` are the remaining
 * ones. Things that somebody else created are refused.
 */
export const planRetirement = (
  actual: readonly Table[],
  desired: readonly Table[],
  {
    storageBefore: heldBefore,
    isReplaced = () => false,
    formerName,
    moment,
  }: {
    readonly storageBefore: FormerStorage;
    /** True if retired values come back in place of those of a column. */
    readonly isReplaced?: (table: Table, column: Column, target: Column) => boolean;
    readonly formerName: FormerName;
    readonly moment: Moment;
  },
): {
  readonly steps: readonly MigrationStep[];
  readonly tables: readonly Table[];
  readonly refused: readonly RefusedChange[];
  /** The names of columns that gave theirs to one with another type, by `table.column`. */
  readonly moved: ReadonlyMap<string, string>;
} => {
  const byName = new Map(desired.map((table) => [table.name, table]));
  const steps: MigrationStep[] = [];
  const moved = new Map<string, string>();
  const refused: RefusedChange[] = [];
  const relinked = new Set<Table>();
  const tables = actual.flatMap((known): readonly Table[] => {
    const aim = byName.get(known.name);
    if (known.links !== undefined || known.kept !== undefined) return [known];
    if (aim === undefined && !isOurs(known)) {
      refused.push(refuseChange(known.clause, say("refused.foreign.table", { name: known.name })));
      return [known];
    }
    if (aim === undefined || aim.kept !== undefined) {
      steps.push(retireTable(known, aim !== undefined, moment));
      return [];
    }
    let table = known;
    const targets = new Map(aim.columns.map((column) => [column.name, column]));
    for (const column of known.columns) {
      const target = targets.get(column.name);
      if (!table.columns.includes(column)) continue;
      if (target === undefined && column.generated !== undefined) continue;
      if (target === undefined && !isOurs(column)) {
        refused.push(
          refuseChange(table.clause, say("refused.foreign.column", { name: column.name, table: table.name })),
        );
        continue;
      }
      const links = actual.find((one) => one.links?.of === known.name && one.links.column === column.name);
      if (target !== undefined && links !== undefined && !refersToSame(column, target)) {
        steps.push(dropLinks(links));
        relinked.add(links);
      }
      const storage = heldBefore(column);
      const isComputedNow = target?.filled !== undefined && storage === "column";
      const goes = target === undefined || isRetyped(known, column, target) || isReplaced(known, column, target);
      if (!goes && !isComputedNow) continue;
      const isComputed = storage === "stored" || column.wasComputed === true;
      const done = retireColumn(table, column, { target, isComputed, formerName, moment });
      steps.push(done.step);
      if (target !== undefined) moved.set(`${table.name}.${column.name}`, asideName(column.name, moment.version));
      table = done.table;
    }
    return [table];
  });
  return { steps, tables: tables.filter((one) => !relinked.has(one)), refused, moved };
};
