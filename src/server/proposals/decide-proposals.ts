import { unpackSources } from "../../core/document/sources.ts";
import type { ProposalTextJson } from "../../core/wire/authoring/proposals.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { changesClause } from "../authoring/authoring.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import {
  changeLocked,
  findPossibleActs,
  findUnlocked,
  type ProposalContext,
  recordAct,
  refuseForbidden,
  refuseUnknown,
  rightsOn,
} from "./proposal-access.ts";
import { notifyAuthor } from "./proposal-notices.ts";
import type { CheckedProposal } from "./proposal-state.ts";
import { setProposalState } from "./proposal-store.ts";
import { readChangedProposal, readProposal } from "./read-proposals.ts";

/** Approves a text, and publishes it if no approval is missing. `hash`: that of the text that the person read. */
export const approveProposal = async (
  context: ProposalContext,
  by: SignedIn,
  number: number,
  hash: string | undefined,
  comment: string,
): Promise<ProposalTextJson | Refusal> => {
  const { authoring, now } = context;
  if (!rightsOn(context, by).approve) return refuseForbidden(context);
  const unlocked = await findUnlocked(context, number);
  if (unlocked === undefined) return refuseUnknown(context);
  // The text is compiled before the row is locked.
  const invalid = await authoring.check({ base: authoring.document().hash, files: filesOf(unlocked) });
  if (invalid !== null) return invalid;
  const outcome = await changeLocked(context, by, number, async (ask, proposal) => {
    const { stored, json, approvers } = proposal;
    if (hash !== stored.hash || json.state === "rejected" || json.state === "withdrawn")
      return refuse("PROPOSAL_CHANGED");
    if (json.state === "published") return undefined;
    if (json.state === "outdated") return refuse("DOCUMENT_CHANGED");
    if (context.model.approval.byAnother && stored.editors.includes(by.id))
      return refuse("OWN_PROPOSAL", changesClause(context.model));
    if (approvers.some(({ id }) => id === by.id)) return undefined;
    await recordAct(
      context,
      ask,
      { number, revision: stored.revision, hash: stored.hash },
      { kind: "approved", by, comment },
    );
    await notifyAuthor(ask, stored, "approved", by.id, now());
    return undefined;
  });
  return isRefusal(outcome) ? outcome : publishApproved(context, by, number);
};

/** The acts that end or reopen a proposal, with the events that they record. */
const events = { reject: "rejected", withdraw: "withdrawn", reopen: "reopened" } as const;

/** Rejects, withdraws or reopens a proposal. */
export const decideProposal = async (
  context: ProposalContext,
  act: keyof typeof events,
  by: SignedIn,
  number: number,
  comment: string,
): Promise<ProposalTextJson | Refusal> => {
  const event = events[act];
  const outcome = await changeLocked(context, by, number, async (ask, proposal) => {
    const { stored } = proposal;
    if (!findPossibleActs(context, by, proposal)[act])
      return rightsOn(context, by).approve || stored.person === by.id
        ? refuse("PROPOSAL_CHANGED")
        : refuseForbidden(context);
    const isReopened = event === "reopened";
    // A reopened proposal needs new approvals.
    const revision = stored.revision + (isReopened ? 1 : 0);
    await setProposalState(ask, { number, state: isReopened ? "open" : event, revision }, context.now());
    await recordAct(context, ask, { number, revision, hash: stored.hash }, { kind: event, by, comment });
    await notifyAuthor(ask, stored, event, by.id, context.now());
    return undefined;
  });
  return readChangedProposal(context, by, outcome);
};

/**
 * Publishes a proposal that has all its approvals. If several people do so concurrently, one publishes and all see
 * the result.
 */
const publishApproved = async (
  context: ProposalContext,
  by: SignedIn,
  number: number,
): Promise<ProposalTextJson | Refusal> => {
  const { authoring, database, now } = context;
  const proposal = await findUnlocked(context, number);
  if (proposal === undefined || proposal.json.state !== "approved") return readProposal(context, by, number);
  const { stored, approvers } = proposal;
  const applied = await authoring.publish(
    { base: authoring.document().hash, files: filesOf(proposal), note: stored.note },
    { person: stored.writer, proposal: number, approvers: approvers.map(({ id }) => id) },
  );
  const after = await readProposal(context, by, number);
  if (isRefusal(applied)) return !isRefusal(after) && after.state === "published" ? after : applied;
  await notifyAuthor(database.query, stored, "published", by.id, now());
  return after;
};

const filesOf = ({ stored: { file, text } }: CheckedProposal) => unpackSources({ file, text });
