import { setTimeout as sleep } from "node:timers/promises";
import type { StoredSentence } from "../../core/i18n/languages.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Model } from "../../core/model/model.ts";
import type { JobJson } from "../../core/wire/authoring/job.ts";
import { type ConnectOptions, connect, type Database, StoreAway } from "../../postgres/database.ts";
import {
  changeState,
  createJob,
  findUnfinishedJob,
  interruptJob,
  type Job,
  type JobRequest,
  newestJob,
} from "../../postgres/job/job-store.ts";
import { type JobOptions, type JobResult, runJob } from "../../postgres/job/run-job.ts";
import { CHANGE_TIMEOUT } from "../../postgres/schema/apply-document.ts";

/** Milliseconds for which a request waits for a job to end. */
export const REQUEST_WAIT_MS = 2_000;

/** Milliseconds without a heartbeat after which another server resumes a job. The lock of the job must be free, too. */
const STALE_MS = 10_000;

/** Milliseconds between attempts to take the lock of a job. */
const LOCK_RETRY_MS = 200;

export interface Publishing {
  /** Stores a job and works on it. Throws `JobUnfinished` and `Superseded`. */
  start(request: JobRequest): Promise<{ readonly job: Job; readonly ended: Promise<JobResult | undefined> }>;
  /** True while this server works on a job, or begins one. */
  isPublishing(): boolean;
  /** True if the job that this server works on takes long: it does work before the version is live. */
  isLong(): boolean;
  /** Without `readable`, names no records. */
  newest(model: Model, readable?: Readable): Promise<JobJson | null>;
  /** Changes the state of the unfinished job. Undefined if there is none, or if its state does not allow the change. */
  change(to: "running" | "paused" | "abandoning", model: Model): Promise<JobJson | undefined>;
  /** Resumes a job that nobody works on. With `atOnce`, does so however recent its last heartbeat is. */
  resumeUnfinished(atOnce?: boolean): Promise<void>;
  stop(): Promise<void>;
}

export interface PublishingOptions {
  readonly owner: ConnectOptions["connection"];
  /** With the role of requests. */
  readonly database: Database;
  readonly compile: JobOptions["compile"];
  readonly live: NonNullable<JobOptions["live"]>;
  readonly atSwitch: NonNullable<JobOptions["atSwitch"]>;
  /** Receives errors of a job that no request waits for. */
  readonly log: (error: unknown) => void;
  readonly large?: number | undefined;
  /** A folder on the disk of the database, if it is known. */
  readonly folder?: string | undefined;
}

/** Runs the jobs of this server. Requests only read them; the owner's connection is open only while there is work. */
export const createPublishing = ({
  owner,
  database,
  compile,
  live,
  atSwitch,
  log,
  large,
  folder,
}: PublishingOptions): Publishing => {
  const stopped = new AbortController();
  let currentJob: Promise<JobResult | undefined> | undefined;
  let isLong = false;
  /** Other servers are told of a job when it is stored, and so is this one. */
  let isBeginning = false;
  /** True if the connection was lost while this server worked on a job. */
  let isInterrupted = false;

  const asOwner = async <T>(work: (own: Database) => Promise<T>): Promise<T> => {
    const own = connect({ connection: owner, max: 1, statementTimeout: CHANGE_TIMEOUT });
    try {
      return await work(own);
    } finally {
      await own.end();
    }
  };

  /** Works on the unfinished job. Another process may hold its lock for a moment without working on it. */
  const runUnfinishedJob = async (own: Database, options: JobOptions): Promise<JobResult | undefined> => {
    for (;;) {
      const result = await runJob(own, options);
      if (result !== undefined || stopped.signal.aborted) return result;
      const job = await findUnfinishedJob(own.query);
      if (job === undefined || (job.state !== "running" && job.state !== "abandoning")) return undefined;
      await sleep(LOCK_RETRY_MS);
    }
  };

  const run = (): Promise<JobResult | undefined> => {
    // An earlier job may have ended already, while its connection closes.
    const earlier = currentJob?.catch(() => undefined) ?? Promise.resolve();
    const current = earlier.then(() =>
      asOwner((own) =>
        runUnfinishedJob(own, {
          compile,
          live,
          atSwitch,
          signal: stopped.signal,
          progress: ({ steps }) => {
            isLong = steps.length > 0;
          },
          ...(large === undefined ? {} : { large }),
          folder,
        }),
      ).finally(() => {
        isLong = false;
        if (currentJob === current) currentJob = undefined;
      }),
    );
    currentJob = current;
    isInterrupted = false;
    // No request waits any longer, so nobody else handles the error.
    current.catch((error: unknown) => {
      isInterrupted = error instanceof StoreAway;
      if (!isInterrupted) log(error);
    });
    return current;
  };

  const interrupt = (): Promise<unknown> => asOwner((own) => own.query(interruptJob));

  return {
    start: async (request) => {
      isBeginning = true;
      try {
        const job = await asOwner((own) => createJob((work) => own.transaction(work), request));
        return { job, ended: run() };
      } finally {
        isBeginning = false;
      }
    },
    isPublishing: () => isBeginning || currentJob !== undefined,
    isLong: () => isLong,
    newest: async (model, readable) => {
      const job = await newestJob(database.query);
      return job === undefined ? null : toJson(job, model, await readPersonName(database, job.person), readable);
    },
    change: async (to, model) => {
      const job = await findUnfinishedJob(database.query);
      const changed = job === undefined ? undefined : await asOwner((own) => changeState(own.query, job.id, to));
      if (changed === undefined) return undefined;
      if (to !== "running") await interrupt();
      if (to !== "paused") {
        await Promise.race([run().catch(() => undefined), sleep(REQUEST_WAIT_MS, undefined, { ref: false })]);
      } else
        await Promise.race([currentJob?.catch(() => undefined), sleep(REQUEST_WAIT_MS, undefined, { ref: false })]);
      const now = (await newestJob(database.query)) ?? changed;
      return toJson(now, model, await readPersonName(database, now.person));
    },
    resumeUnfinished: async (atOnce = false) => {
      if (currentJob !== undefined || stopped.signal.aborted) return;
      const job = await findUnfinishedJob(database.query);
      if (job === undefined || job.state === "paused" || job.state === "failed") return;
      if (!atOnce && !isInterrupted && Date.now() - Date.parse(job.heartbeatAt) < STALE_MS) return;
      await run().catch(() => undefined);
    },
    stop: async () => {
      stopped.abort();
      const now = currentJob;
      if (now === undefined) return;
      await interrupt().catch(() => undefined);
      await now.catch(() => undefined);
    },
  };
};

const readPersonName = async (database: Database, person: string | null): Promise<string | null> => {
  if (person === null) return null;
  const [row] = await database.query({ text: `select "name" from app."user" where "id" = $1`, values: [person] });
  return row === undefined ? null : String(row.name);
};

/** Finds which of some records a reader can read. */
export type Readable = (entity: Entity, ids: readonly string[]) => Promise<ReadonlySet<string>>;

const nothingReadable: Readable = async () => new Set();

/** Keeps the message until the language of the reader is known. */
const sentence = ({ says, message }: StoredSentence): StoredSentence =>
  message === undefined ? { says } : { says, message };

const toJson = async (
  { id, state, phase, startedAt, endedAt, person, note, version, steps, refused, waits }: Job,
  model: Model,
  name: string | null,
  readable: Readable = nothingReadable,
): Promise<JobJson> => {
  const entities = new Map([...model.entities.values()].map((entity) => [entity.table, entity]));
  const addresses = async (table: string, ids: readonly string[]): Promise<readonly string[]> => {
    const entity = entities.get(table);
    if (entity === undefined) return [];
    const seen = await readable(entity, ids);
    return ids.filter((id) => seen.has(id)).map((id) => `/${entity.path}/${id}`);
  };
  return {
    job: id,
    state,
    phase,
    startedAt,
    endedAt,
    author: person === null ? null : { id: person, label: name ?? "" },
    note,
    version,
    steps: steps.map((step) => ({
      phase: step.phase,
      clause: step.clause,
      ...sentence(step),
      done: step.done,
      total: step.total,
      state: step.state,
    })),
    refused: await Promise.all(
      refused.map(async ({ table = "", records, ...reason }) => ({
        clause: reason.clause,
        ...sentence(reason),
        records: await addresses(table, records),
      })),
    ),
    waits,
  };
};
