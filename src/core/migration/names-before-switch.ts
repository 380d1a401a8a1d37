import type { Table } from "../derive/tables/table.ts";
import { definitionText, identifier } from "../sql.ts";
import type { MigrationStep, Online } from "./migration-step.ts";
import { nextName } from "./phases.ts";

/*
 * Steps name things as they are called when they are made, one after the other. Work before the switch happens while
 * everything still has its live name, and what takes the place of something else is called `pages#next`.
 */

/** The names before the switch, by the names that later steps use. */
export interface NamesBefore {
  readonly tables: ReadonlyMap<string, string>;
  /** The columns of each table, which has its later name here. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const quote = (name: string): string => definitionText(identifier(name));

/** All quoted names are replaced at once, so that two things can swap names. Constants stay as they are. */
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
  ].filter((one) => one !== undefined);

/** True if another table that a text names has a column with one of the names, which must stay as it is. */
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

/** Former values are kept for the column that people know. */
const keepsFormer = (online: Online, names: ReadonlyMap<string, string>): Online => {
  const { backfill } = online;
  if (backfill === undefined || backfill.former === null || backfill.keeps !== undefined) return online;
  if (!names.has(backfill.column)) return online;
  const keeps = { column: backfill.column, where: `${backfill.value} is not null` };
  return { ...online, backfill: { ...backfill, keeps } };
};

/**
 * Work before the switch on columns that take the place of others: until then, they are called `pages#next`. A step that
 * reads former columns keeps their names.
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
    // Former values of a column that waits under another name are moved at the switch.
    const { column = "", former: version = null } = online.backfill ?? {};
    const isMoved = version !== null && names.has(column) && names.get(column) !== nextName(column);
    if (isElsewhere || isMoved || isAmbiguous(online, names, tables)) return withoutPhases(step);
    if (names.size === 0) return step;
    const kept = keepsFormer(online, names);
    const former = kept.backfill?.keeps;
    const next = withNames(kept, names);
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

/** Work before the switch on things that get another name at the switch. */
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
    // Columns of other tables are not told apart from its own.
    const isName = ({ columns: there }: Table): boolean => there.some(({ name }) => tables.has(name));
    if (others.length > 0 || isAmbiguous(online, own, all) || all.some(isName)) return withoutPhases(step);
    const before = withNames(online, new Map([...own, ...tables]));
    return { ...step, online: { ...before, table: tables.get(online.table) ?? online.table } };
  });
  return inGroups(steps, named);
};

/** A step that is made whole. */
const withoutPhases = (step: MigrationStep): MigrationStep => {
  const { online, ...whole } = step;
  return online === undefined ? step : whole;
};

/** Steps of one group are divided together. */
const inGroups = (before: readonly MigrationStep[], after: readonly MigrationStep[]): readonly MigrationStep[] => {
  const lost = new Set(
    before.flatMap(({ online }, i) =>
      after[i]?.online === undefined && online?.group !== undefined ? [online.group] : [],
    ),
  );
  return after.map((step) => (lost.has(step.online?.group ?? "") ? withoutPhases(step) : step));
};
