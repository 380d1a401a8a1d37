import type { Table } from "../derive/tables/table.ts";
import { definitionText, identifier } from "../sql.ts";
import type { MigrationStep, Online } from "./migration-step.ts";
import { nextName } from "./phases.ts";

/*
 * Steps use the names that exist when they run, one after the other. Work before the switch runs while everything still
 * has its live name, and a column that will replace another one is called `pages#next`.
 */

/** Names before the switch, by the names that later steps use. */
export interface NamesBefore {
  readonly tables: ReadonlyMap<string, string>;
  /** The columns of each table, by the later name of the table. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const quote = (name: string): string => definitionText(identifier(name));

/** All quoted names are replaced at once, so that two names can be swapped. String literals stay unchanged. */
const replaceNames = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/gu, (found) => names.get(found) ?? found);

const quoted = (names: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...names].map(([now, before]) => [quote(now), quote(before)]));

/** The tables of the schema `app` that a text names. */
const namedTables = (text: string): readonly string[] =>
  [...text.matchAll(/"app"\.("(?:[^"]|"")+")/gu)].map(([, name = ""]) => name.slice(1, -1).replaceAll('""', '"'));

/** The texts of a step that run before the switch. */
const textsBefore = ({ expand, backfill, index, unfit }: Online): readonly string[] =>
  [
    expand,
    index?.build,
    unfit,
    backfill?.value,
    backfill?.where,
    backfill?.again,
    backfill?.after,
    backfill?.follows,
    backfill?.keeps?.where,
  ].filter((item) => item !== undefined);

/** True if another table in a text has a column with one of these names, which must not be replaced. */
const isAmbiguous = (
  online: Online,
  names: ReadonlyMap<string, string>,
  tables: readonly Pick<Table, "name" | "columns">[],
): boolean =>
  textsBefore(online).some((text) => {
    const others = new Set(namedTables(text).filter((name) => name !== online.table));
    return tables.some(
      (table) =>
        others.has(table.name) && table.columns.some(({ name }) => names.has(name) && text.includes(quote(name))),
    );
  });

const withNames = (online: Online, names: ReadonlyMap<string, string>): Online => {
  const rename = (text: string): string => replaceNames(text, quoted(names));
  const { expand, unfit, index, backfill } = online;
  return {
    ...online,
    ...(expand === undefined ? {} : { expand: rename(expand) }),
    ...(unfit === undefined ? {} : { unfit: rename(unfit) }),
    ...(index === undefined ? {} : { index: { ...index, build: rename(index.build) } }),
    ...(backfill === undefined
      ? {}
      : {
          backfill: {
            ...backfill,
            column: names.get(backfill.column) ?? backfill.column,
            value: rename(backfill.value),
            where: rename(backfill.where),
            again: rename(backfill.again),
            ...(backfill.after === undefined ? {} : { after: rename(backfill.after) }),
            ...(backfill.follows === undefined ? {} : { follows: rename(backfill.follows) }),
            ...(backfill.keeps === undefined
              ? {}
              : {
                  keeps: {
                    column: names.get(backfill.keeps.column) ?? backfill.keeps.column,
                    where: rename(backfill.keeps.where),
                  },
                }),
          },
        }),
  };
};

/** Former values are stored under the column's live name. */
const keepsFormer = (online: Online, names: ReadonlyMap<string, string>): Online => {
  const { backfill } = online;
  if (backfill === undefined || backfill.former === null || backfill.keeps !== undefined) return online;
  if (!names.has(backfill.column)) return online;
  const keeps = { column: backfill.column, where: `${backfill.value} is not null` };
  return { ...online, backfill: { ...backfill, keeps } };
};

/**
 * Work before the switch on columns that replace others: until then, they are called `pages#next`. A step that reads
 * former columns keeps their names.
 */
export const withNextNames = (
  steps: readonly MigrationStep[],
  moved: ReadonlyMap<string, ReadonlyMap<string, string>>,
  tables: readonly Table[],
): readonly MigrationStep[] => {
  const replaced = new Map<string, ReadonlyMap<string, string>>(moved);
  for (const { online } of steps)
    if (online?.replaces !== undefined)
      replaced.set(
        online.table,
        new Map([...(replaced.get(online.table) ?? []), [online.replaces, nextName(online.replaces)]]),
      );
  const named = steps.map((step) => {
    const { online } = step;
    const names = replaced.get(online?.table ?? "") ?? new Map<string, string>();
    if (online === undefined || online.readsFormer === true) return step;
    const isElsewhere = [...replaced].some(
      ([table, columns]) =>
        table !== online.table &&
        textsBefore(online).some(
          (text) => namedTables(text).includes(table) && [...columns.keys()].some((name) => text.includes(quote(name))),
        ),
    );
    // Former values of a column with another temporary name are moved at the switch.
    const { column = "", former: version = null } = online.backfill ?? {};
    const isMoved = version !== null && names.has(column) && names.get(column) !== nextName(column);
    if (isElsewhere || isMoved || isAmbiguous(online, names, tables)) return withoutPhases(step);
    if (names.size === 0) return step;
    const renamed = keepsFormer(online, names);
    const former = renamed.backfill?.keeps;
    const next = withNames(renamed, names);
    const { backfill } = next;
    if (former === undefined || backfill === undefined) return { ...step, online: next };
    return {
      ...step,
      online: {
        ...next,
        backfill: { ...backfill, keeps: { column: former.column, where: backfill.keeps?.where ?? former.where } },
      },
    };
  });
  return inGroups(steps, named);
};

/** Work before the switch on tables and columns that are renamed at the switch. */
export const withFormerNames = (
  steps: readonly MigrationStep[],
  { tables, columns }: NamesBefore,
  all: readonly Table[],
): readonly MigrationStep[] => {
  if (tables.size === 0 && columns.size === 0) return steps;
  const named = steps.map((step) => {
    const { online } = step;
    if (online === undefined) return step;
    const own = columns.get(online.table) ?? new Map<string, string>();
    const others = [...columns].filter(
      ([table]) => table !== online.table && textsBefore(online).some((text) => namedTables(text).includes(table)),
    );
    // A name that is also a column of another table would be ambiguous.
    const isName = ({ columns: tableColumns }: Table): boolean => tableColumns.some(({ name }) => tables.has(name));
    if (others.length > 0 || isAmbiguous(online, own, all) || all.some(isName)) return withoutPhases(step);
    const before = withNames(online, new Map([...own, ...tables]));
    return { ...step, online: { ...before, table: tables.get(online.table) ?? online.table } };
  });
  return inGroups(steps, named);
};

/** A step that is done at the switch. */
const withoutPhases = (step: MigrationStep): MigrationStep => {
  const { online, ...whole } = step;
  return online === undefined ? step : whole;
};

/** Keeps the steps of a group together: all in phases, or none. */
const inGroups = (before: readonly MigrationStep[], after: readonly MigrationStep[]): readonly MigrationStep[] => {
  const lost = new Set(
    before.flatMap(({ online }, i) =>
      after[i]?.online === undefined && online?.group !== undefined ? [online.group] : [],
    ),
  );
  return after.map((step) => (lost.has(step.online?.group ?? "") ? withoutPhases(step) : step));
};
