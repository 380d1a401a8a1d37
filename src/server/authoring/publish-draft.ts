import { setTimeout as sleep } from "node:timers/promises";
import type { RefusedChange } from "../../core/migration/migration-step.ts";
import type { AppliedJson, DraftJson, SampleJson } from "../../core/wire/authoring/document.ts";
import type { JobJson } from "../../core/wire/authoring/job.ts";
import type { Database } from "../../postgres/database.ts";
import { type JobRequest, JobUnfinished } from "../../postgres/job/job-store.ts";
import type { JobResult } from "../../postgres/job/run-job.ts";
import { JobFailed } from "../../postgres/job/touched-rows.ts";
import { Superseded } from "../../postgres/schema/apply-document.ts";
import { ChangeRefused } from "../../postgres/schema/apply-steps.ts";
import { isRefusal, type Refusal, type RefusalAt, refuse, refuseAt } from "../refusal.ts";
import type { Serialize } from "../util/serializer.ts";
import type { DraftTrials } from "./draft/draft-trials.ts";
import { DocumentFixed, type DocumentStore, type Fixed, type InForce } from "./in-force.ts";
import type { PublishedChange } from "./planned-change.ts";
import { type Publishing, REQUEST_WAIT_MS } from "./publishing.ts";
import { readVersion } from "./versions.ts";

/**
 * Adds samples for the live version to a demonstration, after it replaced `before`. `without`: entities whose records
 * the author brings along. Undefined if there are no samples.
 */
export type AddSamples = (before: InForce, without?: ReadonlySet<string>) => Promise<SampleJson | undefined>;

/** The person, the restored version and the approvals that the version will name. */
export type DraftOrigin = Pick<JobRequest, "person" | "restores" | "proposal" | "approvers">;

export interface DraftPublisher {
  /** Publishes a draft. Returns the job if that takes longer than two seconds. */
  publish(draft: DraftJson, origin: DraftOrigin): Promise<AppliedJson | JobJson | Refusal>;
  /** True while a draft is being checked for publication. */
  isStarting(): boolean;
}

type StartedJob = Awaited<ReturnType<Publishing["start"]>>;

/** The services that a publication uses. */
export interface PublisherParts {
  readonly store: DocumentStore;
  readonly database: Database;
  readonly current: () => InForce;
  /** Changes run one after another. A later one then finds that its base is outdated. */
  readonly serialize: Serialize;
  readonly trials: DraftTrials;
  readonly publishing: Publishing;
  readonly addSamples: AddSamples;
}

export const createDraftPublisher = ({
  store,
  database,
  current,
  serialize,
  trials,
  publishing,
  addSamples,
}: PublisherParts): DraftPublisher => {
  /** Number of drafts that are being checked for publication. */
  let starting = 0;

  const checkAndStart = async (draft: DraftJson, origin: DraftOrigin): Promise<StartedJob | Refusal> => {
    // All changes requested earlier are now in force or refused.
    const compiled = await serialize(() => trials.compile(draft));
    if (isRefusal(compiled)) return compiled;
    return startJob(publishing, { source: compiled.source, base: draft.base, note: draft.note ?? "", ...origin });
  };

  return {
    publish: async (draft, origin) => {
      if (store.fixed !== null) return refuseFixed(store.fixed);
      const before = current();
      starting++;
      const started = await checkAndStart(draft, origin).finally(() => starting--);
      if (isRefusal(started)) return started;
      let samples: SampleJson | undefined;
      const ended = started.ended.then(async (result) => {
        if (result?.applied !== undefined) samples = await addSamples(before, new Set(draft.withoutSamples));
        return result;
      });
      // A job that takes long is not waited for. Its errors are logged.
      ended.catch(() => undefined);
      const result = await waitForShortJob(publishing, ended);
      const isEnded =
        result?.job.id === started.job.id && result.job.state !== "running" && result.job.state !== "paused";
      return isEnded ? toPublished(result, samples) : readUnfinished(database, current(), publishing);
    },
    isStarting: () => starting > 0,
  };
};

const refuseFixed = ({ reason, word }: Fixed): Refusal => refuse("DOCUMENT_FIXED", undefined, { detail: reason, word });

/** Stores the job of a draft. Waits for another job that is about to end. */
const startJob = async (publishing: Publishing, request: JobRequest): Promise<StartedJob | Refusal> => {
  for (const from = Date.now(); ; await sleep(50))
    try {
      return await publishing.start(request);
    } catch (error) {
      if (error instanceof Superseded) return refuse("DOCUMENT_CHANGED");
      if (!(error instanceof JobUnfinished)) throw error;
      const isRunning = error.job.state === "running" || error.job.state === "abandoning";
      if (!isRunning || Date.now() - from > REQUEST_WAIT_MS) return refuse("ALREADY_PUBLISHING");
    }
};

/**
 * The result of a job, or undefined if it takes long. A job without work before the switch counts as short, whatever
 * the load of the machine.
 */
const waitForShortJob = async (
  publishing: Publishing,
  ended: Promise<JobResult | undefined>,
): Promise<JobResult | undefined> => {
  for (;;) {
    const result = await Promise.race([ended, sleep(REQUEST_WAIT_MS, "late" as const, { ref: false })]);
    if (result !== "late") return result;
    if (publishing.isLong()) return undefined;
  }
};

/** The job that still runs, or the live version if another server has published first. */
const readUnfinished = async (
  database: Database,
  { compiled: { model } }: InForce,
  publishing: Publishing,
): Promise<AppliedJson | JobJson> => {
  const newest = model === undefined ? null : await publishing.newest(model);
  if (newest === null) throw new Error("the job that was started does not exist");
  const live =
    newest.state === "done" && newest.version !== null ? await readVersion(database, newest.version) : undefined;
  return live === undefined ? newest : { version: live.number, hash: live.hash, steps: live.steps };
};

/** The published version, or the refusal of a job that failed. Throws any other error of the job. */
const toPublished = ({ error, applied }: JobResult, samples: SampleJson | undefined): AppliedJson | Refusal => {
  if (error === undefined && applied !== undefined) {
    const { version, hash, done, messages } = applied;
    const published: PublishedChange = { version, hash, steps: done, messages };
    return samples === undefined ? published : { ...published, samples };
  }
  if (error instanceof ChangeRefused || error instanceof JobFailed) return refuseChanges(error.refused);
  if (error instanceof Superseded) return refuse("DOCUMENT_CHANGED");
  if (error instanceof DocumentFixed) return refuseFixed(error.fixed);
  throw error;
};

const refuseChanges = (reasons: readonly RefusedChange[]): Refusal =>
  refuseAt(
    reasons.map(
      ({ clause, says, message: messageData }): RefusalAt => ({
        at: "",
        code: "CHANGE_REFUSED",
        clause,
        values: {},
        message: says,
        ...(messageData === undefined ? {} : { messageData }),
      }),
    ),
  );
