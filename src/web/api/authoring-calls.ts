import type {
  AppliedJson,
  ChangeJson,
  DocumentJson,
  DraftJson,
  PlannedRecordsJson,
  StateCountsJson,
} from "../../core/wire/authoring/document.ts";
import type { JobJson, NewestJobJson } from "../../core/wire/authoring/job.ts";
import type { OpenPointsJson } from "../../core/wire/authoring/open-points.ts";
import type { PreviewJson, PreviewsJson, PreviewUseJson } from "../../core/wire/authoring/previews.ts";
import type { ProposalsJson, ProposalTextJson } from "../../core/wire/authoring/proposals.ts";
import type { DecisionRequest, QuestionsJson, UndecidedJson } from "../../core/wire/authoring/questions.ts";
import type { ReplayJson } from "../../core/wire/authoring/replay.ts";
import type {
  DeletedRetiredJson,
  RetiredKey,
  RetiredListJson,
  RetiredSampleJson,
} from "../../core/wire/authoring/retired.ts";
import type { RestoreJson, VersionsJson, VersionTextJson } from "../../core/wire/authoring/versions.ts";
import { pathTo, type RequestOptions, type Requests } from "./requests.ts";

/** An act on a proposal. */
export type ProposalActName = "approve" | "reject" | "withdraw" | "reopen" | "comment";

/** Applying a document may take long; the server cancels a statement after ten minutes. */
const APPLY_TIMEOUT = 30 * 60_000;

/** A question about a draft. One that can be cancelled is asked again as often as the draft changes. */
const draftRequest = (body: DraftJson, signal: AbortSignal | undefined): RequestOptions => ({
  method: "POST",
  body,
  timeout: APPLY_TIMEOUT,
  signal,
  isReading: signal !== undefined,
});

/** The document: open points, drafts, proposals, versions and previews. */
export const createAuthoringCalls = ({ act, read }: Requests) => ({
  openPoints: (signal?: AbortSignal): Promise<OpenPointsJson> => read("/_/open-points", { signal }),
  document: (signal?: AbortSignal): Promise<DocumentJson> => read("/_/document", { signal }),
  stateCounts: (signal?: AbortSignal): Promise<StateCountsJson> => read("/_/document/states", { signal }),
  /** Asks for an undecided permission: `do` is `Request.grant`. */
  askForDecision: (question: DecisionRequest): Promise<void> =>
    act("/_/questions", { method: "POST", body: { ...question } }),
  /** The undecided permissions of a screen; null if there are none. */
  undecidedAt: (where: string, signal?: AbortSignal): Promise<UndecidedJson> =>
    read(`/_/questions?${new URLSearchParams({ where })}`, { signal }),
  questions: (signal?: AbortSignal): Promise<QuestionsJson> => read("/_/questions", { signal }),
  /** The effect of a draft on stored data. */
  planDocument: (draft: DraftJson, signal?: AbortSignal): Promise<ChangeJson> =>
    read("/_/document/plan", draftRequest(draft, signal)),
  /** The records that the plan of a draft counts at a point, after one of them; `null` for the first. */
  plannedRecords: (
    draft: DraftJson,
    at: string,
    after: string | null,
    signal?: AbortSignal,
  ): Promise<PlannedRecordsJson> =>
    read(
      `/_/document/plan/records?${new URLSearchParams(after === null ? { at } : { at, after })}`,
      draftRequest(draft, signal),
    ),
  /** Checks the changes that people made in the last days against a draft. */
  replayDocument: (draft: DraftJson, signal?: AbortSignal): Promise<ReplayJson> =>
    read("/_/document/replay", draftRequest(draft, signal)),
  /** The job that publishes the version, if it takes long. */
  applyDocument: (draft: DraftJson): Promise<AppliedJson | JobJson> =>
    read("/_/document", { method: "POST", body: draft, timeout: APPLY_TIMEOUT }),
  /** The version that is being published, or was published last. */
  job: (signal?: AbortSignal): Promise<NewestJobJson> => read("/_/job", { signal }),
  changeJob: (to: "pause" | "resume" | "abandon"): Promise<JobJson> =>
    read(`/_/job/${to}`, { method: "POST", body: {} }),
  /** The proposals before one; `null` for the newest. */
  proposals: (before: string | null, signal?: AbortSignal): Promise<ProposalsJson> =>
    read(before === null ? "/_/proposals" : `/_/proposals?${new URLSearchParams({ before })}`, { signal }),
  proposal: (number: number, signal?: AbortSignal): Promise<ProposalTextJson> =>
    read(`/_/proposals/${number}`, { signal }),
  planProposal: (number: number): Promise<ChangeJson> =>
    read(`/_/proposals/${number}/plan`, { method: "POST", body: {}, timeout: APPLY_TIMEOUT }),
  propose: (draft: DraftJson): Promise<ProposalTextJson> =>
    read("/_/proposals", { method: "POST", body: draft, timeout: APPLY_TIMEOUT }),
  editProposal: (number: number, revision: number, draft: DraftJson): Promise<ProposalTextJson> =>
    read(`/_/proposals/${number}?revision=${revision}`, {
      method: "POST",
      body: draft,
      timeout: APPLY_TIMEOUT,
    }),
  actOnProposal: (
    number: number,
    act: ProposalActName,
    review: { readonly hash: string; readonly comment: string },
  ): Promise<ProposalTextJson> =>
    read(`/_/proposals/${number}/${act}`, { method: "POST", body: { ...review }, timeout: APPLY_TIMEOUT }),
  retired: (signal?: AbortSignal): Promise<RetiredListJson> => read("/_/retired", { signal }),
  sampleRetired: ({ name, version }: RetiredKey, signal?: AbortSignal): Promise<RetiredSampleJson> =>
    read(`/_/retired/sample?${new URLSearchParams({ name, version: String(version) })}`, { signal }),
  deleteRetired: ({ name, version }: RetiredKey): Promise<DeletedRetiredJson> =>
    read("/_/retired/delete", { method: "POST", body: { name, version } }),
  /** The versions before one; `null` for the newest. */
  versions: (before: string | null, signal?: AbortSignal): Promise<VersionsJson> =>
    read(before === null ? "/_/versions" : `/_/versions?${new URLSearchParams({ before })}`, { signal }),
  version: (number: number, signal?: AbortSignal): Promise<VersionTextJson> =>
    read(`/_/versions/${number}`, { signal }),
  planRestore: (number: number, request: RestoreJson): Promise<ChangeJson> =>
    read(`/_/versions/${number}/plan`, { method: "POST", body: { ...request }, timeout: APPLY_TIMEOUT }),
  restoreVersion: (number: number, request: RestoreJson): Promise<AppliedJson | JobJson> =>
    read(`/_/versions/${number}/restore`, { method: "POST", body: { ...request }, timeout: APPLY_TIMEOUT }),
  previews: (signal?: AbortSignal): Promise<PreviewsJson> => read("/_/previews", { signal }),
  /** Copies the data and applies a draft to the copy; with `mask`, personal values are replaced. */
  startPreview: (draft: DraftJson, mask: boolean): Promise<PreviewJson> =>
    read(`/_/previews?mask=${mask}`, { method: "POST", body: draft }),
  /** An address that signs in to a preview, once. */
  previewLink: (id: string): Promise<{ readonly link: string }> =>
    read(pathTo("/_/previews", id, "link"), { method: "POST", body: {} }),
  /** The work that is lost when a preview ends; without an id, the preview that the page belongs to. */
  previewUse: (id: string | null, signal?: AbortSignal): Promise<PreviewUseJson> =>
    read(id === null ? "/_/preview" : pathTo("/_/previews", id, "use"), { signal }),
  removePreview: (id: string): Promise<void> => act(pathTo("/_/previews", id), { method: "DELETE" }),
  /** Ends the preview that the page belongs to. */
  endPreview: (): Promise<void> => act("/_/preview", { method: "DELETE" }),
});
