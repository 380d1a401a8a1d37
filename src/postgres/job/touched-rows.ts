import { say } from "../../core/i18n/message.ts";
import { keepFormer } from "../../core/migration/former-values.ts";
import { type Backfill, type MigrationStep, refuseChange } from "../../core/migration/migration-step.ts";
import { backfillOrder, getClause } from "../../core/migration/phases.ts";
import { raw } from "../../core/migration/sql-text.ts";
import { definitionText, identifier, render, sql } from "../../core/sql.ts";
import { type RunQuery, StoreRefusal } from "../database.ts";
import type { JobRefusal } from "./job-store.ts";

/*
 * Records that people write while a version is published. Triggers record their ids. The job computes their values and
 * checks them again, in passes, and processes the last few at the switch, under a lock that only blocks writers.
 */

/** Leaves out refusals whose records an earlier refusal of the same clause already names. */
const withoutRepeated = (refused: readonly JobRefusal[]): readonly JobRefusal[] =>
  refused.filter(
    ({ clause, records }, i) =>
      records.length === 0 ||
      !refused
        .slice(0, i)
        .some((earlier) => earlier.clause === clause && records.every((record) => earlier.records.includes(record))),
  );

/** Stored records do not fit, or their values cannot be computed. */
export class JobFailed extends Error {
  override readonly name = "JobFailed";
  readonly refused: readonly JobRefusal[];
  constructor(refused: readonly JobRefusal[]) {
    const reasons = withoutRepeated(refused);
    super(reasons.map(({ says }) => says).join(" "));
    this.refused = reasons;
  }
}

/** The code of Postgres for a row that an exclusion constraint refuses. */
export const EXCLUDED = "23P01";

const tableText = (table: string): string => render(sql`"app".${identifier(table)}`).text;

/** Maximum number of records in a refusal. */
const SHOWN = 20;

/**
 * Statements that write some rows by their ids (`$1`), in order. They first store the replaced values, if that is
 * needed.
 */
export const writeRows = (
  table: string,
  { column, value, former, keeps, after, follows }: Backfill,
  where: string,
): readonly string[] => {
  if (follows !== undefined) return [follows];
  const [name, text] = [render(identifier(column)).text, tableText(table)];
  const chosen = `${text}."id" = any ($1::uuid[]) and (${where})`;
  const place = { table, column: keeps?.column ?? column };
  const isKept = raw(`${chosen} and (${keeps?.where ?? `${value} is not null`})`);
  return [
    ...(former === null ? [] : [definitionText(keepFormer(place, raw(value), isKept, former))]),
    `update ${text} set ${name} = ${value} where ${chosen}`,
    ...(after === undefined ? [] : [after]),
  ];
};

/**
 * A refusal with some of the records that do not fit. Unless `isLocked`, records that people wrote in the meantime are
 * left to the next pass, because their values may not be computed yet.
 */
export const unfitReason = async (
  query: RunQuery,
  { unless, message: stepMessage, online }: MigrationStep,
  clause: string,
  { ids, isLocked }: { readonly ids: readonly string[] | null; readonly isLocked: boolean },
): Promise<JobRefusal | undefined> => {
  if (online?.unfit === undefined) return undefined;
  const id = `${tableText(online.table)}."id"`;
  const among = ids === null ? "" : ` and ${id} = any ($1::uuid[])`;
  const untouched = isLocked
    ? ""
    : ` and not exists (select from ninefold.touched "meanwhile" where "meanwhile"."table_name" = $${ids === null ? 1 : 2} and "meanwhile"."record" = ${id})`;
  const from = `from ${tableText(online.table)} where (${online.unfit})${among}${untouched}`;
  const values = [...(ids === null ? [] : [ids]), ...(isLocked ? [] : [online.table])];
  const [row] = await query({ text: `select count(*)::int as count ${from}`, values });
  const count = Number(row?.count ?? 0);
  if (count === 0) return undefined;
  const records = await query({ text: `select "id" ${from} limit ${SHOWN}`, values });
  const message = unless?.message(count) ?? say("refused.unfit", { what: stepMessage ?? clause, rows: count });
  return {
    ...refuseChange(unless?.clause ?? clause, message),
    table: online.table,
    records: records.map(({ id }) => String(id)),
  };
};

export const countTouched = async (query: RunQuery): Promise<number> => {
  const [row] = await query({ text: "select count(*)::int as count from ninefold.touched", values: [] });
  return Number(row?.count ?? 0);
};

/** Number of records in one pass. */
const PASS = 2_000;

/**
 * Processes the records that people wrote. With `removes`, processes some of them in a short transaction; otherwise
 * all, and writers wait until the end of the transaction.
 */
export const catchUp = async (
  query: RunQuery,
  steps: readonly MigrationStep[],
  { removes }: { readonly removes: boolean },
): Promise<void> => {
  const divided = steps.filter(({ online }) => online?.backfill !== undefined || online?.unfit !== undefined);
  if (divided.length === 0) return;
  await query({ text: "set local ninefold.job = 'on'", values: [] });
  const tables = [...new Set(divided.flatMap(({ online }) => (online === undefined ? [] : [online.table])))].toSorted();
  if (!removes)
    await query({
      text: `lock table ${tables.map(tableText).join(", ")} in share row exclusive mode`,
      values: [],
    });
  // A new constraint may reject a value that people wrote.
  const refusal = (error: unknown, table: string): JobFailed | undefined => {
    if (!(error instanceof StoreRefusal)) return undefined;
    const own = divided.filter(({ online }) => online?.table === table);
    const pairs = own.find(({ refusable }) => refusable !== undefined)?.refusable;
    if (error.code === EXCLUDED && pairs !== undefined) return new JobFailed([{ ...pairs, table, records: [] }]);
    const unique = steps.find(({ online }) => online?.table === table && online.index?.name === error.constraint);
    if (error.code !== "23505" || unique === undefined) return undefined;
    const clause = getClause(unique);
    return new JobFailed([{ ...refuseChange(clause, say("refused.unique.any", { clause })), table, records: [] }]);
  };
  const touched = new Map<string, readonly string[]>();
  for (const table of tables) {
    const rows = await query({
      text: removes
        ? `with gone as (delete from ninefold.touched where id in (select id from ninefold.touched where table_name = $1 order by id limit ${PASS}) returning record) select distinct record from gone order by record`
        : "select distinct record from ninefold.touched where table_name = $1 order by record",
      values: [table],
    });
    touched.set(
      table,
      rows.map(({ record }) => String(record)),
    );
  }
  const written = divided
    .flatMap(({ online }) =>
      online?.backfill === undefined ? [] : [{ table: online.table, backfill: online.backfill }],
    )
    .toSorted((a, b) => backfillOrder(a.backfill) - backfillOrder(b.backfill));
  for (const { table, backfill } of written) {
    const ids = touched.get(table) ?? [];
    if (ids.length === 0) continue;
    for (const text of writeRows(table, backfill, backfill.again))
      await query({ text, values: [ids] }).catch((error: unknown) => {
        throw refusal(error, table) ?? error;
      });
  }
  const refused: JobRefusal[] = [];
  for (const step of divided) {
    const { online } = step;
    const ids = touched.get(online?.table ?? "") ?? [];
    // Records of other tables may have been deleted.
    const all = !removes && online?.readsOthers === true;
    if (online?.unfit === undefined || (ids.length === 0 && !all)) continue;
    const clause = getClause(step);
    const reason = await unfitReason(query, step, clause, { ids: all ? null : ids, isLocked: !removes });
    if (reason !== undefined) refused.push(reason);
  }
  if (refused.length > 0) throw new JobFailed(refused);
};

/** The existing tables that some statements change, to lock them all at once. */
export const listLockedTables = async (query: RunQuery, texts: readonly string[]): Promise<readonly string[]> => {
  const named = texts.flatMap((text) =>
    [...text.matchAll(/alter table "app"\."((?:[^"]|"")+)"/gu)].map(([, name = ""]) => name.replaceAll('""', '"')),
  );
  if (named.length === 0) return [];
  const rows = await query({
    text: "select relname as name from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r' and relname = any ($1) order by relname",
    values: [[...new Set(named)]],
  });
  return rows.map(({ name }) => tableText(String(name)));
};
