import type { Compiled } from "../../../core/compile.ts";
import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { unpackSources } from "../../../core/document/sources.ts";
import type { Source } from "../../../core/source-text.ts";
import type { DraftJson } from "../../../core/wire/authoring/document.ts";
import type { ReplayJson } from "../../../core/wire/authoring/replay.ts";
import type { ConnectOptions, Database } from "../../../postgres/database.ts";
import { isRefusal, type Refusal, refuse } from "../../refusal.ts";
import type { InForce } from "../in-force.ts";
import type { PlannedChange } from "../planned-change.ts";
import { MOST_SCANNED, type PlannedRecords, pageOfRecords, type RecordsAt } from "../planned-records.ts";
import { withReadableRecords } from "../readable-examples.ts";
import {
  compileInThread,
  type DraftAnswer,
  type DraftRequest,
  type ReplayRequest,
  type tryDraft,
} from "./check-draft.ts";

/** Checks drafts against the live document. Nothing is stored. */
export interface DraftTrials {
  /** Compiles a draft: its document, or the refusal of an invalid or outdated one. */
  compile(draft: DraftJson): Promise<Compiled | Refusal>;
  /** Compiles a stored text; undefined if it has errors. The draft that was compiled last is not compiled again. */
  compileStored(packed: Source): Promise<Compiled | undefined>;
  /**
   * Plans a draft on the tables. Records that do not fit are listed only if the author can read them. With `signal`, the
   * trial ends as soon as nobody waits for its result.
   */
  plan(draft: DraftJson, author: Principal, signal?: AbortSignal): Promise<PlannedChange | Refusal>;
  /** Plans a draft and lists the records at one point of the plan, from an id on. */
  planRecords(
    draft: DraftJson,
    at: RecordsAt,
    author: Principal,
    signal?: AbortSignal,
  ): Promise<PlannedRecords | Refusal>;
  /** Replays acts of the last days under the draft. */
  replay(draft: DraftJson, author: Principal, signal?: AbortSignal): Promise<ReplayJson | Refusal>;
}

/** `owner`: the connection that may read and change all tables. */
export const createDraftTrials = (
  owner: ConnectOptions["connection"],
  database: Database,
  current: () => InForce,
  attempt: typeof tryDraft,
): DraftTrials => {
  let lastCompiled: Compiled | undefined;

  /** Tries a draft that is based on the live document. */
  const tryCurrent = async (
    { base, files }: DraftJson,
    request: Omit<DraftRequest, "files">,
    signal?: AbortSignal,
  ): Promise<Exclude<DraftAnswer, { readonly kind: "invalid" }> | Refusal> => {
    if (base !== current().applied.hash) return refuse("DOCUMENT_CHANGED");
    const answer = await attempt({ files, ...request }, signal);
    return answer.kind === "invalid" ? { ...refuse("DOCUMENT_INVALID"), at: answer.at } : answer;
  };

  return {
    compile: async (draft) => {
      const tried = await tryCurrent(draft, { owner: null });
      if (isRefusal(tried)) return tried;
      if (tried.kind !== "runs") throw new Error("the thread did not compile the draft");
      lastCompiled = tried.compiled;
      return tried.compiled;
    },
    compileStored: async (packed) =>
      lastCompiled?.source.text === packed.text ? lastCompiled : compileInThread(unpackSources(packed), attempt),
    plan: async (draft, author, signal) => {
      const tried = await tryCurrent(draft, { owner }, signal);
      if (isRefusal(tried)) return tried;
      if (tried.kind !== "plan") throw new Error("the thread did not plan the draft");
      const { model } = current().compiled;
      return model === undefined
        ? tried.change
        : withReadableRecords(database, model, tried.change, author, new Date());
    },
    planRecords: async (draft, at, author, signal) => {
      const tried = await tryCurrent(draft, { owner, page: { ...at, limit: MOST_SCANNED } }, signal);
      if (isRefusal(tried)) return tried;
      if (tried.kind !== "plan") throw new Error("the thread did not plan the draft");
      const { model } = current().compiled;
      if (model === undefined) throw new Error("the live document has errors");
      return pageOfRecords(database, model, tried.change, at.point, author, new Date());
    },
    replay: async (draft, author, signal) => {
      const { id, granted } = author;
      const replay: ReplayRequest = { before: current().compiled.sources, author: { id, granted } };
      const tried = await tryCurrent(draft, { owner, replay }, signal);
      if (isRefusal(tried)) return tried;
      if (tried.kind !== "replay") throw new Error("the thread did not replay acts under the draft");
      return tried.replay;
    },
  };
};
