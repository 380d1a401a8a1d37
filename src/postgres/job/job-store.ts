import type { Message } from "../../core/i18n/message.ts";
import type { RefusedChange } from "../../core/migration/migration-step.ts";
import type { Phase } from "../../core/migration/phases.ts";
import type { Source } from "../../core/source-text.ts";
import type { Query, Row, RunQuery } from "../database.ts";
import { Superseded, VERSION_CHANNEL } from "../schema/apply-document.ts";
import { hashDocument } from "../schema/document-hash.ts";

export type JobState = "running" | "paused" | "failed" | "abandoning" | "abandoned" | "done";

/** A reason why a version cannot be published, with some of the records that prevent it. */
export interface JobRefusal extends RefusedChange {
  readonly table?: string;
  readonly records: readonly string[];
}

/** Work before the switch, with its progress in records. */
export interface JobStep {
  readonly key: string;
  readonly phase: Phase;
  readonly table: string;
  readonly clause: string;
  /** English. */
  readonly says: string;
  /** Absent in jobs of earlier releases, and for steps that need no mention. */
  readonly message?: Message;
  readonly done: number;
  /** Null if it is unknown. */
  readonly total: number | null;
  /** The last record of the last batch. */
  readonly cursor: string | null;
  readonly written: number;
  /** `left`: the step is done at the switch instead. */
  readonly state: "waiting" | "done" | "left";
}

/** A version that is or was being published. */
export interface Job {
  readonly id: number;
  readonly base: string;
  readonly hash: string;
  readonly source: Source;
  readonly person: string | null;
  readonly note: string;
  readonly restores: number | null;
  /** The proposal that is published; null if there is none. */
  readonly proposal: number | null;
  readonly approvers: readonly string[];
  readonly state: JobState;
  readonly phase: Phase;
  readonly steps: readonly JobStep[];
  /** Statements that remain after the switch. */
  readonly later: readonly string[];
  readonly refused: readonly JobRefusal[];
  /** Number of attempts that ended because people were using a table. */
  readonly waits: number;
  /** The number of the version; null before the switch. */
  readonly version: number | null;
  readonly startedAt: string;
  readonly heartbeatAt: string;
  readonly endedAt: string | null;
}

/** Advisory lock of the connection that works on the job. */
export const JOB_LOCK = 9_090_012;

/** Number of jobs that are stored, including the new one. */
const KEPT = 20;

/** Another version is being published. Nothing was done. */
export class JobUnfinished extends Error {
  override readonly name = "JobUnfinished";
  readonly job: Job;
  constructor(job: Job) {
    super("Another version is being published.");
    this.job = job;
  }
}

const toJob = (row: Row): Job => ({
  id: Number(row.id),
  base: String(row.base),
  hash: String(row.hash),
  source: { file: String(row.file), text: String(row.source) },
  person: row.person === null ? null : String(row.person),
  note: String(row.note),
  restores: row.restores === null ? null : Number(row.restores),
  proposal: row.proposal === null ? null : Number(row.proposal),
  approvers: (row.approvers as readonly unknown[]).map(String),
  state: row.state as JobState,
  phase: row.phase as Phase,
  steps: row.steps as readonly JobStep[],
  later: row.later as readonly string[],
  refused: row.refused as readonly JobRefusal[],
  waits: Number(row.waits),
  version: row.version === null ? null : Number(row.version),
  startedAt: String(row.started_at),
  heartbeatAt: String(row.heartbeat_at),
  endedAt: row.ended_at === null ? null : String(row.ended_at),
});

const UNFINISHED = "('running', 'paused', 'failed', 'abandoning')";

/** The newest job; undefined if there is none. */
export const newestJob = async (query: RunQuery): Promise<Job | undefined> => {
  const [row] = await query({ text: "select * from ninefold.job order by id desc limit 1", values: [] });
  return row === undefined ? undefined : toJob(row);
};

export const readJob = async (query: RunQuery, id: number): Promise<Job | undefined> => {
  const [row] = await query({ text: "select * from ninefold.job where id = $1", values: [id] });
  return row === undefined ? undefined : toJob(row);
};

/** The job that has not ended; there is at most one. */
export const findUnfinishedJob = async (query: RunQuery): Promise<Job | undefined> => {
  const [row] = await query({ text: `select * from ninefold.job where state in ${UNFINISHED}`, values: [] });
  return row === undefined ? undefined : toJob(row);
};

/** A version to publish. `base` is the hash of the version that it is based on. */
export interface JobRequest {
  readonly source: Source;
  readonly base: string;
  readonly person: string | null;
  readonly note: string;
  readonly restores?: number;
  readonly proposal?: number;
  readonly approvers?: readonly string[];
}

/**
 * Stores a job. Throws `JobUnfinished` if another one has not ended, and `Superseded` if its base is not in force. Works
 * on a connection that may write the platform's tables.
 */
export const createJob = async (
  transaction: <T>(work: (query: RunQuery) => Promise<T>) => Promise<T>,
  { source, base, person, note, restores, proposal, approvers = [] }: JobRequest,
): Promise<Job> =>
  transaction(async (query) => {
    const other = await findUnfinishedJob(query);
    if (other !== undefined) throw new JobUnfinished(other);
    const [last] = await query({ text: "select hash from ninefold.version order by number desc limit 1", values: [] });
    if (last?.hash !== base) throw new Superseded();
    await query({
      text: `delete from ninefold.job where id <= (select id from ninefold.job order by id desc offset ${KEPT - 1} limit 1)`,
      values: [],
    });
    const [row] = await query({
      text: `insert into ninefold.job (base, file, hash, source, person, note, restores, proposal, approvers) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             on conflict do nothing returning *`,
      values: [
        base,
        source.file,
        hashDocument(source.text),
        source.text,
        person,
        note,
        restores ?? null,
        proposal ?? null,
        approvers,
      ],
    });
    // Other servers compile the version meanwhile.
    if (row !== undefined) await query({ text: "select pg_notify($1, 'job')", values: [VERSION_CHANNEL] });
    if (row !== undefined) return toJob(row);
    const first = await findUnfinishedJob(query);
    if (first === undefined) throw new Superseded();
    throw new JobUnfinished(first);
  });

/**
 * Changes the state of a job; undefined if it is not in one of the states `from`. A job can be abandoned until the
 * switch.
 */
export const changeState = async (
  query: RunQuery,
  id: number,
  to: "running" | "paused" | "abandoning",
): Promise<Job | undefined> => {
  const from = { running: ["paused", "failed"], paused: ["running"], abandoning: ["running", "paused", "failed"] }[to];
  const [row] = await query({
    text: `update ninefold.job set state = $2, heartbeat_at = now(), refused = case when $2 = 'running' then '[]' else refused end
           where id = $1 and state = any ($3) and (version is null or $2 = 'running') returning *`,
    values: [id, to, from],
  });
  return row === undefined ? undefined : toJob(row);
};

/** Ends the statement that the job runs, so that it notices a changed state at once. */
export const interruptJob: Query = {
  text: `select pg_cancel_backend(pid) from pg_locks
         where locktype = 'advisory' and objid = ${JOB_LOCK} and granted and pid <> pg_backend_pid()
           and database = (select oid from pg_database where datname = current_database())`,
  values: [],
};
