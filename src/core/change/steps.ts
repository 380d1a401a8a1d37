import {
  type Check,
  type Column,
  type Exclusion,
  type Index,
  referenceName,
  STATE_SINCE,
  type Table,
} from "../derive/tables.ts";
import { constant, identifier, render, type Sql, sql } from "../sql.ts";

/** One thing to do to the database. What needs no telling says nothing. `unless` counts rows that would not fit; one row or more refuses the change. */
export interface Step {
  readonly says: string;
  readonly run: string;
  /** A sentence for what Postgres refuses because of rows that are there. */
  readonly refusable?: RefusedChange;
  readonly unless?: { readonly clause: string; readonly count: string; readonly says: (rows: number) => string };
}

/** A change that would lose or reinterpret what is stored. It is never made by starting. */
export interface RefusedChange {
  readonly clause: string;
  readonly says: string;
}

export interface Steps {
  readonly steps: readonly Step[];
  readonly refused: readonly RefusedChange[];
}

const textOf = (piece: Sql): string => render(piece).text;
const raw = (text: string): Sql => ({ kind: "sql", parts: [text] });
const inApp = (table: string): Sql => sql`"app".${identifier(table)}`;
const noted = (clause: string): Sql => constant(`clause ${clause}`);

/**
 * The way from the tables that are there to those that the document wants. Only what adds is a step; everything else is
 * refused with what changed, and nothing is ever dropped.
 */
export const stepsBetween = (actual: readonly Table[], wanted: readonly Table[]): Steps => {
  const there = new Map(actual.map((table) => [table.name, table]));
  const steps: Step[] = [];
  const references: Step[] = [];
  // What is kept is there before anything is asked of it, and reads tables that may be made here.
  const fills: Step[] = [];
  const checks: Step[] = [];
  const refused: RefusedChange[] = [];
  for (const table of wanted) {
    const known = there.get(table.name);
    if (known === undefined) {
      steps.push(createTable(table));
      references.push(
        ...table.columns.flatMap((column) => addReference(table, column)),
        ...table.indexes.map((index) => createIndex(table, index)),
        ...table.exclusions.map((exclusion) => addExclusion(table, exclusion)),
      );
      continue;
    }
    const columns = new Map(known.columns.map((column) => [column.name, column]));
    for (const column of table.columns) {
      const old = columns.get(column.name);
      if (old === undefined) {
        steps.push(addColumn(table, column));
        fills.push(...fillColumn(table, column));
        references.push(...addReference(table, column));
      } else if (old.generated !== undefined || column.generated !== undefined)
        changeGenerated(table, old, column, { steps, references, refused });
      else if (old.type !== column.type || old.references !== column.references)
        refused.push({
          clause: column.clause,
          says: `${column.clause} was ${describe(old)} and would become ${describe(column)}.`,
        });
      else if (column.required && !old.required) steps.push(requireColumn(table, column));
      else if (!column.required && old.required)
        steps.push({
          says: `${column.clause} may be missing from now on`,
          run: textOf(sql`alter table ${inApp(table.name)} alter column ${identifier(column.name)} drop not null`),
        });
    }
    const wantedColumns = new Set(table.columns.map((column) => column.name));
    for (const column of known.columns)
      if (wantedColumns.has(column.name)) continue;
      else if (column.generated !== undefined)
        steps.push({
          says: `${column.clause} is no column any more: nothing that was entered stood in it`,
          run: dropColumn(table, column),
        });
      // It goes with the state, and that was said.
      else if (column.name !== STATE_SINCE)
        refused.push({
          clause: table.clause,
          says: `${table.clause} has no field ${column.name} any more, and what is stored in it would be lost.`,
        });
    const left = withoutRemade(known, table);
    const { steps: checkSteps, refused: checkRefused } = changeChecks(left, table);
    checks.push(...checkSteps);
    refused.push(...checkRefused);
    references.push(...changeIndexes(left, table), ...changeExclusions(known, table));
  }
  const wantedTables = new Set(wanted.map((table) => table.name));
  for (const table of actual)
    if (!wantedTables.has(table.name))
      refused.push({
        clause: table.clause,
        says: `There is no entity for the table ${table.name} any more, and what is stored in it would be lost.`,
      });
  return { steps: [...steps, ...fills, ...checks, ...references], refused };
};

/** What is computed is no loss: its column is taken away and made anew, with what the clause says now. */
const changeGenerated = (
  table: Table,
  old: Column,
  column: Column,
  { steps, references, refused }: { steps: Step[]; references: Step[]; refused: RefusedChange[] },
): void => {
  if (isSameGenerated(old, column)) return;
  if (old.generated === undefined) {
    refused.push({
      clause: column.clause,
      says: `${column.clause} would be computed, and what is stored in it would be lost.`,
    });
    return;
  }
  const isAsItWas = column.generated === undefined && old.type === column.type && old.references === column.references;
  if (isAsItWas) {
    const name = identifier(column.name);
    steps.push({
      says: `${column.clause} keeps what was computed, and is written from now on`,
      run: [
        textOf(sql`alter table ${inApp(table.name)} alter column ${name} drop expression`),
        textOf(sql`comment on column ${inApp(table.name)}.${name} is ${columnNote(column)}`),
      ].join(";\n"),
    });
    if (column.required) steps.push(requireColumn(table, column));
    return;
  }
  const { run } = addColumn(table, column);
  steps.push({ says: `${column.clause} is computed anew`, run: `${dropColumn(table, old)};\n${run}` });
  references.push(...addReference(table, column));
};

const isSameGenerated = (old: Column, column: Column): boolean =>
  old.generated === column.generated && old.type === column.type && old.references === column.references;

const dropColumn = (table: Table, { name }: Column): string =>
  textOf(sql`alter table ${inApp(table.name)} drop column ${identifier(name)}`);

/** With a column Postgres takes away the indexes and the constraints that read it. */
const withoutRemade = (known: Table, table: Table): Table => {
  const wanted = new Map(table.columns.map((column) => [column.name, column]));
  const gone = known.columns.flatMap((old) => {
    const column = wanted.get(old.name);
    const stays = column !== undefined && (isSameGenerated(old, column) || column.generated === undefined);
    return old.generated === undefined || stays ? [] : [textOf(identifier(old.name))];
  });
  const isLeft = (reads: string) => !gone.some((name) => reads.includes(name));
  return {
    ...known,
    checks: known.checks.filter(({ condition }) => isLeft(condition)),
    indexes: known.indexes.filter(({ on }) => isLeft(on)),
  };
};

const describe = (column: Column): string =>
  column.references === null ? column.type : `a reference to ${column.references}`;

const columnSql = (column: Column): Sql => {
  const key = column.name === "id" ? sql` primary key` : sql``;
  const required = column.required && column.name !== "id" ? sql` not null` : sql``;
  // One order everywhere, by code point, and capitals as Unicode has them, whatever the database was made with.
  const order = column.type === "text" ? sql` collate "pg_unicode_fast"` : sql``;
  const initial = column.initial === null ? sql`` : sql` default ${raw(column.initial)}`;
  const generated =
    column.generated === undefined ? sql`` : sql` generated always as (${raw(column.generated)}) stored`;
  return sql`${identifier(column.name)} ${raw(column.type)}${order}${key}${required}${initial}${generated}`;
};

/** What a column is computed by is kept beside its clause: Postgres rewrites it, and its own words could not be compared. */
const columnNote = ({ clause, generated }: Column): Sql =>
  generated === undefined ? noted(clause) : constant(JSON.stringify({ clause, generated }));

/** What the database is told of the clauses that a table comes from. */
export const notesOf = (table: Table): readonly string[] => [
  textOf(sql`comment on table ${inApp(table.name)} is ${noted(table.clause)}`),
  ...table.columns.map((column) =>
    textOf(sql`comment on column ${inApp(table.name)}.${identifier(column.name)} is ${columnNote(column)}`),
  ),
  ...table.checks.map((check) => textOf(commentCheck(table, check))),
  ...table.indexes.map((index) => textOf(commentIndex(index))),
  ...table.exclusions.map((exclusion) => textOf(commentExclusion(table, exclusion))),
];

/** What is said of a table beside its columns, each to be said once. */
export const definitionsOf = (table: Table): readonly string[] => [
  ...table.checks.map((check) => checkAdded(table, check)),
  ...table.exclusions.map((exclusion) => exclusionAdded(table, exclusion)),
  ...table.indexes.map((index) => indexMade(table, index)),
];

const checkAdded = (table: Table, { name, condition }: Check): string =>
  `alter table ${textOf(inApp(table.name))} add constraint ${textOf(identifier(name))} check (${condition})`;

const exclusionAdded = (table: Table, { name, definition }: Exclusion): string =>
  textOf(sql`alter table ${inApp(table.name)} add constraint ${identifier(name)} ${raw(definition)}`);

const indexMade = (table: Table, { name, on, unique }: Index): string =>
  textOf(sql`create ${raw(unique ? "unique " : "")}index ${identifier(name)} on ${inApp(table.name)} ${raw(on)}`);

const createTable = (table: Table): Step => {
  const columns = table.columns.map((column) => textOf(columnSql(column)));
  const checks = table.checks.map((check) => `constraint ${textOf(identifier(check.name))} check (${check.condition})`);
  const comments = notesOf({ ...table, indexes: [], exclusions: [] });
  return {
    says: `${table.clause} gets the table ${table.name}`,
    run: [
      `create table ${textOf(inApp(table.name))} (\n  ${[...columns, ...checks].join(",\n  ")}\n)`,
      ...comments,
    ].join(";\n"),
  };
};

/** The definition is kept beside the clause: Postgres rewrites conditions, and its own words could not be compared. */
const commentCheck = (table: Table, check: Check): Sql =>
  sql`comment on constraint ${identifier(check.name)} on ${inApp(table.name)} is ${constant(JSON.stringify({ clause: check.clause, condition: check.condition, values: check.values, of: check.of }))}`;

const commentIndex = (index: Index): Sql =>
  sql`comment on index "app".${identifier(index.name)} is ${constant(JSON.stringify({ clause: index.clause, on: index.on }))}`;

const commentExclusion = (table: Table, { name, clause, definition }: Exclusion): Sql =>
  sql`comment on constraint ${identifier(name)} on ${inApp(table.name)} is ${constant(JSON.stringify({ clause, definition }))}`;

const addReference = (table: Table, column: Column): readonly Step[] =>
  column.references === null
    ? []
    : [
        {
          says: `${column.clause} refers to ${column.references}`,
          run: textOf(
            sql`alter table ${inApp(table.name)} add constraint ${identifier(referenceName(table.name, column.name))} foreign key (${identifier(column.name)}) references ${inApp(column.references)} ("id")`,
          ),
        },
      ];

const createIndex = (table: Table, index: Index): Step => {
  const run = `${indexMade(table, index)};\n${textOf(commentIndex(index))}`;
  const step = { says: `${index.clause} gets the index ${index.name}`, run };
  if (!index.unique) return step;
  const count = `select count(*)::int from (${index.twice ?? "select 1 where false"}) twice`;
  return {
    ...step,
    unless: {
      clause: index.clause,
      count,
      says: (rows) =>
        `${index.clause} would become unique, and ${rows === 1 ? "one value stands" : `${rows} values stand`} there more than once.`,
    },
  };
};

const addColumn = (table: Table, column: Column): Step => {
  const name = identifier(column.name);
  const add = textOf(sql`alter table ${inApp(table.name)} add column ${columnSql(column)}`);
  const comment = textOf(sql`comment on column ${inApp(table.name)}.${name} is ${columnNote(column)}`);
  const says = column.name === STATE_SINCE ? "" : `${column.clause} gets the column ${column.name}`;
  const step = { says, run: `${add};\n${comment}` };
  if (!column.required || column.initial !== null) return step;
  return {
    ...step,
    unless: {
      clause: column.clause,
      count: textOf(sql`select count(*)::int from ${inApp(table.name)}`),
      says: (rows) =>
        `${column.clause} is new and required, and ${rows === 1 ? "one record has" : `${rows} records have`} no value for it. Make it optional first.`,
    },
  };
};

/** Once all tables are there, since it may read them. */
const fillColumn = (table: Table, { name, type, filled }: Column): readonly Step[] =>
  filled === undefined
    ? []
    : [
        {
          says: "",
          run: textOf(sql`update ${inApp(table.name)} set ${identifier(name)} = (${raw(filled)})::${raw(type)}`),
        },
      ];

const requireColumn = (table: Table, column: Column): Step => {
  const name = identifier(column.name);
  return {
    says: `${column.clause} is needed from now on`,
    run: textOf(sql`alter table ${inApp(table.name)} alter column ${name} set not null`),
    unless: {
      clause: column.clause,
      count: textOf(sql`select count(*)::int from ${inApp(table.name)} where ${name} is null`),
      says: (rows) =>
        `${column.clause} would become required, and ${rows === 1 ? "one record has" : `${rows} records have`} no value for it.`,
    },
  };
};

const addExclusion = (table: Table, exclusion: Exclusion): Step => {
  return {
    says: `${exclusion.clause} is held by the database too`,
    run: `${exclusionAdded(table, exclusion)};\n${textOf(commentExclusion(table, exclusion))}`,
    refusable: {
      clause: exclusion.clause,
      says: `${exclusion.clause} would not hold for records that are stored: some overlap.`,
    },
  };
};

const changeExclusions = (known: Table, table: Table): readonly Step[] => {
  const old = new Map(known.exclusions.map((exclusion) => [exclusion.name, exclusion]));
  const drop = (exclusion: Exclusion) =>
    textOf(sql`alter table ${inApp(table.name)} drop constraint ${identifier(exclusion.name)}`);
  const steps: Step[] = [];
  for (const exclusion of table.exclusions) {
    const before = old.get(exclusion.name);
    old.delete(exclusion.name);
    if (before?.definition === exclusion.definition) continue;
    const add = addExclusion(table, exclusion);
    steps.push(before === undefined ? add : { ...add, run: `${drop(before)};\n${add.run}` });
  }
  for (const gone of old.values()) steps.push({ says: `${gone.clause} is no rule any more`, run: drop(gone) });
  return steps;
};

/** An index that reads otherwise is made anew: its name says which fields it is for, not how. */
const changeIndexes = (known: Table, table: Table): readonly Step[] => {
  const old = new Map(known.indexes.map((index) => [index.name, index]));
  const drop = (index: Index) => textOf(sql`drop index "app".${identifier(index.name)}`);
  const steps: Step[] = [];
  for (const index of table.indexes) {
    const before = old.get(index.name);
    old.delete(index.name);
    if (before?.on === index.on && before.unique === index.unique) continue;
    const create = createIndex(table, index);
    steps.push(
      before === undefined
        ? create
        : {
            ...create,
            says: `${index.clause} has its index ${index.name} anew`,
            run: `${drop(before)};\n${create.run}`,
          },
    );
  }
  for (const gone of old.values())
    steps.push({ says: `the index ${gone.name} serves nothing any more`, run: drop(gone) });
  return steps;
};

/** What a type cannot hold is no news to anybody. */
const saysOf = (check: Check, before: Check | undefined): string => {
  if (check.of === "type") return "";
  return before === undefined
    ? `${check.clause} is held by the database too`
    : `${check.clause} is held as it now reads`;
};

const changeChecks = (known: Table, table: Table): Steps => {
  const old = new Map(known.checks.map((check) => [check.name, check]));
  const steps: Step[] = [];
  const refused: RefusedChange[] = [];
  const drop = (check: Check) =>
    textOf(sql`alter table ${inApp(table.name)} drop constraint ${identifier(check.name)}`);
  for (const check of table.checks) {
    const before = old.get(check.name);
    old.delete(check.name);
    if (before?.condition === check.condition) continue;
    const lost = before?.values?.filter((one) => !check.values?.includes(one)) ?? [];
    if (lost.length > 0) {
      refused.push({
        clause: check.clause,
        says: `${check.clause} has no ${lost.join(", ")} any more, and what is stored may use it.`,
      });
      continue;
    }
    steps.push({
      says: saysOf(check, before),
      run: [
        ...(before === undefined ? [] : [drop(before)]),
        checkAdded(table, check),
        textOf(commentCheck(table, check)),
      ].join(";\n"),
      unless: {
        clause: check.clause,
        count: `select count(*)::int from ${textOf(inApp(table.name))} where not (${check.condition})`,
        says: (rows) =>
          `${check.clause} would not hold for ${rows === 1 ? "one record" : `${rows} records`} that ${rows === 1 ? "is" : "are"} stored.`,
      },
    });
  }
  for (const gone of old.values()) steps.push({ says: `${gone.clause} is no rule any more`, run: drop(gone) });
  return { steps, refused };
};
