import { setTimeout as sleep } from "node:timers/promises";
import { say } from "../../core/i18n/message.ts";
import { type MigrationStep, refuseChange } from "../../core/migration/migration-step.ts";
import type { Phase, PhaseWork } from "../../core/migration/phases.ts";
import { identifier, render, sql } from "../../core/sql.ts";
import { type Database, type Row, StoreRefusal, StoreSlow } from "../database.ts";
import { isHidden, isHiddenTable, touchTriggers } from "../schema/hidden-objects.ts";
import type { JobRefusal, JobStep } from "./job-store.ts";
import { EXCLUDED, JobFailed, unfitReason, writeRows } from "./touched-rows.ts";

export interface Preparing {
  readonly owner: Database;
  readonly stepOf: (key: string) => MigrationStep | undefined;
  readonly progress: () => readonly JobStep[];
  /** Stores the progress of a step. Throws if the job should stop. */
  readonly report: (phase: Phase, key: string, change: Partial<JobStep>) => Promise<void>;
  /** Runs a short statement that locks a table. */
  readonly short: (text: string, readsGoOn: boolean) => Promise<void>;
}

const tableText = (table: string): string => render(sql`"app".${identifier(table)}`).text;

/**
 * True if a statement needs something that an earlier step creates at the switch, or violates a check that one drops
 * there.
 */
const isEarly = (error: unknown): boolean =>
  error instanceof StoreRefusal && (error.code.startsWith("42") || error.code === "23514");

/** Does the work before the switch. Each part can be repeated; finished parts are skipped. */
export const prepare = async (ahead: readonly PhaseWork[], preparing: Preparing): Promise<void> => {
  const refused: JobRefusal[] = [];
  let isWatched = false;
  for (const work of ahead) {
    const before = preparing.progress().find((step) => step.key === work.key && step.phase === work.phase);
    const isLeft = preparing.progress().some((step) => step.key === work.key && step.state === "left");
    if (isLeft) await preparing.report(work.phase, work.key, { state: "left" });
    if (!isWatched && work.phase !== "expand") {
      await watch(ahead, preparing);
      isWatched = true;
    }
    if (isLeft || before?.state === "done") continue;
    try {
      const reason = await doWork(work, before, preparing);
      if (reason === undefined) await preparing.report(work.phase, work.key, { state: "done" });
      else refused.push(reason);
    } catch (error) {
      if (!isEarly(error)) throw error;
      await preparing.report(work.phase, work.key, { state: "left" });
    }
  }
  if (refused.length > 0) throw new JobFailed(refused);
};

/** Records people's writes from now on, in the tables whose records are written or checked. */
const watch = async (ahead: readonly PhaseWork[], { owner, short }: Preparing): Promise<void> => {
  const tables = new Set(ahead.flatMap((work) => ("backfill" in work || "unfit" in work ? [work.table] : [])));
  for (const table of tables)
    for (const [event, name] of Object.entries(touchTriggers)) {
      const [exists] = await owner.query({
        text: "select 1 from pg_trigger where tgrelid = $1::regclass and tgname = $2",
        values: [tableText(table), name],
      });
      if (exists !== undefined) continue;
      await short(
        `create trigger ${render(identifier(name)).text} after ${event} on ${tableText(table)} referencing new table as touched_rows for each statement when (coalesce(current_setting('ninefold.job', true), '') <> 'on') execute function ninefold.note_touched()`,
        true,
      );
    }
};

const doWork = async (
  work: PhaseWork,
  before: JobStep | undefined,
  preparing: Preparing,
): Promise<JobRefusal | undefined> => {
  if (work.phase === "expand") {
    const created = /^create table "app"\."((?:[^"]|"")+)"/u.exec(work.run)?.[1]?.replaceAll('""', '"');
    if (created !== undefined && (await isHiddenTable(preparing.owner.query, created))) return undefined;
    const column = /add column "((?:[^"]|"")+)"/u.exec(work.run)?.[1]?.replaceAll('""', '"') ?? "";
    if (await isHidden(preparing.owner.query, work.table, column)) return undefined;
    // Scanning is faster if the table was just read: its pages are in memory, and its rows are known to be committed.
    if (work.scans) {
      const text = `select count(*) from ${tableText(work.table)} where "version" < 0`;
      await preparing.owner.query({ text, values: [] });
    }
    await preparing.short(work.run, false);
    return undefined;
  }
  if (work.phase === "backfill") return backfill(work, before, preparing);
  if ("index" in work) return buildIndex(work, preparing);
  const step = preparing.stepOf(work.key);
  if (step === undefined) throw new Error("a step was planned that is not there");
  await preparing.owner.query({ text: "set statement_timeout = 0", values: [] });
  return unfitReason(preparing.owner.query, step, work.clause, { ids: null, isLocked: false }).finally(() =>
    preparing.owner.query({ text: "reset statement_timeout", values: [] }).catch(() => undefined),
  );
};

/**
 * Duration of a batch in milliseconds: people who write its records wait that long. `least` and `most` are numbers of
 * records.
 */
const BATCH = { least: 50, most: 5_000, first: 500, slow: 120, fast: 50 };
/**
 * Maximum pause after a batch in milliseconds. A full disk queue delays people's commits, so the pause grows with it.
 */
const LONGEST_REST = 3_000;
/** Milliseconds that a batch waits for a record that somebody is writing. */
const ROW_WAIT = 200;

const backfill = async (
  work: PhaseWork & { readonly phase: "backfill" },
  before: JobStep | undefined,
  { owner, report, stepOf }: Preparing,
): Promise<JobRefusal | undefined> => {
  // Nothing to backfill: only people's writes are processed.
  if (work.backfill.where === "false") return undefined;
  const table = tableText(work.table);
  let size = BATCH.first;
  let { cursor = null, done: seen = 0, written = 0 } = before ?? {};
  const batch = (): Promise<{ readonly last: string | null; readonly rows: number; readonly count: number }> =>
    owner.transaction(async (query) => {
      await query({ text: `set local lock_timeout = ${ROW_WAIT}`, values: [] });
      // The batch is flushed together with the progress that is stored next. Written pages are sent to the disk at
      // once, in small amounts: a disk that has to write many of them at a time delays people's commits by seconds. Whole
      // pages in the log are compressed, if the role can choose that.
      await query({
        text: `select set_config('ninefold.job', 'on', true), set_config('synchronous_commit', 'off', true),
                 set_config('backend_flush_after', (select least(16, max_val::integer)::text from pg_settings where name = 'backend_flush_after'), true),
                 (select set_config('wal_compression', 'on', true)
                  where current_setting('wal_compression') = 'off' and has_parameter_privilege('wal_compression', 'SET'))`,
        values: [],
      });
      const ids = (
        await query({
          // The first batch has no condition, so that Postgres starts at the beginning of the index.
          text: `select "id" from ${table} ${cursor === null ? "" : `where "id" > $1::uuid`} order by "id" limit ${size}`,
          values: cursor === null ? [] : [cursor],
        })
      ).map(({ id }) => String(id));
      if (ids.length === 0) return { last: null, rows: 0, count: 0 };
      let counted: readonly Row[] = [];
      for (const text of writeRows(work.table, work.backfill, work.backfill.where))
        if (text.startsWith(`update ${table} `))
          counted = await query({
            text: `with w as (${text} returning 1) select count(*)::int as count from w`,
            values: [ids],
          });
        else await query({ text, values: [ids] });
      return { last: ids.at(-1) ?? null, rows: ids.length, count: Number(counted[0]?.count ?? 0) };
    });
  for (;;) {
    const from = performance.now();
    let result: Awaited<ReturnType<typeof batch>>;
    try {
      result = await batch();
    } catch (error) {
      if (error instanceof StoreSlow) {
        // Somebody holds a record. With a smaller batch, fewer records wait for it.
        size = Math.max(BATCH.least, Math.floor(size / 2));
        await report(work.phase, work.key, {});
        await sleep(100 + Math.random() * 200);
        continue;
      }
      if (!(error instanceof StoreRefusal) || isEarly(error)) throw error;
      if (size > 1) {
        size = Math.max(1, Math.floor(size / 8));
        continue;
      }
      const [row] = await owner.query({
        text: `select "id" from ${table} where $1::uuid is null or "id" > $1::uuid order by "id" limit 1`,
        values: [cursor],
      });
      const { unless, refusable } = stepOf(work.key) ?? {};
      const clause = unless?.clause ?? work.clause;
      return {
        ...(error.code === EXCLUDED && refusable !== undefined
          ? refusable
          : refuseChange(clause, say("refused.computed", { clause, problem: error.message }))),
        table: work.table,
        records: row === undefined ? [] : [String(row.id)],
      };
    }
    if (result.last === null) break;
    cursor = result.last;
    seen += result.rows;
    written += result.count;
    await report(work.phase, work.key, { cursor, done: seen, written });
    const took = performance.now() - from;
    if (took > BATCH.slow) size = Math.max(BATCH.least, Math.floor(size / 2));
    else if (took < BATCH.fast) size = Math.min(BATCH.most, size * 2);
    // At least a third of the time is left to people, and more while the disk is slow.
    await sleep(took < BATCH.slow * 2 ? took / 2 : Math.min(took * 2, LONGEST_REST));
  }
  return undefined;
};

const buildIndex = async (
  { index, key, clause }: PhaseWork & { readonly index: { readonly name: string; readonly build: string } },
  { owner, stepOf }: Preparing,
): Promise<JobRefusal | undefined> => {
  const [exists] = await owner.query({
    text: "select x.indisvalid as valid from pg_index x join pg_class i on i.oid = x.indexrelid where i.relnamespace = 'app'::regnamespace and i.relname = $1",
    values: [index.name],
  });
  if (exists?.valid === true) return undefined;
  const ask = (text: string) => owner.query({ text, values: [] });
  // Building waits for transactions that began earlier; nobody waits for it.
  await ask("set lock_timeout = 0");
  await ask("set statement_timeout = 0");
  const drop = `drop index concurrently if exists ${tableText(index.name)}`;
  try {
    if (exists !== undefined) await ask(drop);
    await ask(index.build);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreRefusal) || error.code !== "23505") throw error;
    await ask(drop);
    const { unless } = stepOf(key) ?? {};
    const rows = unless === undefined ? [] : await ask(unless.count);
    const message = unless?.message(Number(rows[0]?.count ?? 0)) ?? say("refused.unique.any", { clause });
    return { ...refuseChange(clause, message), records: [] };
  } finally {
    await ask("reset lock_timeout").catch(() => undefined);
    await ask("reset statement_timeout").catch(() => undefined);
  }
};
