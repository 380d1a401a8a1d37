import { setTimeout as sleep } from "node:timers/promises";
import type { Compiled } from "../../core/compile.ts";
import { say } from "../../core/i18n/message.ts";
import { type MigrationStep, refuseChange } from "../../core/migration/migration-step.ts";
import {
  changesCount,
  LARGE,
  type Phase,
  type PhaseWork,
  splitIntoPhases,
  stepKey,
} from "../../core/migration/phases.ts";
import type { Source } from "../../core/source-text.ts";
import { identifier, render, sql } from "../../core/sql.ts";
import { type Database, type RunQuery, StoreAway, StoreRefusal } from "../database.ts";
import { isAlmostFull, LEAST_MEGABYTES } from "../embedded/free-space.ts";
import { type ApplyOptions, applyDocument, CHANGE_TIMEOUT, Superseded } from "../schema/apply-document.ts";
import { ChangeRefused, type WorkBeforeSwitch } from "../schema/apply-steps.ts";
import { forgetFormer, hiddenDrops } from "../schema/hidden-objects.ts";
import type { Applied, KnownVersion } from "../schema/newest-document.ts";
import { stepsFor } from "../schema/plan-steps.ts";
import { retrySlow, withRetries } from "../with-retries.ts";
import { findUnfinishedJob, JOB_LOCK, type Job, type JobRefusal, type JobStep, readJob } from "./job-store.ts";
import { prepare } from "./prepare.ts";
import { catchUp, countTouched, JobFailed, listLockedTables, unfitReason } from "./touched-rows.ts";

export interface JobOptions {
  /** Compiles the stored text of a version; undefined if it has errors. */
  readonly compile: (packed: Source) => Promise<Compiled | undefined>;
  /** The live version, if this process runs it. */
  readonly live?: () => KnownVersion;
  /** Performs the switch. `apply` publishes the version together with other work; both or neither take effect. */
  readonly atSwitch?: (
    apply: (beforeCommit: ApplyOptions["beforeCommit"]) => Promise<Applied>,
    next: Compiled,
  ) => Promise<Applied>;
  /** Called with the job after each step. */
  readonly progress?: (job: Job) => void;
  /** Stops the work after the current batch; another process resumes the job. */
  readonly signal?: AbortSignal;
  /** Number of records from which a table is changed in phases. */
  readonly large?: number;
  /** A folder on the disk of the database, if known: the job stops before that disk is full. */
  readonly folder?: string | undefined;
}

/** The job after it ended, was paused or failed. */
export interface JobResult {
  readonly job: Job;
  readonly applied?: Applied;
  /** The error that caused a failure, if it occurred in this process. */
  readonly error?: unknown;
}

/** The job was paused or abandoned, or the process is stopping. */
class Halted extends Error {
  override readonly name = "Halted";
}

/** Maximum milliseconds that people wait for a lock that the job requests. */
const LOCK_WAIT = 80;
/** Postgres ends an automatic vacuum for a statement that has waited for a second. */
const LOCK_WAIT_LONG = 1_100;
const PATIENCE = 12;

/** Maximum number of records that are left to the switch. */
const FEW = 500;
const PASSES = 30;

const isFull = (error: unknown): boolean => {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && /^53(?:1|2|4)/u.test(String(cause.code));
};

/**
 * Works on the unfinished job until it ends, is paused or fails. `owner` has one connection. Undefined if there is no
 * such job, or another process works on it. Throws if the connection is lost: the job is then resumed by any process.
 */
export const runJob = async (owner: Database, options: JobOptions): Promise<JobResult | undefined> => {
  const [lock] = await owner.query({ text: `select pg_try_advisory_lock(${JOB_LOCK}) as held`, values: [] });
  if (lock?.held !== true) return undefined;
  try {
    const job = await findUnfinishedJob(owner.query);
    if (job === undefined || job.state === "paused" || job.state === "failed") return undefined;
    return await new Run(owner, job, options).toEnd();
  } finally {
    await owner.query({ text: `select pg_advisory_unlock(${JOB_LOCK})`, values: [] }).catch(() => undefined);
  }
};

class Run {
  readonly #owner: Database;
  readonly #options: JobOptions;
  #job: Job;
  constructor(owner: Database, job: Job, options: JobOptions) {
    this.#owner = owner;
    this.#job = job;
    this.#options = options;
  }

  async toEnd(): Promise<JobResult> {
    let applied: Applied | undefined;
    try {
      if (this.#job.state === "abandoning") return await this.#abandoned();
      if (this.#job.version === null) applied = await this.#publish();
      await this.#retire();
      await this.#store({ state: "done" });
      return { job: this.#job, ...(applied === undefined ? {} : { applied }) };
    } catch (error) {
      // Pausing or abandoning a job cancels its current statement, so that it is noticed early.
      const now = await readJob(this.#owner.query, this.#job.id);
      if (now !== undefined) this.#job = now;
      if (now?.state === "abandoning") return this.#abandoned();
      const more = applied === undefined ? {} : { applied };
      if (error instanceof Halted || now?.state === "paused") return { job: this.#job, ...more };
      if (error instanceof Superseded) return { ...(await this.#abandoned()), error };
      if (error instanceof StoreAway && !isFull(error)) throw error;
      return { ...(await this.#failed(error)), ...more, error };
    }
  }

  /** Does all work up to and including the switch. */
  async #publish(): Promise<Applied> {
    const compiled = await this.#options.compile(this.#job.source);
    const model = compiled?.model;
    if (compiled === undefined || model === undefined) throw new Error("this release cannot read the new version");
    const steps = await stepsFor(this.#owner, model, this.#job.source, this.#base());
    const sizes = await this.#sizes(steps);
    const isLarge = (table: string) => (sizes.get(table) ?? 0) > (this.#options.large ?? LARGE);
    const plan = splitIntoPhases(steps, isLarge);
    if (this.#job.steps.length === 0) await this.#refuseEarly(plan.beforeSwitch, steps);
    await this.#store({ steps: withProgress(plan.beforeSwitch, this.#job.steps, sizes) });
    await prepare(plan.beforeSwitch, {
      owner: this.#owner,
      stepOf: (key) => steps.find(({ online }) => online !== undefined && stepKey(online) === key),
      progress: () => this.#job.steps,
      report: (phase, key, change) => this.#report(phase, key, change),
      short: (text, readsGoOn) => this.#short(text, readsGoOn),
    });
    // Steps that are done at the switch, or that write nothing before it, count their records now.
    const counted = steps.flatMap((step) => {
      if (step.online === undefined || plan.undivided.includes(step)) return [step];
      return step.online.backfill === undefined ? [{ ...step, run: step.online.switch }] : [];
    });
    const counts = await this.#counts(counted, isLarge);
    for (let pass = 0; pass < PASSES; pass++) {
      const remaining = await countTouched(this.#owner.query);
      if (remaining <= FEW) break;
      await this.#owner.transaction((query) => catchUp(query, this.#prepared(steps), { removes: true }));
      await this.#store({});
    }
    return this.#switch(this.#ahead(steps, plan.divided, counts), compiled);
  }

  /** The version that the job replaces. */
  #base(): KnownVersion {
    const live = this.#options.live?.();
    return live?.hash === this.#job.base ? live : { hash: this.#job.base };
  }

  /** Steps whose work before the switch is done. */
  #prepared(steps: readonly MigrationStep[]): readonly MigrationStep[] {
    return steps.filter(({ online }) => {
      if (online === undefined) return false;
      const own = this.#job.steps.filter((step) => step.key === stepKey(online));
      return own.length > 0 && own.every((step) => step.state === "done");
    });
  }

  #ahead(
    steps: readonly MigrationStep[],
    divided: readonly string[],
    counts: ReadonlyMap<string, number>,
  ): WorkBeforeSwitch {
    const undone = new Set(this.#job.steps.filter(({ state }) => state !== "done").map(({ key }) => key));
    const online = steps.flatMap((step) => (step.online === undefined ? [] : [step.online]));
    const groups = new Set(online.flatMap((online) => (undone.has(stepKey(online)) ? (online.group ?? []) : [])));
    // A step that could not be done before the switch is done at the switch, with all steps of its group.
    const postponed = new Set([
      ...undone,
      ...online.flatMap((online) => (online.group !== undefined && groups.has(online.group) ? [stepKey(online)] : [])),
    ]);
    const done = new Map(
      divided
        .filter((key) => !postponed.has(key))
        .map((key) => [
          key,
          Math.max(0, ...this.#job.steps.filter((step) => step.key === key).map((step) => step.written)),
        ]),
    );
    const isDone = ({ online }: MigrationStep): boolean => online !== undefined && done.has(stepKey(online));
    return {
      done,
      counts,
      finish: async (query, planned) => {
        await query({ text: `set local lock_timeout = ${LOCK_WAIT}`, values: [] });
        const ready = planned.filter(isDone);
        await catchUp(query, ready, { removes: false });
        const texts = planned.map((step) => (isDone(step) ? (step.online?.switch ?? "") : step.run));
        const tables = await listLockedTables(query, texts);
        if (tables.length === 0) return;
        await query({ text: `set local statement_timeout = ${LOCK_WAIT}`, values: [] });
        await query({ text: `lock table ${tables.join(", ")} in access exclusive mode`, values: [] });
        await query({ text: `set local statement_timeout = ${CHANGE_TIMEOUT}`, values: [] });
      },
      stored: async (query, version, planned) => {
        const later = planned.filter(isDone).flatMap(({ online }) => online?.retire ?? []);
        await query({
          text: "update ninefold.job set version = $2, phase = 'retire', later = $3, heartbeat_at = now() where id = $1 and state = 'running'",
          values: [this.#job.id, version, JSON.stringify(later)],
        });
        const [row] = await query({ text: "select state from ninefold.job where id = $1", values: [this.#job.id] });
        if (row?.state !== "running") throw new Halted();
      },
    };
  }

  async #switch(ahead: WorkBeforeSwitch, compiled: Compiled): Promise<Applied> {
    const { model } = compiled;
    if (model === undefined) throw new Error("a version without a model is published");
    const { person, note, restores, proposal, approvers, source } = this.#job;
    await this.#store({ phase: "switch" });
    const apply = (beforeCommit: ApplyOptions["beforeCommit"]) =>
      applyDocument(this.#owner, model, source, {
        person,
        note,
        ...(restores === null ? {} : { restores }),
        ...(proposal === null ? {} : { proposal }),
        approvers,
        base: this.#base(),
        beforeCommit,
        ahead,
      });
    const atSwitch = this.#options.atSwitch ?? ((work) => work(() => Promise.resolve()));
    const applied = await this.#patiently(() => atSwitch(apply, compiled));
    const now = await readJob(this.#owner.query, this.#job.id);
    if (now !== undefined) this.#job = now;
    return applied;
  }

  /** Runs the statements that remain after the switch. Those on objects that no longer exist are skipped. */
  async #retire(): Promise<void> {
    const later = [...this.#job.later];
    if (later.length > 0) await this.#owner.query({ text: "set statement_timeout = 0", values: [] });
    while (later.length > 0) {
      await this.#patiently(() =>
        this.#owner.query({ text: later[0] ?? "", values: [] }).catch((error: unknown) => {
          if (!(error instanceof StoreRefusal) || !error.code.startsWith("42")) throw error;
        }),
      );
      later.shift();
      await this.#store({ later });
    }
    await this.#tidy(await hiddenDrops(this.#owner.query));
  }

  async #tidy(drops: readonly string[]): Promise<void> {
    for (const text of drops) await this.#patiently(() => this.#short(text, false));
    await this.#owner.query({ text: "delete from ninefold.touched", values: [] });
    await this.#owner.query({ text: "reset statement_timeout", values: [] });
  }

  /** Removes everything that the job created. */
  async #abandoned(): Promise<JobResult> {
    await this.#store({ state: "abandoning" });
    await forgetFormer(this.#owner.query);
    await this.#tidy(await hiddenDrops(this.#owner.query));
    const [last] = await this.#owner.query({ text: "select max(number) as number from ninefold.version", values: [] });
    // Undoes values that were filled in, where nobody has written since.
    const version = Number(last?.number ?? 0);
    const filled = await this.#owner.query({
      text: "select id, table_name, column_name from ninefold.former_column c where exists (select from ninefold.former_value where column_id = c.id and version > $1)",
      values: [version],
    });
    for (const { id, table_name, column_name } of filled) {
      const [own, name] = [sql`"app".${identifier(String(table_name))}`, identifier(String(column_name))];
      const { text } = render(
        sql`with "f" as (delete from "ninefold"."former_value" where "id" in (select "id" from "ninefold"."former_value" where "column_id" = $1 and "version" > $3 limit 1000) returning *),
            "back" as (update ${own} "t" set ${name} = (jsonb_populate_record(null::${own}, jsonb_build_object($2::text, "f"."before"))).${name} from "f" where "t"."id" = "f"."record" and to_jsonb("t".${name}) = "f"."after")
            select count(*)::int as "count" from "f"`,
      );
      for (;;) {
        const [taken] = await this.#owner.query({ text, values: [id, column_name, version] });
        if (Number(taken?.count) === 0) break;
      }
    }
    await this.#store({ state: "abandoned" });
    return { job: this.#job };
  }

  async #failed(error: unknown): Promise<JobResult> {
    const refused = reasons(error);
    // A failed job without steps cannot be resumed, so it is abandoned.
    const isEmpty = this.#job.version === null && this.#job.steps.length === 0;
    await this.#store({ state: isEmpty ? "abandoned" : "failed", refused });
    return { job: this.#job };
  }

  /** Stores progress. Throws `Halted` if the job should stop. */
  async #store(change: Partial<Pick<Job, "state" | "phase" | "steps" | "later" | "refused">>): Promise<void> {
    const next = { ...this.#job, ...change };
    const isEnd = next.state === "done" || next.state === "abandoned";
    await this.#owner.query({
      text: `update ninefold.job set phase = $2, steps = $3, later = $4, refused = $5, waits = $6, heartbeat_at = now(),
               state = coalesce($7, state), ended_at = case when $8 then now() end, source = case when $8 then '' else source end where id = $1`,
      values: [
        next.id,
        next.phase,
        JSON.stringify(next.steps),
        JSON.stringify(next.later),
        JSON.stringify(next.refused),
        next.waits,
        change.state ?? null,
        isEnd,
      ],
    });
    const stored = await readJob(this.#owner.query, next.id);
    if (stored === undefined) throw new Halted();
    this.#job = stored;
    this.#options.progress?.(stored);
    if (change.state !== undefined) return;
    if (stored.state !== "running" || this.#options.signal?.aborted === true) throw new Halted();
  }

  async #report(phase: Phase, key: string, change: Partial<JobStep>): Promise<void> {
    const { folder } = this.#options;
    if (folder !== undefined && (await isAlmostFull(folder)))
      throw new JobFailed([
        { ...refuseChange("", say("refused.almost.full", { megabytes: LEAST_MEGABYTES })), records: [] },
      ]);
    const steps = this.#job.steps.map((step) =>
      step.key === key && step.phase === phase ? { ...step, ...change } : step,
    );
    await this.#store({ phase, steps });
  }

  /** Numbers of records of the tables, up to the limit from which they are large; exact for large ones. */
  async #sizes(steps: readonly MigrationStep[]): Promise<ReadonlyMap<string, number>> {
    const names = new Set(
      steps.flatMap(({ online, writes }) => [
        ...(online === undefined ? [] : [online.table]),
        ...(writes === undefined ? [] : [tableIn(writes.count)]),
      ]),
    );
    const rows = await this.#owner.query({
      text: "select relname as name from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r' and relname = any ($1)",
      values: [[...names]],
    });
    const sizes = new Map<string, number>();
    const large = this.#options.large ?? LARGE;
    for (const { name } of rows) {
      const own = render(sql`"app".${identifier(String(name))}`).text;
      const count = async (from: string) =>
        Number((await this.#owner.query({ text: `select count(*) as count from ${from}`, values: [] }))[0]?.count);
      const some = await count(`(select from ${own} limit ${large + 1}) first`);
      sizes.set(String(name), some > large ? await count(own) : some);
    }
    return sizes;
  }

  /** Refuses a version before anything is created for it, if stored records that it does not write do not fit. */
  async #refuseEarly(ahead: readonly PhaseWork[], steps: readonly MigrationStep[]): Promise<void> {
    const written = ahead.flatMap((work) => ("backfill" in work ? [`"${work.backfill.column}"`] : []));
    const refused: JobRefusal[] = [];
    for (const work of ahead) {
      const step = steps.find(({ online }) => online !== undefined && stepKey(online) === work.key);
      if (!("unfit" in work) || step === undefined || written.some((column) => work.unfit.includes(column))) continue;
      const reason = await unfitReason(this.#owner.query, step, work.clause, { ids: null, isLocked: false }).catch(
        (error: unknown) => {
          // The column does not exist yet: the job will add it.
          if (error instanceof StoreRefusal && error.code.startsWith("42")) return undefined;
          throw error;
        },
      );
      if (reason !== undefined) refused.push(reason);
    }
    if (refused.length > 0) throw new JobFailed(refused);
  }

  /** Numbers for messages, counted before the switch. A query that needs an earlier step runs at the switch. */
  async #counts(
    undivided: readonly MigrationStep[],
    isLarge: (table: string) => boolean,
  ): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const [i, { writes }] of undivided.entries()) {
      if (writes === undefined) continue;
      const table = tableIn(writes.count);
      if (!isLarge(table) || undivided.slice(0, i).some((step) => changesCount(step, table, writes.count))) continue;
      const [row] = await this.#owner.query({ text: writes.count, values: [] }).catch((error: unknown) => {
        if (error instanceof StoreRefusal) return [];
        throw error;
      });
      if (row !== undefined) counts.set(writes.count, Number(row.count));
    }
    return counts;
  }

  /** Runs a short statement that locks a table, so that people never wait long. */
  async #short(text: string, readsGoOn: boolean): Promise<void> {
    let attempt = 0;
    await this.#patiently(() =>
      this.#owner.transaction(async (query: RunQuery) => {
        attempt += 1;
        const wait = readsGoOn && attempt > PATIENCE ? LOCK_WAIT_LONG : LOCK_WAIT;
        await query({ text: `set local lock_timeout = ${wait}`, values: [] });
        await query({ text, values: [] });
      }),
    );
  }

  /** Repeats work that failed because somebody was using a table. */
  #patiently<T>(work: () => Promise<T>): Promise<T> {
    return withRetries([retrySlow()], work, async (milliseconds) => {
      this.#job = { ...this.#job, waits: this.#job.waits + 1 };
      if (this.#job.state === "running" && this.#job.version === null) await this.#store({});
      await sleep(milliseconds);
    });
  }
}

const tableIn = (count: string): string =>
  /(?:from|join) "app"\."((?:[^"]|"")+)"/u.exec(count)?.[1]?.replaceAll('""', '"') ?? "";

const withProgress = (
  ahead: readonly PhaseWork[],
  known: readonly JobStep[],
  sizes: ReadonlyMap<string, number>,
): readonly JobStep[] =>
  ahead.map(({ key, phase, table, clause, says, message }) => {
    const before = known.find((step) => step.key === key && step.phase === phase);
    const total = phase === "backfill" ? (sizes.get(table) ?? null) : null;
    const fresh = {
      key,
      phase,
      table,
      clause,
      says,
      ...(message === undefined ? {} : { message }),
      done: 0,
      total,
      cursor: null,
      written: 0,
      state: "waiting" as const,
    };
    // Validation is repeated, since people may have changed the records in the meantime.
    return before === undefined || (phase === "validate" && before.state !== "done") ? fresh : { ...before, total };
  });

const reasons = (error: unknown): readonly JobRefusal[] => {
  if (error instanceof JobFailed) return error.refused;
  if (error instanceof ChangeRefused) return error.refused.map((refusal) => ({ ...refusal, records: [] }));
  if (isFull(error)) {
    const problem = error instanceof Error && error.cause instanceof Error ? error.cause.message : "disk full";
    return [{ ...refuseChange("", say("refused.full", { problem })), records: [] }];
  }
  return [{ clause: "", says: error instanceof Error ? error.message : String(error), records: [] }];
};
