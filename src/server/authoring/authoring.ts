import { setTimeout as sleep } from "node:timers/promises";
import type { Compiled } from "../../core/compile.ts";
import { changeRights } from "../../core/derive/authorization/change-rights.ts";
import type { Principal } from "../../core/derive/authorization/grants.ts";
import { unpackSources } from "../../core/document/sources.ts";
import type { RefusedChange } from "../../core/migration/migration-step.ts";
import type { Model } from "../../core/model/model.ts";
import type { Source } from "../../core/source-text.ts";
import { identifier, render, sql } from "../../core/sql.ts";
import type { AppliedJson, DocumentJson, DraftJson, StateCountsJson } from "../../core/wire/authoring/document.ts";
import type { JobJson, NewestJobJson } from "../../core/wire/authoring/job.ts";
import type { ReplayJson } from "../../core/wire/authoring/replay.ts";
import type { RestoreJson, VersionsJson, VersionTextJson } from "../../core/wire/authoring/versions.ts";
import type { ConnectOptions, Database } from "../../postgres/database.ts";
import { type JobRequest, JobUnfinished } from "../../postgres/job/job-store.ts";
import type { JobResult } from "../../postgres/job/run-job.ts";
import { JobFailed } from "../../postgres/job/touched-rows.ts";
import { ChangeRefused, Superseded } from "../../postgres/schema/apply-document.ts";
import type { Applied } from "../../postgres/schema/newest-document.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { isRefusal, type Refusal, type RefusalAt, refuse, refuseAt } from "../refusal.ts";
import { type DraftAnswer, type DraftRequest, type ReplayRequest, tryDraft } from "./check-draft.ts";
import type { PlannedChange, PublishedChange } from "./planned-change.ts";
import { createPublishing, type Publishing, REQUEST_WAIT_MS, type Readable } from "./publishing.ts";
import { findReadable, withReadableMisfits } from "./readable-examples.ts";
import { createRetiredDesk, type RetiredDesk } from "./retired.ts";
import { listVersions, readVersion } from "./versions.ts";

/** Thrown if the document cannot be written to its files. */
export class DocumentFixed extends Error {
  override readonly name = "DocumentFixed";
}

/** The storage of the document's text, and the connection that may change tables. */
export interface Desk {
  /** The owner of the tables; connected only while a change is planned or applied. */
  readonly owner: ConnectOptions["connection"];
  /** A folder on the disk of the database; absent if the disk is not known. */
  readonly folder?: string | undefined;
  /** The reason why the text cannot be changed here; null if it can. */
  readonly fixed: string | null;
  /** Replaces changed files, all or none. Throws `DocumentFixed` if that fails. */
  write(before: readonly Source[], after: readonly Source[]): Promise<void>;
}

/** The document in force, and changes to it. */
export interface Authoring {
  document(): DocumentJson;
  stateCounts(): Promise<StateCountsJson>;
  /**
   * Plans a draft. Records that do not fit are listed only if the author can read them. With `signal`, the trial ends
   * as soon as nobody waits for its result.
   */
  plan(draft: DraftJson, author: Principal, signal?: AbortSignal): Promise<PlannedChange | Refusal>;
  /** Replays acts of the last days under the draft. */
  replay(draft: DraftJson, author: Principal, signal?: AbortSignal): Promise<ReplayJson | Refusal>;
  /** Publishes a draft directly, if its author may. Returns the job if that takes longer than two seconds. */
  apply(draft: DraftJson, author: Author): Promise<AppliedJson | JobJson | Refusal>;
  /** Publishes an approved proposal. */
  publish(draft: DraftJson, approved: ApprovedProposal): Promise<AppliedJson | JobJson | Refusal>;
  /** The reasons why a draft cannot be a version with any stored data; null if there are none. */
  check(draft: DraftJson): Promise<Refusal | null>;
  /** The newest job. Records that do not fit are listed only if the author can read them. */
  job(author: Principal): Promise<NewestJobJson>;
  resume(): Promise<JobJson | Refusal>;
  pause(): Promise<JobJson | Refusal>;
  abandon(): Promise<JobJson | Refusal>;
  /** True while this server works on a job. */
  isPublishing(): boolean;
  /** Resumes a job whose server has stopped. */
  resumeUnfinished(atOnce?: boolean): Promise<void>;
  /** Lets another server resume the job that this one works on. */
  stop(): Promise<void>;
  readonly retired: RetiredDesk;
  versions(before: number | null, language: string): Promise<VersionsJson>;
  version(number: number, language: string): Promise<VersionTextJson | Refusal>;
  /** The plan of making the text of an earlier version the newest version. */
  planRestore(number: number, request: RestoreJson, author: Principal): Promise<PlannedChange | Refusal>;
  restore(number: number, request: RestoreJson, author: Author): Promise<AppliedJson | JobJson | Refusal>;
}

/** The clause that decides who proposes and approves changes. */
export const changesClause = ({ approval }: Model): string => approval.clause?.id ?? MANAGES_CLAUSE;

/** The person who publishes. */
type Author = Principal & { readonly id: string };

/** An approved proposal. */
interface ApprovedProposal {
  /** The author of the proposal; null for one from a file. */
  readonly person: string | null;
  readonly proposal: number;
  readonly approvers: readonly string[];
}

/** Runs changes one after another. A later one then finds that its base is outdated. */
export type Serialize = <T>(work: () => Promise<T>) => Promise<T>;

export const createSerializer = (): Serialize => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
};

/** The document in force. Always replaced as a whole. */
export interface InForce {
  readonly compiled: Compiled;
  readonly applied: Applied;
}

const invalid = (at: readonly RefusalAt[]): Refusal => ({ ...refuse("DOCUMENT_INVALID"), at });

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

/**
 * Changes the document at run time: the new text is compiled, tried on the tables, and applied as a whole or not at
 * all. `enforce` puts the result in force; requests in progress finish under the previous version.
 */
export const createAuthoring = (
  desk: Desk,
  database: Database,
  current: () => InForce,
  enforce: (next: InForce) => Promise<void>,
  serialize: Serialize,
  attempt: (request: DraftRequest, signal?: AbortSignal) => Promise<DraftAnswer> = tryDraft,
  log: (error: unknown) => void = () => undefined,
): Authoring => {
  /** The draft that was checked last, so that its job need not compile it again. */
  let checkedLast: Compiled | undefined;
  const compile = async (packed: Source): Promise<Compiled | undefined> => {
    const answer = await attempt({ files: unpackSources(packed), owner: null });
    return answer.kind === "runs" ? answer.compiled : undefined;
  };
  const publishing = createPublishing({
    owner: desk.owner,
    folder: desk.folder,
    database,
    compile: async (packed) => (checkedLast?.source.text === packed.text ? checkedLast : compile(packed)),
    atSwitch: (apply, next) =>
      serialize(async () => {
        const before = current().compiled;
        const applied = await apply(() =>
          desk.fixed === null ? desk.write(before.sources, next.sources) : Promise.resolve(),
        );
        await enforce({ compiled: next, applied });
        return applied;
      }),
    log,
  });

  /** Checks a draft before anything is done. */
  const checkDraft = async (
    { base, files }: DraftJson,
    owner: Desk["owner"] | null,
    signal?: AbortSignal,
    replay?: ReplayRequest,
  ): Promise<Exclude<DraftAnswer, { readonly kind: "invalid" }> | Refusal> => {
    if (base !== current().applied.hash) return refuse("DOCUMENT_CHANGED");
    const answer = await attempt({ files, owner, ...(replay === undefined ? {} : { replay }) }, signal);
    return answer.kind === "invalid" ? invalid(answer.at) : answer;
  };

  const plan = async (draft: DraftJson, author: Principal, signal?: AbortSignal): Promise<PlannedChange | Refusal> => {
    const planned = await checkDraft(draft, desk.owner, signal);
    const { model } = current().compiled;
    if (planned.kind === "plan")
      return model === undefined
        ? planned.change
        : withReadableMisfits(database, model, planned.change, author, new Date());
    if (planned.kind === "refusal") return planned;
    throw new Error("a draft was not planned");
  };

  const replay = async (draft: DraftJson, author: Principal, signal?: AbortSignal): Promise<ReplayJson | Refusal> => {
    const { id, granted } = author;
    const before = current().compiled.sources;
    const replayed = await checkDraft(draft, desk.owner, signal, { before, author: { id, granted } });
    if (replayed.kind === "replay") return replayed.replay;
    if (replayed.kind === "refusal") return replayed;
    throw new Error("a draft was not replayed");
  };

  /** Refuses a direct publication where the version in force asks for an approval. */
  const refuseAlone = (author: Author): Refusal | null => {
    const { model } = current().compiled;
    if (model === undefined || changeRights(model, author).publish) return null;
    return refuse("NEEDS_APPROVAL", changesClause(model));
  };

  /** Stores the job of a draft. Waits for another job that is about to end. */
  const startJob = async (request: JobRequest): Promise<Awaited<ReturnType<Publishing["start"]>> | Refusal> => {
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
  const waitForShortJob = async (ended: Promise<JobResult | undefined>): Promise<JobResult | undefined> => {
    for (;;) {
      const result = await Promise.race([ended, sleep(REQUEST_WAIT_MS, "late" as const, { ref: false })]);
      if (result !== "late") return result;
      if (publishing.isLong()) return undefined;
    }
  };

  /** Number of drafts that are being checked for publication. */
  let starting = 0;

  const checkAndStart = async (
    draft: DraftJson,
    origin: Pick<JobRequest, "person" | "restores" | "proposal" | "approvers">,
  ): ReturnType<typeof startJob> => {
    // All changes requested earlier are now in force or refused.
    const checked = await serialize(() => checkDraft(draft, null));
    if (checked.kind === "refusal") return checked;
    if (checked.kind !== "runs") throw new Error("a draft was planned that is to be applied");
    checkedLast = checked.compiled;
    return startJob({ source: checked.compiled.source, base: draft.base, note: draft.note ?? "", ...origin });
  };

  const apply = async (
    draft: DraftJson,
    origin: Pick<JobRequest, "person" | "restores" | "proposal" | "approvers">,
    alone: Author | null = null,
  ): Promise<AppliedJson | JobJson | Refusal> => {
    const needsOthers = alone === null ? null : refuseAlone(alone);
    if (needsOthers !== null) return needsOthers;
    if (desk.fixed !== null) return refuse("DOCUMENT_FIXED", undefined, { detail: desk.fixed });
    starting++;
    const job = await checkAndStart(draft, origin).finally(() => starting--);
    if ("kind" in job) return job;
    const result = await waitForShortJob(job.ended);
    const model = current().compiled.model;
    if (result?.job.id !== job.job.id || result.job.state === "running" || result.job.state === "paused") {
      const newest = model === undefined ? null : await publishing.newest(model);
      if (newest === null) throw new Error("a job that was begun is not there");
      // Another server has published first.
      const live =
        newest.state === "done" && newest.version !== null ? await readVersion(database, newest.version) : undefined;
      return live === undefined ? newest : { version: live.number, hash: live.hash, steps: live.steps };
    }
    const { error, applied } = result;
    if (error === undefined && applied !== undefined) {
      const { version, hash, done, messages } = applied;
      const published: PublishedChange = { version, hash, steps: done, messages };
      return published;
    }
    if (error instanceof ChangeRefused || error instanceof JobFailed) return refuseChanges(error.refused);
    if (error instanceof Superseded) return refuse("DOCUMENT_CHANGED");
    if (error instanceof DocumentFixed) return refuse("DOCUMENT_FIXED", undefined, { detail: error.message });
    throw error;
  };

  const changeJob = async (to: "running" | "paused" | "abandoning"): Promise<JobJson | Refusal> => {
    const { model } = current().compiled;
    const job = model === undefined ? undefined : await publishing.change(to, model);
    return job ?? refuse("PUBLISHING_ENDED", MANAGES_CLAUSE);
  };

  const version = async (number: number, language?: string): Promise<VersionTextJson | Refusal> =>
    (await readVersion(database, number, language)) ?? refuse("NOT_FOUND", MANAGES_CLAUSE);

  return {
    document: () => {
      const { compiled, applied } = current();
      return { version: applied.version, hash: applied.hash, files: compiled.sources, fixed: desk.fixed };
    },
    stateCounts: async () => {
      const { model } = current().compiled;
      const entities: Record<string, Record<string, number>> = {};
      for (const entity of model?.entities.values() ?? []) {
        if (entity.states === null) continue;
        const { text } = render(
          sql`SELECT ${identifier(entity.states.field)} AS "state", count(*)::integer AS "count" FROM "app".${identifier(entity.table)} GROUP BY 1`,
        );
        const rows = await database.query({ text, values: [] });
        entities[entity.name] = Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
      }
      return { entities };
    },
    plan,
    replay,
    apply: (draft, author) => apply(draft, { person: author.id }, author),
    publish: (draft, approved) => apply(draft, approved),
    check: async (draft) => {
      const checked = await checkDraft(draft, null);
      return isRefusal(checked) ? checked : null;
    },
    job: async (author) => {
      const { model } = current().compiled;
      const isStarting = starting > 0;
      if (model === undefined) return { newest: null, isStarting };
      const readable: Readable = (entity, ids) => findReadable(database, model, entity, ids, author, new Date());
      return { newest: await publishing.newest(model, readable), isStarting };
    },
    resume: () => changeJob("running"),
    pause: () => changeJob("paused"),
    abandon: () => changeJob("abandoning"),
    isPublishing: publishing.isPublishing,
    resumeUnfinished: publishing.resumeUnfinished,
    stop: publishing.stop,
    retired: createRetiredDesk(desk.owner, compile, () => {
      const { compiled, applied } = current();
      return { model: compiled.model, version: applied.version };
    }),
    versions: (before, language) => listVersions(database, before, language),
    version,
    planRestore: async (number, { base }, author) => {
      const earlier = await version(number);
      return isRefusal(earlier) ? earlier : plan({ base, files: earlier.files }, author);
    },
    restore: async (number, { base, note }, author) => {
      const earlier = await version(number);
      return isRefusal(earlier)
        ? earlier
        : apply({ base, files: earlier.files, note }, { person: author.id, restores: number }, author);
    },
  };
};
