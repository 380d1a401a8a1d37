import { changeRights } from "../../core/derive/authorization/change-rights.ts";
import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { Model } from "../../core/model/model.ts";
import type { AppliedJson, DocumentJson, DraftJson, StateCountsJson } from "../../core/wire/authoring/document.ts";
import type { JobJson, NewestJobJson } from "../../core/wire/authoring/job.ts";
import type { RestoreJson, VersionsJson, VersionTextJson } from "../../core/wire/authoring/versions.ts";
import type { Database } from "../../postgres/database.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { countStates } from "./count-states.ts";
import { tryDraft } from "./draft/check-draft.ts";
import { createDraftTrials, type DraftTrials } from "./draft/draft-trials.ts";
import type { Fixed, InForce } from "./in-force.ts";
import type { PlannedChange } from "./planned-change.ts";
import { type AddSamples, createDraftPublisher, type PublisherParts } from "./publish-draft.ts";
import { createPublishing, type Publishing, type Readable } from "./publishing.ts";
import { findWhollyReadable } from "./readable-examples.ts";
import { createRetiredAccess, type RetiredAccess } from "./retired.ts";
import { listVersions, readVersion } from "./versions.ts";

/** The live document. Its reason is not in words yet. */
export type LiveDocument = Omit<DocumentJson, "fixed"> & { readonly fixed: Fixed | null };

/** The live document, and changes to it. */
export interface Authoring extends Pick<DraftTrials, "plan" | "planRecords" | "replay"> {
  document(): LiveDocument;
  stateCounts(): Promise<StateCountsJson>;
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
  readonly retired: RetiredAccess;
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

/** The services that changes to the document use. */
export interface AuthoringParts extends Pick<PublisherParts, "store" | "database" | "current" | "serialize"> {
  /** Makes a version live; requests in progress finish under the previous one. */
  readonly enforce: (next: InForce) => Promise<void>;
  readonly attempt?: typeof tryDraft;
  readonly log?: (error: unknown) => void;
  readonly addSamples?: AddSamples;
}

/** Changes the document at run time: the new text is compiled, tried on the tables, and applied as a whole or not at all. */
export const createAuthoring = ({
  store,
  database,
  current,
  enforce,
  serialize,
  attempt = tryDraft,
  log = () => undefined,
  addSamples = () => Promise.resolve(undefined),
}: AuthoringParts): Authoring => {
  const trials = createDraftTrials(store.owner, database, current, attempt);
  const publishing = createPublishing({
    owner: store.owner,
    folder: store.folder,
    database,
    compile: trials.compileStored,
    live: () => {
      const { compiled, applied } = current();
      return { hash: applied.hash, ...(compiled.model === undefined ? {} : { model: compiled.model }) };
    },
    atSwitch: (apply, next) =>
      serialize(async () => {
        const before = current().compiled;
        const applied = await apply(() =>
          store.fixed === null ? store.write(before.sources, next.sources) : Promise.resolve(),
        );
        await enforce({ compiled: next, applied });
        return applied;
      }),
    log,
  });
  const { publish, isStarting } = createDraftPublisher({
    store,
    database,
    current,
    serialize,
    trials,
    publishing,
    addSamples,
  });

  /** Refuses a direct publication where the live version requires an approval. */
  const refuseAlone = (author: Author): Refusal | null => {
    const { model } = current().compiled;
    if (model === undefined || changeRights(model, author).publish) return null;
    return refuse("NEEDS_APPROVAL", changesClause(model));
  };

  const version = async (number: number, language?: string): Promise<VersionTextJson | Refusal> =>
    (await readVersion(database, number, language)) ?? refuse("NOT_FOUND", MANAGES_CLAUSE);

  return {
    document: () => {
      const { compiled, applied } = current();
      return { version: applied.version, hash: applied.hash, files: compiled.sources, fixed: store.fixed };
    },
    stateCounts: () => countStates(database, current().compiled.model),
    plan: trials.plan,
    planRecords: trials.planRecords,
    replay: trials.replay,
    check: async (draft) => {
      const compiled = await trials.compile(draft);
      return isRefusal(compiled) ? compiled : null;
    },
    apply: async (draft, author) => refuseAlone(author) ?? publish(draft, { person: author.id }),
    publish,
    ...jobCalls(database, publishing, () => current().compiled.model, isStarting),
    retired: createRetiredAccess(
      store.owner,
      (packed) => trials.compileStored(packed),
      () => ({ model: current().compiled.model, version: current().applied.version }),
    ),
    versions: (before, language) => listVersions(database, before, language),
    version,
    planRestore: async (number, { base }, author) => {
      const earlier = await version(number);
      return isRefusal(earlier) ? earlier : trials.plan({ base, files: earlier.files }, author);
    },
    restore: async (number, { base, note }, author) => {
      const earlier = await version(number);
      if (isRefusal(earlier)) return earlier;
      return (
        refuseAlone(author) ?? publish({ base, files: earlier.files, note }, { person: author.id, restores: number })
      );
    },
  };
};

/** The calls about the job that makes a version live. */
const jobCalls = (
  database: Database,
  publishing: Publishing,
  model: () => Model | undefined,
  isStarting: () => boolean,
): Pick<Authoring, "job" | "resume" | "pause" | "abandon" | "isPublishing" | "resumeUnfinished" | "stop"> => {
  const changeJob = async (to: "running" | "paused" | "abandoning"): Promise<JobJson | Refusal> => {
    const live = model();
    const job = live === undefined ? undefined : await publishing.change(to, live);
    return job ?? refuse("PUBLISHING_ENDED", MANAGES_CLAUSE);
  };
  return {
    job: async (author) => {
      const live = model();
      const starting = isStarting();
      if (live === undefined) return { newest: null, isStarting: starting };
      const readable: Readable = (entity, ids) => findWhollyReadable(database, live, entity, ids, author, new Date());
      return { newest: await publishing.newest(live, readable), isStarting: starting };
    },
    resume: () => changeJob("running"),
    pause: () => changeJob("paused"),
    abandon: () => changeJob("abandoning"),
    isPublishing: publishing.isPublishing,
    resumeUnfinished: publishing.resumeUnfinished,
    stop: publishing.stop,
  };
};
