import { shortHash } from "../derive/tables/names.ts";
import type { Table } from "../derive/tables/table.ts";
import { messageText } from "../i18n/languages.ts";
import type { Message } from "../i18n/message.ts";
import { constant, definitionText, identifier, sql } from "../sql.ts";
import type { Backfill, MigrationStep, Online } from "./migration-step.ts";

/*
 * A version is published in five phases: expand, backfill, validate, switch, retire. Steps on small tables, and steps
 * that cannot be split, are done at the switch.
 */

export const phases = ["expand", "backfill", "validate", "switch", "retire"] as const;
export type Phase = (typeof phases)[number];

/** From this number of records on, nobody should have to wait while a table changes. */
export const LARGE = 10_000;

/** Work before the switch. `key` is equal if the same work is planned again. */
export type PhaseWork = {
  readonly key: string;
  readonly table: string;
  readonly clause: string;
  /** English; empty if the step needs no mention. */
  readonly says: string;
  readonly message?: Message;
} & (
  | { readonly phase: "expand"; readonly run: string; readonly scans: boolean }
  | { readonly phase: "backfill"; readonly backfill: Backfill }
  | { readonly phase: "validate"; readonly index: { readonly name: string; readonly build: string } }
  | { readonly phase: "validate"; readonly unfit: string }
);

export interface Phases {
  /** Work before the switch, in order. */
  readonly beforeSwitch: readonly PhaseWork[];
  /** Keys of the steps that are done in phases. */
  readonly divided: readonly string[];
  /** Steps that are done at the switch. */
  readonly undivided: readonly MigrationStep[];
}

/** Identifies a step of a job when the migration is planned again. */
export const stepKey = (online: Online): string => `${online.table}:${shortHash(JSON.stringify(online))}`;

/** The clause of a step, or "". */
export const getClause = ({ message, unless, online }: MigrationStep): string =>
  unless?.clause ?? online?.backfill?.clause ?? String(message?.values.clause ?? "");

const splitStep = (step: MigrationStep, online: Online): readonly PhaseWork[] => {
  const { table, expand, backfill, index, unfit } = online;
  const shared = {
    key: stepKey(online),
    table,
    clause: getClause(step),
    ...(step.message === null ? { says: "" } : { says: messageText(step.message), message: step.message }),
  };
  return [
    ...(expand === undefined
      ? []
      : [{ ...shared, phase: "expand" as const, run: expand, scans: online.scans === true }]),
    ...(backfill === undefined ? [] : [{ ...shared, phase: "backfill" as const, backfill }]),
    ...(index === undefined ? [] : [{ ...shared, phase: "validate" as const, index }]),
    ...(unfit === undefined ? [] : [{ ...shared, phase: "validate" as const, unfit }]),
  ];
};

/** The name of a table in a regular expression. */
const tablePattern = (table: string): string =>
  definitionText(sql`"app".${identifier(table)}`).replaceAll(/[$().*+?[\\\]^{|}]/gu, "\\$&");

/**
 * True if a step renames, retypes or writes a table, so that later steps on it cannot begin before the switch. `reads`:
 * the SQL of a later step; dropping a column that it does not mention does not count.
 */
const changesTable = ({ run }: MigrationStep, table: string, reads?: string): boolean => {
  const name = tablePattern(table);
  const isOther = new RegExp(
    `update ${name}|alter table ${name} (?:rename|alter column .* type |[^;]*drop expression)|rename to ${name.slice(6)}(?:;|$)`,
    "u",
  ).test(run);
  return (
    isOther ||
    [...run.matchAll(new RegExp(`alter table ${name} drop column (?:if exists )?("(?:[^"]|"")+")`, "gu"))].some(
      ([, column = ""]) => reads === undefined || reads.includes(column),
    )
  );
};

/** True if a step can change the result of a count. Renaming columns that the count does not mention does not count. */
export const changesCount = (step: MigrationStep, table: string, count: string): boolean => {
  const name = tablePattern(table);
  const renamed = new RegExp(`alter table ${name} rename column ("(?:[^"]|"")+") to ("(?:[^"]|"")+")`, "gu");
  const run = step.run.replaceAll(renamed, (text, from: string, to: string) =>
    count.includes(from) || count.includes(to) ? text : "",
  );
  return changesTable({ ...step, run }, table, count);
};

/** The order of a backfill among those of its table. */
export const backfillOrder = ({ turn }: Backfill): number => ({ first: 0, derived: 1, last: 2 })[turn ?? "first"];

/**
 * The phases of a migration. `isLarge`: true if a table has so many records that nobody should have to wait for them.
 */
export const splitIntoPhases = (steps: readonly MigrationStep[], isLarge: (table: string) => boolean): Phases => {
  const ahead: PhaseWork[] = [];
  const keys: string[] = [];
  const undivided: MigrationStep[] = [];
  const groups = new Map<string | undefined, boolean>();
  const members = (online: Online): readonly Online[] =>
    online.group === undefined
      ? [online]
      : steps.flatMap((step) => (step.online?.group === online.group ? (step.online ?? []) : []));
  const canDivide = (online: Online): boolean =>
    members(online).some(({ table }) => isLarge(table)) &&
    !undivided.some((earlier) => changesTable(earlier, online.table, JSON.stringify(online).replaceAll('\\"', '"')));
  for (const step of steps) {
    const { online } = step;
    const isDivided = online !== undefined && (groups.get(online.group) ?? canDivide(online));
    if (online?.group !== undefined) groups.set(online.group, isDivided);
    if (isDivided) {
      ahead.push(...splitStep(step, online));
      keys.push(stepKey(online));
    } else undivided.push(step);
  }
  const order = (work: PhaseWork): number => phases.indexOf(work.phase);
  // Unique indexes and exclusion constraints come last, because they reject writes as soon as they exist.
  const turn = (work: PhaseWork): number => {
    if ("backfill" in work) return backfillOrder(work.backfill);
    return "index" in work && work.index.build.startsWith("create unique") ? 1 : 0;
  };
  return {
    beforeSwitch: ahead.toSorted((a, b) => order(a) - order(b) || turn(a) - turn(b)),
    divided: keys,
    undivided,
  };
};

/** Milliseconds per record of a step that locks its table, measured with 1,000,000 records. */
const COST = { rewritten: 0.005, written: 0.03, compared: 0.15, scanned: 0.0007 };

/**
 * Seconds during which nobody can read or write a table while its steps are done at the switch; 0 if too short to
 * notice.
 */
export const estimatePause = (undivided: readonly MigrationStep[], table: string, records: number): number => {
  const name = definitionText(sql`"app".${identifier(table)}`);
  const each = undivided
    .filter(({ run }) => run.includes(name))
    .reduce((sum, { run }) => {
      const isCompared = run.includes(`alter table ${name} add constraint `) && run.includes(" exclude using ");
      const isRewritten = run.includes(") stored") || run.includes(" type ");
      // Adding triggers to a table also writes the rows that are derived from its records.
      const isDerivedFrom = run.includes("create trigger ") && run.includes("insert into ");
      const isWritten = run.includes(`update ${name} `) || isDerivedFrom;
      return (
        sum +
        (isCompared ? COST.compared : 0) +
        (isRewritten && run.includes(`alter table ${name} `) ? COST.rewritten : 0) +
        (isWritten ? COST.written : 0)
      );
    }, 0);
  return toPause((each * records) / 1_000);
};

/**
 * Seconds during which nobody can read or write a table while it is prepared for a version; 0 if too short to notice.
 */
export const estimateScan = (steps: readonly MigrationStep[], table: string, records: number): number => {
  const scans = steps.filter(({ online }) => online?.table === table && online.scans === true).length;
  return toPause((scans * COST.scanned * records) / 1_000);
};

/** Milliseconds per record of work before the switch, measured with 1,000,000 records and many people at work. */
const COST_AHEAD = { filled: 0.07, replaced: 0.19, indexed: 0.003 };

/** Seconds of the work on a table before the switch, during which people keep working. */
export const estimatePreparation = (
  { beforeSwitch }: Pick<Phases, "beforeSwitch">,
  table: string,
  records: number,
): number => {
  const costs = beforeSwitch.map((work) => {
    if (work.table !== table) return 0;
    if ("index" in work) return COST_AHEAD.indexed;
    if (!("backfill" in work)) return 0;
    // Replaced values are stored for a restored version, and their indexes are built again.
    return work.backfill.former === null ? COST_AHEAD.filled : COST_AHEAD.replaced;
  });
  return (costs.reduce((sum, cost) => sum + cost, 0) * records) / 1_000;
};

const toPause = (seconds: number): number => (seconds < 0.2 ? 0 : Math.ceil(seconds));

/** The name of an index until the switch. No document can contain it. */
export const nextName = (name: string): string =>
  name.length <= 58 ? `${name}#next` : `${name.slice(0, 40)}#${shortHash(name)}#next`;

/** The comment of a column that only a job uses, so that other readers of the catalogue ignore it. */
export const HIDDEN = "ninefold#next";

/**
 * The comment of the column that defines for which rows an exclusion constraint applies: all of them, since the version
 * that added it. Only the constraint reads it.
 */
export const IS_COMPARED = "ninefold#checked";

/** The name of that column for a constraint. A document cannot contain it. */
export const comparedColumnName = (constraint: string): string =>
  constraint.length <= 55 ? `${constraint}#checked` : `${constraint.slice(0, 40)}#${shortHash(constraint)}#checked`;

/** Comments of columns that belong to no document. */
export const hiddenComments: readonly string[] = [HIDDEN, IS_COMPARED];

/** A statement that drops a table that only a job uses. */
export const dropHiddenTable = (name: string): string =>
  definitionText(sql`drop table if exists "app".${identifier(name)}`);

/** Statements that remove what a job created in a table, given the names in the catalogue. */
export const dropHidden = (
  table: Pick<Table, "name">,
  columns: readonly string[],
  indexes: readonly string[],
): readonly string[] => [
  // A constraint is dropped with its column, and an index with its constraint.
  ...columns.map((name) =>
    definitionText(sql`alter table "app".${identifier(table.name)} drop column if exists ${identifier(name)} cascade`),
  ),
  ...indexes.map((name) => definitionText(sql`drop index if exists "app".${identifier(name)}`)),
];

export const hiddenComment = (table: string, column: string): string =>
  definitionText(sql`comment on column "app".${identifier(table)}.${identifier(column)} is ${constant(HIDDEN)}`);
