import type { Compiled } from "../../../core/compile.ts";
import type { Principal } from "../../../core/derive/authorization/grants.ts";
import type { DraftJson, SourceJson } from "../../../core/wire/authoring/document.ts";
import type { ReplayJson } from "../../../core/wire/authoring/replay.ts";
import type { ConnectOptions } from "../../../postgres/database.ts";
import type { RecordsPage } from "../../../postgres/schema/step-messages.ts";
import type { RefusalAt } from "../../refusal.ts";
import type { PlannedChange } from "../planned-change.ts";
import { askThread } from "./ask-thread.ts";
import { type DraftRead, parseDraft } from "./parse-draft.ts";

/** A draft to check outside the event loop. */
export interface DraftRequest {
  readonly files: readonly SourceJson[];
  /** The owner of the tables; null to check only the text. */
  readonly owner: ConnectOptions["connection"] | null;
  /** Names a page of the records at one point of the plan. */
  readonly page?: RecordsPage;
  /** Replays past acts instead of trying the draft on the tables. */
  readonly replay?: ReplayRequest;
}

/** The live text, and the author, who sees examples only of records that they can read. */
export interface ReplayRequest {
  readonly before: readonly SourceJson[];
  readonly author: Principal;
}

export type DraftAnswer =
  | { readonly kind: "invalid"; readonly at: readonly RefusalAt[] }
  | { readonly kind: "runs"; readonly compiled: Compiled }
  | { readonly kind: "plan"; readonly change: PlannedChange }
  | { readonly kind: "replay"; readonly replay: ReplayJson };

/** Longer drafts are parsed in a separate thread. */
const MAX_INLINE_BYTES = 64 * 1024;

/** Compiles and tries a draft in a separate thread, since a document may be long. */
export const tryDraft = (request: DraftRequest, signal?: AbortSignal): Promise<DraftAnswer> =>
  askThread("check-draft-worker", request, signal);

/** Compiles the files of a document in a separate thread; undefined if it has errors. */
export const compileInThread = async (
  files: readonly SourceJson[],
  attempt = tryDraft,
): Promise<Compiled | undefined> => {
  const answer = await attempt({ files, owner: null });
  return answer.kind === "runs" ? answer.compiled : undefined;
};

/** Parses a draft; undefined if it is invalid. */
export const readDraft = async (body: Buffer): Promise<DraftJson | undefined> =>
  body.length <= MAX_INLINE_BYTES ? parseDraft(body) : (await askThread<DraftRead>("parse-draft-worker", body)).draft;
