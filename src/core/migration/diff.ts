import { STATE_SINCE } from "../derive/tables/columns.ts";
import { referenceName, shortHash } from "../derive/tables/names.ts";
import type { Check, Column, Exclusion, Index, Links, RowMaintenance, Table } from "../derive/tables/table.ts";
import { type Message, say } from "../i18n/message.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../sql.ts";
import {
  conversionText,
  convertColumn,
  convertInPlace,
  convertNewColumn,
  countMissing,
  type FindFormer,
  isWrittenSince,
} from "./conversions.ts";
import { keepFormer, renumberFormer, restoreConverted, restoreMissing, restoreValues } from "./former-values.ts";
import { refersToSame } from "./list-references.ts";
import { type MigrationStep, misfitRows, type Online, refuseChange } from "./migration-step.ts";
import { checkedName, hiddenComment, IS_COMPARED, nextName } from "./phases.ts";

const raw = (text: string): Sql => ({ kind: "sql", parts: [text] });
const inApp = (table: string): Sql => sql`"app".${identifier(table)}`;
const noted = (clause: string): Sql => constant(`clause ${clause}`);
/** Links maintained by Postgres are distinguished from entered data. */
const tableNote = ({ clause, links, kept }: Table): Sql => {
  if (kept !== undefined)
    return constant(JSON.stringify({ clause, kept: { functions: kept.functions, hash: kept.hash } }));
  return links === undefined ? noted(clause) : constant(JSON.stringify({ clause, links }));
};

/**
 * The migration from the live tables to those of the document, after tables and columns that it no longer has were
 * retired. No data is ever dropped.
 */
export const stepsBetween = (
  actual: readonly Table[],
  wanted: readonly Table[],
  {
    version = 0,
    find = () => ({ is: "missing" }),
    isConverted = () => false,
    isMoved = () => false,
  }: {
    readonly version?: number;
    /** Finds the columns of former fields. */
    readonly find?: FindFormer;
    /** True if a column has the same Postgres type as before, but its field another type. */
    readonly isConverted?: (table: Table, column: Column) => boolean;
    /** True if a new column takes the name of one that is retired. */
    readonly isMoved?: (table: Table, column: Column) => boolean;
  } = {},
): readonly MigrationStep[] => {
  const there = new Map(actual.map((table) => [table.name, table]));
  const steps: MigrationStep[] = [];
  const references: MigrationStep[] = [];
  // Triggers must exist before anything is written, and may read tables created here.
  const fills: MigrationStep[] = [];
  const kept: MigrationStep[] = [];
  const checks: MigrationStep[] = [];
  for (const table of wanted) {
    const known = there.get(table.name);
    if (known === undefined) {
      steps.push(createTable(table));
      if (table.links !== undefined) fills.push(keepLinks(table, table.links));
      // The triggers read columns that are filled here.
      if (table.kept !== undefined) kept.push({ says: null, run: table.kept.run.join(";\n") });
      references.push(
        ...table.columns.flatMap((column) => addReference(table, column)),
        ...table.indexes.filter(({ later }) => later !== true).map((index) => createIndex(table, index)),
        ...table.exclusions.map((exclusion) => addExclusion(table, exclusion)),
      );
      continue;
    }
    // Unchanged since its creation, or it would have been dropped.
    if (known.kept !== undefined) continue;
    const columns = new Map(known.columns.map((column) => [column.name, column]));
    for (const column of table.columns) {
      const old = columns.get(column.name);
      if (old === undefined) {
        const { conversion } = column;
        const isFilled = (column.fill !== undefined || conversion !== undefined) && column.required;
        const isNext = conversion !== undefined && isMoved(table, column);
        const name = isNext ? nextName(column.name) : column.name;
        const added = isFilled && column.initial === null ? { ...column, required: false } : column;
        steps.push(isNext ? addNextColumn(table, added) : addColumn(table, added));
        fills.push(...fillColumn(table, column));
        if (conversion !== undefined) fills.push(convertNewColumn(table, column, conversion, find, name));
        if (column.fill !== undefined) fills.push(fillMissing(table, column, column.fill, null));
        if (isFilled) fills.push(requireFilled(table, column, find));
        references.push(...addReference(table, column));
      } else if (old.generated !== undefined || column.generated !== undefined)
        changeGenerated(table, old, column, { steps, references });
      else if (changesNumber(known, old, column)) steps.push(changeNumber(known, table, old, column));
      else if (column.conversion !== undefined && old.staleSince !== undefined) {
        const isStale = isWrittenSince(table, column.name, old.staleSince);
        fills.push(convertColumn(table, column, column.conversion, find, isStale));
        if (column.required) fills.push(requireFilled(table, column, find, isStale));
      } else if (isConverted(table, column)) {
        steps.push(withoutConstraints(known, table, old));
        if (column.conversion === undefined) steps.push(restoreConverted(table, column));
        else fills.push(convertInPlace(table, column, column.conversion, find, version));
        if (column.required && column.conversion === undefined && column.fill !== undefined)
          fills.push(fillMissing(table, column, column.fill, version));
        const required = requireColumn(table, column);
        if (column.required) fills.push(old.required ? { ...required, says: null } : required);
      } else if (column.required && !old.required && column.conversion !== undefined) {
        const value = conversionText(table, column, column.conversion, find);
        fills.push(
          ...dropFormerChecks(known, table, column),
          fillMissing(table, column, value, version),
          requireColumn(table, column),
        );
      } else if (column.required && !old.required && column.fill !== undefined)
        fills.push(
          ...dropFormerChecks(known, table, column),
          fillMissing(table, column, column.fill, version),
          requireColumn(table, column),
        );
      else if (column.required && !old.required) steps.push(requireColumn(table, column));
      else if (!column.required && old.required)
        steps.push(
          {
            says: say("step.optional", { clause: column.clause }),
            run: definitionText(
              sql`alter table ${inApp(table.name)} alter column ${identifier(column.name)} drop not null`,
            ),
          },
          restoreMissing(table, column),
        );
    }
    for (const column of table.columns)
      if (columns.get(column.name)?.hasty === true && columns.get(column.name)?.references === column.references)
        references.push(patientReference(table, column));
    const columnsWanted = new Map(table.columns.map((column) => [column.name, column]));
    for (const column of known.columns)
      if (columnsWanted.has(column.name)) continue;
      else if (column.generated !== undefined)
        steps.push({
          says: say("step.computed.removed", { clause: column.clause }),
          run: dropColumn(table, column),
        });
    const rebuilt = known.columns.flatMap((old) => {
      const column = columnsWanted.get(old.name);
      if (column === undefined) return [];
      if (changesNumber(known, old, column)) return [getReaders(known, old)];
      return isConverted(table, column) ? [getConstraints(known, old)] : [];
    });
    const left = withoutRemade(known, table, rebuilt);
    checks.push(...changeChecks(left, table, known));
    // A constraint may be replaced by one of the same name.
    const exclusions = changeExclusions(known, table);
    references.push(...exclusions.gone, ...changeIndexes(left, table), ...exclusions.steps);
  }
  return [...steps, ...fills, ...checks, ...references, ...kept];
};

const getEntityName = ({ clause }: Table): string => clause.split(".")[1] ?? clause;

/** The element type of a column, whether it is an array or not. */
const oneOf = (type: string): string => type.replace(/\[\]$/u, "");

/** True if a stored column changes from one value to several or vice versa. */
export const changesNumber = (known: Table, old: Column, column: Column): boolean =>
  column.conversion === undefined &&
  old.type !== column.type &&
  refersToSame(old, column) &&
  oneOf(old.type) === oneOf(column.type) &&
  !known.columns.some(({ generated }) => generated?.includes(definitionText(identifier(old.name))));

/** Constraints and indexes that depend on a column. */
const getReaders = ({ checks, indexes }: Table, { name }: Column) => {
  const column = definitionText(identifier(name));
  return {
    checks: checks.filter(({ condition }) => condition.includes(column)),
    indexes: indexes.filter(({ on }) => on.includes(column)),
  };
};

/** Drops what could refuse new values of a column: its constraints, which are added again afterwards. */
const withoutConstraints = (known: Table, table: Table, old: Column): MigrationStep => {
  const readers = getConstraints(known, old);
  const alter = sql`alter table ${inApp(table.name)}`;
  return {
    says: null,
    run: [
      ...readers.checks.map((check) => sql`${alter} drop constraint ${identifier(check.name)}`),
      ...readers.indexes.map((index) => indexDropped(table, index)),
      ...(old.required ? [sql`${alter} alter column ${identifier(old.name)} drop not null`] : []),
    ]
      .map(definitionText)
      .join(";\n"),
  };
};

const getConstraints = (known: Table, column: Column) => {
  const { checks, indexes } = getReaders(known, column);
  return { checks, indexes: indexes.filter(({ unique }) => unique) };
};

/**
 * A single value becomes an array with one element. An array becomes its first element if no record has a second.
 * Dependants of the column are rebuilt afterwards.
 */
const changeNumber = (known: Table, table: Table, old: Column, column: Column): MigrationStep => {
  const name = identifier(column.name);
  const becomesMany = column.type.endsWith("[]");
  const alter = sql`alter table ${inApp(table.name)}`;
  const using = becomesMany ? sql`array_remove(array[${name}], null)` : sql`${name}[1]`;
  const start = becomesMany ? sql`set default '{}'` : sql`drop default`;
  const readers = getReaders(known, old);
  const order = column.type === "text" ? sql` collate "pg_unicode_fast"` : sql``;
  const run = [
    ...readers.checks.map((check) => sql`${alter} drop constraint ${identifier(check.name)}`),
    ...readers.indexes.map((index) => indexDropped(table, index)),
    ...(old.references === null
      ? []
      : [sql`${alter} drop constraint ${identifier(referenceName(table.name, column.name))}`]),
    sql`${alter} alter column ${name} drop default, alter column ${name} drop not null`,
    sql`${alter} alter column ${name} type ${raw(column.type)}${order} using ${using}`,
    sql`${alter} alter column ${name} ${start}${column.required ? sql`, alter column ${name} set not null` : sql``}`,
    ...(column.references === null ? [] : [referring(table, column, column.references)]),
    ...renumberFormer({ table: table.name, column: column.name }, becomesMany),
  ]
    .map(definitionText)
    .join(";\n");
  if (becomesMany) return { says: say("step.several", { clause: column.clause }), run };
  const unfit = column.required ? sql`cardinality(${name}) <> 1` : sql`cardinality(${name}) > 1`;
  return {
    says: say("step.one", { clause: column.clause }),
    run,
    unless: {
      clause: column.clause,
      count: definitionText(sql`select count(*)::int from ${inApp(table.name)} where ${unfit}`),
      misfits: misfitRows(table, unfit),
      says: (rows) => say("refused.one", { clause: column.clause, rows, required: column.required }),
    },
  };
};

/**
 * Objects maintained by Postgres that the document no longer wants, or wants differently, are dropped first and rebuilt
 * later.
 */
export const letGo = (
  actual: readonly Table[],
  wanted: readonly Table[],
): { readonly steps: readonly MigrationStep[]; readonly tables: readonly Table[] } => {
  const byName = new Map(wanted.map((table) => [table.name, table]));
  const gone = actual.filter(({ name, links, kept }) => {
    if (kept !== undefined) return byName.get(name)?.kept?.hash !== kept.hash;
    return links !== undefined && !byName.has(name);
  });
  return {
    steps: gone.map((table) => (table.kept === undefined ? dropLinks(table) : dropKept(table, table.kept))),
    tables: actual.filter((table) => !gone.includes(table)),
  };
};

const dropKept = (table: Table, { functions }: RowMaintenance): MigrationStep => ({
  says: null,
  run: [
    ...functions.map((name) => definitionText(sql`drop function if exists ${inApp(name)}() cascade`)),
    definitionText(sql`drop table ${inApp(table.name)}`),
  ].join(";\n"),
});

/** A trigger maintains the link rows whenever the column is written, by whomever. */
const keepLinks = (table: Table, { of, column }: Links): MigrationStep => {
  const [links, owner, name] = [inApp(table.name), inApp(of), identifier(column)];
  const trigger = identifier(table.name);
  return {
    says: null,
    run: [
      sql`create function ${links}() returns trigger language plpgsql as $links$
begin
  if TG_OP = 'UPDATE' then
    delete from ${links} where "record" = new."id" and not "refers" = any (new.${name});
  end if;
  insert into ${links} ("record", "refers") select new."id", "one" from unnest(new.${name}) as "one" on conflict do nothing;
  return null;
end
$links$`,
      sql`create trigger ${trigger} after insert on ${owner} for each row when (new.${name} <> '{}') execute function ${links}()`,
      sql`create trigger ${identifier(`${table.name.slice(0, 58)}_kept`)} after update on ${owner} for each row when (old.${name} is distinct from new.${name}) execute function ${links}()`,
      sql`insert into ${links} ("record", "refers") select distinct "id", unnest(${name}) from ${owner}`,
    ]
      .map(definitionText)
      .join(";\n"),
  };
};

/** The column contains the same data. */
export const dropLinks = (table: Table): MigrationStep => ({
  says: null,
  run: definitionText(sql`drop function if exists ${inApp(table.name)}() cascade;\ndrop table ${inApp(table.name)}`),
});

/** Computed data cannot be lost: the column is dropped and recreated with the new formula. */
const changeGenerated = (
  table: Table,
  old: Column,
  column: Column,
  { steps, references }: { steps: MigrationStep[]; references: MigrationStep[] },
): void => {
  if (isSameGenerated(old, column)) return;
  const isAsItWas = column.generated === undefined && old.type === column.type && old.references === column.references;
  if (isAsItWas) {
    const name = identifier(column.name);
    steps.push({
      says: say("step.plain", { clause: column.clause }),
      run: [
        definitionText(sql`alter table ${inApp(table.name)} alter column ${name} drop expression`),
        definitionText(sql`comment on column ${inApp(table.name)}.${name} is ${columnNote(column)}`),
      ].join(";\n"),
    });
    if (column.required) steps.push(requireColumn(table, column));
    return;
  }
  const { run } = addColumn(table, column);
  steps.push({ says: say("step.recompute", { clause: column.clause }), run: `${dropColumn(table, old)};\n${run}` });
  references.push(...addReference(table, column));
};

const isSameGenerated = (old: Column, column: Column): boolean =>
  old.generated === column.generated && old.type === column.type && old.references === column.references;

const dropColumn = (table: Table, { name }: Column): string =>
  definitionText(sql`alter table ${inApp(table.name)} drop column ${identifier(name)}`);

/** Dependants of a column are dropped before it is changed. */
const withoutRemade = (known: Table, table: Table, rebuilt: readonly Pick<Table, "checks" | "indexes">[]): Table => {
  const wanted = new Map(table.columns.map((column) => [column.name, column]));
  const gone = known.columns.flatMap((old) => {
    const column = wanted.get(old.name);
    const stays = column !== undefined && (isSameGenerated(old, column) || column.generated === undefined);
    return old.generated === undefined || stays ? [] : [definitionText(identifier(old.name))];
  });
  const isLeft = (reads: string) => !gone.some((name) => reads.includes(name));
  return {
    ...known,
    checks: known.checks.filter((one) => isLeft(one.condition) && !rebuilt.some(({ checks }) => checks.includes(one))),
    indexes: known.indexes.filter((one) => isLeft(one.on) && !rebuilt.some(({ indexes }) => indexes.includes(one))),
  };
};

export const columnSql = (column: Column): Sql => {
  const key = column.name === "id" ? sql` primary key` : sql``;
  const required = column.required && column.name !== "id" ? sql` not null` : sql``;
  // One collation everywhere: by code point, with Unicode case mapping, regardless of the database's defaults.
  const order = column.type === "text" ? sql` collate "pg_unicode_fast"` : sql``;
  const initial = column.initial === null ? sql`` : sql` default ${raw(column.initial)}`;
  const generated =
    column.generated === undefined ? sql`` : sql` generated always as (${raw(column.generated)}) stored`;
  return sql`${identifier(column.name)} ${raw(column.type)}${order}${key}${required}${initial}${generated}`;
};

/**
 * The formula is stored in the comment with the clause, because Postgres rewrites expressions and its version could not
 * be compared.
 */
export const columnNote = ({ clause, generated }: Column): Sql =>
  generated === undefined ? noted(clause) : constant(JSON.stringify({ clause, generated }));

/** The comments that record the clauses a table comes from. */
export const clauseNotes = (table: Table): readonly string[] => [
  definitionText(sql`comment on table ${inApp(table.name)} is ${tableNote(table)}`),
  ...table.columns.map((column) =>
    definitionText(sql`comment on column ${inApp(table.name)}.${identifier(column.name)} is ${columnNote(column)}`),
  ),
  ...table.checks.map((check) => definitionText(commentCheck(table, check))),
  ...table.indexes.map((index) => definitionText(commentIndex(index))),
  ...table.exclusions.map((exclusion) => definitionText(commentExclusion(table, exclusion))),
];

/** The constraints and triggers of a table as comparable texts. */
export const comparableDefinitions = (table: Table): readonly string[] => [
  ...table.checks.map((check) => checkAdded(table, check)),
  ...table.exclusions.map((exclusion) => exclusionAdded(table, exclusion)),
  ...table.indexes.map((index) => indexMade(table, index)),
];

const checkAdded = (table: Table, { name, condition }: Check): string =>
  `alter table ${definitionText(inApp(table.name))} add constraint ${definitionText(identifier(name))} check (${condition})`;

const exclusionAdded = (table: Table, { name, definition }: Exclusion): string =>
  definitionText(sql`alter table ${inApp(table.name)} add constraint ${identifier(name)} ${raw(definition)}`);

export const indexMade = (table: Table, { name, on, unique, waits }: Index, how: "" | "concurrently " = ""): string =>
  waits === true
    ? definitionText(sql`alter table ${inApp(table.name)} add constraint ${identifier(name)} unique ${raw(on)}`)
    : definitionText(
        sql`create ${raw(unique ? "unique " : "")}index ${raw(how)}${identifier(name)} on ${inApp(table.name)} ${raw(on)}`,
      );

/** An index that belongs to a constraint is dropped with the constraint. */
export const indexDropped = (table: Pick<Table, "name">, { name, waits }: Index): Sql =>
  waits === true
    ? sql`alter table ${inApp(table.name)} drop constraint ${identifier(name)}`
    : sql`drop index "app".${identifier(name)}`;

export const createTable = (table: Table): MigrationStep => {
  const columns = table.columns.map((column) => definitionText(columnSql(column)));
  const checks = table.checks.map(
    (check) => `constraint ${definitionText(identifier(check.name))} check (${check.condition})`,
  );
  const comments = clauseNotes({ ...table, indexes: [], exclusions: [] });
  return {
    says: table.links === undefined ? say("step.table", { clause: table.clause, name: table.name }) : null,
    run: [
      `create table ${definitionText(inApp(table.name))} (\n  ${[...columns, ...checks].join(",\n  ")}\n)`,
      ...comments,
    ].join(";\n"),
  };
};

/**
 * The definition is stored in the comment with the clause, because Postgres rewrites conditions and its version could
 * not be compared.
 */
const commentCheck = (table: Table, check: Check): Sql =>
  sql`comment on constraint ${identifier(check.name)} on ${inApp(table.name)} is ${constant(JSON.stringify({ clause: check.clause, condition: check.condition, values: check.values, of: check.of }))}`;

export const commentIndex = (index: Index): Sql =>
  sql`comment on index "app".${identifier(index.name)} is ${constant(JSON.stringify({ clause: index.clause, on: index.on }))}`;

const commentExclusion = (table: Table, { name, clause, definition }: Exclusion): Sql =>
  sql`comment on constraint ${identifier(name)} on ${inApp(table.name)} is ${constant(JSON.stringify({ clause, definition }))}`;

export const addReference = (table: Table, column: Column): readonly MigrationStep[] =>
  column.references === null
    ? []
    : [
        {
          says:
            column.goesWith === true
              ? null
              : say("step.reference", { clause: column.clause, table: column.references }),
          run: definitionText(referring(table, column, column.references)),
          online: {
            table: table.name,
            unfit: definitionText(
              sql`${identifier(column.name)} is not null and not exists (select from ${inApp(column.references)} "target" where "target"."id" = ${inApp(table.name)}.${identifier(column.name)})`,
            ),
            readsOthers: true,
            switch: definitionText(sql`${referring(table, column, column.references)} not valid`),
            retire: [constraintValidated(table, referenceName(table.name, column.name))],
          },
        },
      ];

const referring = (table: Table, { name, goesWith }: Column, to: string): Sql =>
  sql`alter table ${inApp(table.name)} add constraint ${identifier(referenceName(table.name, name))} foreign key (${identifier(name)}) references ${inApp(to)} ("id")${goesWith === true ? sql` on delete cascade` : sql` deferrable`}`;

/** Deferred: effects of a deletion may delete the referring records in the same transaction. */
const patientReference = (table: Table, { name }: Column): MigrationStep => ({
  says: null,
  run: definitionText(
    sql`alter table ${inApp(table.name)} alter constraint ${identifier(referenceName(table.name, name))} deferrable`,
  ),
});

/** Built beside the table, then given its name and, for a constraint, to the constraint. */
const indexOnline = (table: Table, index: Index): Online => {
  const name = nextName(index.name);
  const [own, next] = [identifier(index.name), identifier(name)];
  const comment = definitionText(commentIndex(index));
  if (index.waits !== true)
    return {
      table: table.name,
      index: { name, build: indexMade(table, { ...index, name }, "concurrently ") },
      switch: `${definitionText(sql`alter index "app".${next} rename to ${own}`)};\n${comment}`,
    };
  const [, nulls = "", columns = ""] = /^(nulls not distinct )?(\(.*\)) deferrable$/u.exec(index.on) ?? [];
  return {
    table: table.name,
    index: {
      name,
      build: definitionText(
        sql`create unique index concurrently ${next} on ${inApp(table.name)} ${raw(`${columns} ${nulls}`.trim())}`,
      ),
    },
    switch: `${definitionText(sql`alter table ${inApp(table.name)} add constraint ${own} unique using index ${next} deferrable`)};\n${comment}`,
  };
};

const createIndex = (table: Table, index: Index): MigrationStep => {
  const run = `${indexMade(table, index)};\n${definitionText(commentIndex(index))}`;
  const step = {
    says: say("step.index", { clause: index.clause, name: index.name }),
    run,
    online: indexOnline(table, index),
  };
  if (!index.unique) return step;
  const count = `select count(*)::int from (${index.twice ?? "select 1 where false"}) twice`;
  return {
    ...step,
    unless: {
      clause: index.clause,
      count,
      says: (rows) => say("refused.unique", { clause: index.clause, rows }),
    },
  };
};

const addColumn = (table: Table, column: Column): MigrationStep => {
  const name = identifier(column.name);
  const add = definitionText(sql`alter table ${inApp(table.name)} add column ${columnSql(column)}`);
  const comment = definitionText(sql`comment on column ${inApp(table.name)}.${name} is ${columnNote(column)}`);
  const says = column.name === STATE_SINCE ? null : say("step.column", { clause: column.clause, name: column.name });
  const step = {
    says,
    run: `${add};\n${comment}`,
    ...(column.generated === undefined
      ? {
          online: {
            table: table.name,
            expand: `${add};\n${hiddenComment(table.name, column.name)}`,
            switch: comment,
          },
        }
      : {}),
  };
  if (!column.required || column.initial !== null) return step;
  return {
    says,
    run: step.run,
    unless: {
      clause: column.clause,
      count: definitionText(sql`select count(*)::int from ${inApp(table.name)}`),
      misfits: misfitRows(table, sql`true`),
      missing: { kind: "fill", entity: getEntityName(table), field: column.name },
      says: (rows) => say("refused.required.added", { clause: column.clause, rows }),
    },
  };
};

/** Adds a column in place of a retired one, which has its name until the switch. */
const addNextColumn = (table: Table, column: Column): MigrationStep => {
  const step = addColumn(table, column);
  if (step.online === undefined) return step;
  const name = nextName(column.name);
  const added = addColumn(table, { ...column, name });
  const rename = sql`alter table ${inApp(table.name)} rename column ${identifier(name)} to ${identifier(column.name)}`;
  return {
    ...step,
    online: {
      table: table.name,
      readsFormer: true,
      expand: added.online?.expand ?? "",
      switch: `${definitionText(rename)};\n${step.online.switch}`,
    },
  };
};

/** Gives rows without a value the one of `fill`. With `version`, what they had is kept for going back. */
const fillMissing = (table: Table, column: Column, fill: string, version: number | null): MigrationStep => {
  const name = identifier(column.name);
  const value = sql`(${raw(fill)})::${raw(column.type)}`;
  const isMissing = column.type.endsWith("[]") ? sql`${name} = '{}'` : sql`${name} is null`;
  const place = { table: table.name, column: column.name };
  const says = (rows: number) => (rows === 0 ? null : say("step.filled", { clause: column.clause, rows }));
  return {
    says: says(0),
    writes: {
      count: definitionText(
        sql`select count(*)::int from ${inApp(table.name)} where ${isMissing} and ${value} is not null`,
      ),
      says,
    },
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

/** Values of `fill` fit the new checks of their column, and not always the former ones. */
const dropFormerChecks = (known: Table, table: Table, column: Column): readonly MigrationStep[] => {
  const same = new Map(table.checks.map(({ name, condition }) => [name, condition]));
  return getReaders(known, column)
    .checks.filter(({ name, condition }) => same.get(name) !== condition)
    .map(({ name }) => ({ says: null, run: dropCheck(table, name) }));
};

/** A check can be dropped before its column is filled, and again when it is replaced. */
const dropCheck = (table: Table, name: string): string =>
  definitionText(sql`alter table ${inApp(table.name)} drop constraint if exists ${identifier(name)}`);

/** After all tables exist, since the values may be read from them. */
const fillColumn = (table: Table, { name, clause, type, filled }: Column): readonly MigrationStep[] =>
  filled === undefined
    ? []
    : [
        {
          says: null,
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

/** As Postgres names it. */
const requiredName = (table: Table, column: Column): string => {
  const name = `${table.name}_${column.name}_not_null`;
  return name.length <= 63 ? name : `${name.slice(0, 54)}_${shortHash(name)}`;
};

const constraintValidated = (table: Table, name: string): string =>
  definitionText(sql`alter table ${inApp(table.name)} validate constraint ${identifier(name)}`);

export const requireColumn = (table: Table, column: Column): MigrationStep => {
  const name = identifier(column.name);
  return {
    says: column.name === STATE_SINCE ? null : say("step.required", { clause: column.clause }),
    run: definitionText(sql`alter table ${inApp(table.name)} alter column ${name} set not null`),
    online: {
      table: table.name,
      unfit: definitionText(sql`${name} is null`),
      switch: definitionText(
        sql`alter table ${inApp(table.name)} add constraint ${identifier(requiredName(table, column))} not null ${name} not valid`,
      ),
      retire: [constraintValidated(table, requiredName(table, column))],
    },
    unless: {
      clause: column.clause,
      count: definitionText(sql`select count(*)::int from ${inApp(table.name)} where ${name} is null`),
      misfits: misfitRows(table, sql`${name} is null`),
      ...(column.fill === undefined
        ? { missing: { kind: "fill" as const, entity: getEntityName(table), field: column.name } }
        : {}),
      says: (rows) =>
        say("refused.required", {
          clause: column.clause,
          rows,
          filled: column.fill !== undefined || column.conversion?.isDeclared === true,
        }),
    },
  };
};

/** Requires a column that was filled before. Rows from whose former value none follows are already refused. */
const requireFilled = (table: Table, column: Column, find: FindFormer, where?: Sql): MigrationStep => {
  const step = { ...requireColumn(table, column), says: null };
  const { conversion } = column;
  if (conversion === undefined || column.fill !== undefined || step.unless === undefined) return step;
  return { ...step, unless: { ...step.unless, count: countMissing(table, column, conversion, find, where) } };
};

/**
 * Postgres builds an exclusion constraint under a lock that everybody waits for. So it is added for no row at first, and
 * then for all of them, by a column of its own that is written in batches.
 */
const exclusionOnline = (table: Table, exclusion: Exclusion): Online | undefined => {
  const { name, definition, among, clause } = exclusion;
  const end = among === undefined ? " deferrable" : ` where (${among}) deferrable`;
  if (!definition.endsWith(end)) return undefined;
  const [checked, alter] = [checkedName(name), sql`alter table ${inApp(table.name)}`];
  const own = identifier(checked);
  const condition = among === undefined ? own : sql`(${raw(among)}) and ${own}`;
  return {
    table: table.name,
    expand: [
      definitionText(sql`${alter} drop column if exists ${own} cascade`),
      definitionText(sql`${alter} add column ${own} boolean`),
      hiddenComment(table.name, checked),
      definitionText(
        sql`${alter} add constraint ${identifier(nextName(name))} ${raw(definition.slice(0, -end.length))} where (${condition}) deferrable`,
      ),
    ].join(";\n"),
    backfill: { clause, column: checked, value: "true", where: "true", again: "true", former: null },
    switch: [
      sql`${alter} alter column ${own} set default true`,
      sql`comment on column ${inApp(table.name)}.${own} is ${constant(IS_COMPARED)}`,
      sql`${alter} rename constraint ${identifier(nextName(name))} to ${identifier(name)}`,
      commentExclusion(table, exclusion),
    ]
      .map(definitionText)
      .join(";\n"),
  };
};

const addExclusion = (table: Table, exclusion: Exclusion): MigrationStep => {
  const online = exclusionOnline(table, exclusion);
  return {
    ...(online === undefined ? {} : { online }),
    says: say("step.check", { clause: exclusion.clause }),
    run: `${exclusionAdded(table, exclusion)};\n${definitionText(commentExclusion(table, exclusion))}`,
    refusable: refuseChange(
      exclusion.clause,
      say("refused.pairs", { clause: exclusion.clause, same: exclusion.same === true }),
    ),
  };
};

const changeExclusions = (
  known: Table,
  table: Table,
): { readonly gone: readonly MigrationStep[]; readonly steps: readonly MigrationStep[] } => {
  const old = new Map(known.exclusions.map((exclusion) => [exclusion.name, exclusion]));
  const alter = sql`alter table ${inApp(table.name)}`;
  const drop = ({ name }: Exclusion) =>
    [
      sql`${alter} drop constraint ${identifier(name)}`,
      sql`${alter} drop column if exists ${identifier(checkedName(name))}`,
    ]
      .map(definitionText)
      .join(";\n");
  const steps: MigrationStep[] = [];
  for (const exclusion of table.exclusions) {
    const before = old.get(exclusion.name);
    old.delete(exclusion.name);
    if (before?.definition === exclusion.definition) continue;
    const { online, ...add } = addExclusion(table, exclusion);
    steps.push(
      before === undefined
        ? { ...add, ...(online === undefined ? {} : { online }) }
        : { ...add, run: `${drop(before)};\n${add.run}` },
    );
  }
  const gone = [...old.values()].map((one) => ({
    says: say("step.check.removed", { clause: one.clause }),
    run: drop(one),
  }));
  return { gone, steps };
};

/** An index with a changed definition is rebuilt; its name only identifies its fields. */
const changeIndexes = (known: Table, table: Table): readonly MigrationStep[] => {
  const old = new Map(known.indexes.map((index) => [index.name, index]));
  const drop = (index: Index) => definitionText(indexDropped(known, index));
  const steps: MigrationStep[] = [];
  for (const index of table.indexes) {
    const before = old.get(index.name);
    old.delete(index.name);
    if (before?.on === index.on && before.unique === index.unique) continue;
    if (index.later === true) {
      if (before !== undefined)
        steps.push({ says: say("step.index.later", { clause: index.clause, name: index.name }), run: drop(before) });
      continue;
    }
    const create = createIndex(table, index);
    steps.push(
      before === undefined
        ? create
        : {
            ...create,
            says: say("step.index.rebuild", { clause: index.clause, name: index.name }),
            run: `${drop(before)};\n${create.run}`,
            ...(create.online === undefined
              ? {}
              : { online: { ...create.online, switch: `${drop(before)};\n${create.online.switch}` } }),
          },
    );
  }
  for (const gone of old.values())
    steps.push({ says: say("step.index.removed", { clause: gone.clause, name: gone.name }), run: drop(gone) });
  return steps;
};

/** Constraints that merely restate a type are not reported. */
const saysOf = (check: Check, before: Check | undefined): Message | null => {
  if (check.of === "type") return null;
  return say(before === undefined ? "step.check" : "step.check.changed", { clause: check.clause });
};

/** The choice or state that a check of values is about. */
const columnOfValues = (table: Table, { condition, clause }: Check): Column | undefined =>
  table.columns.find(
    (column) => column.clause === clause && condition.startsWith(`${definitionText(identifier(column.name))} `),
  );

/** A value can be removed if no record has it. Otherwise the author says which value the records get. */
const refuseLost = (table: Table, column: Column, { clause, values }: Check, value: string): MigrationStep => {
  const name = identifier(column.name);
  const holds = column.type.endsWith("[]")
    ? sql`${name} @> array[${constant(value)}]`
    : sql`${name} = ${constant(value)}`;
  const example = `{ ${values?.[0] ?? "other"}: { was: ${value} } }`;
  return {
    says: say("step.value.removed", { clause, value }),
    run: "",
    online: { table: table.name, unfit: definitionText(holds), switch: "" },
    unless: {
      clause,
      count: definitionText(sql`select count(*)::int from ${inApp(table.name)} where ${holds}`),
      misfits: misfitRows(table, holds),
      missing: { kind: "was", entity: getEntityName(table), field: column.name, value, values: values ?? [] },
      says: (rows) => say("refused.value", { clause, value, rows, example }),
    },
  };
};

const changeChecks = (known: Table, table: Table, whole: Table): readonly MigrationStep[] => {
  const old = new Map(known.checks.map((check) => [check.name, check]));
  /** A renamed table or column can have the check of its values under another name. */
  const formerIn = (checks: Iterable<Check>, check: Check): Check | undefined => {
    const all = [...checks];
    const column = check.values === null ? undefined : columnOfValues(table, check);
    return (
      all.find(({ name }) => name === check.name) ??
      (column === undefined
        ? undefined
        : all.find(
            (one) => one.values !== null && one.condition.startsWith(`${definitionText(identifier(column.name))} `),
          ))
    );
  };
  const steps: MigrationStep[] = [];
  const drop = (check: Check) => dropCheck(table, check.name);
  for (const check of table.checks) {
    const before = formerIn(old.values(), check);
    if (before !== undefined) old.delete(before.name);
    if (before?.condition === check.condition && before.name === check.name) continue;
    const lost = before?.values?.filter((one) => !check.values?.includes(one)) ?? [];
    const former = formerIn(whole.checks, check)?.values;
    const added = check.values?.filter((one) => former?.includes(one) === false) ?? [];
    const column = check.values === null ? undefined : columnOfValues(table, check);
    if (column !== undefined) steps.push(...lost.map((value) => refuseLost(table, column, check, value)));
    const made = (how: "" | " not valid"): string =>
      [
        ...(before === undefined ? [] : [drop(before)]),
        `${checkAdded(table, check)}${how}`,
        definitionText(commentCheck(table, check)),
      ].join(";\n");
    steps.push({
      says: saysOf(check, before),
      run: made(""),
      online: {
        table: table.name,
        unfit: `not (${check.condition})`,
        switch: made(" not valid"),
        retire: [constraintValidated(table, check.name)],
      },
      ...(lost.length > 0 && column !== undefined
        ? {}
        : {
            unless: {
              clause: check.clause,
              count: `select count(*)::int from ${definitionText(inApp(table.name))} where not (${check.condition})`,
              misfits: misfitRows(table, raw(`not (${check.condition})`)),
              says: (rows) => say("refused.violates", { clause: check.clause, rows }),
            },
          }),
    });
    if (column !== undefined && added.length > 0) steps.push(restoreValues(table, column, added));
  }
  for (const gone of old.values())
    steps.push({ says: say("step.check.removed", { clause: gone.clause }), run: drop(gone) });
  return steps;
};
