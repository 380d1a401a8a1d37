import { unpackSources } from "../../core/document/sources.ts";
import type { ProposalsJson, ProposalTextJson } from "../../core/wire/authoring/proposals.ts";
import type { SignedIn } from "../auth/sessions.ts";
import type { PlannedChange } from "../authoring/planned-change.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { findApprovers } from "./find-approvers.ts";
import {
  findPossibleActs,
  findUnlocked,
  type ProposalContext,
  refuseForbidden,
  refuseUnknown,
  rightsOn,
} from "./proposal-access.ts";
import { type CheckedProposal, checkProposal } from "./proposal-state.ts";
import { listProposals, readHistory } from "./proposal-store.ts";

const PAGE_SIZE = 50;

export const readProposalPage = async (
  context: ProposalContext,
  by: SignedIn,
  before: number | null,
): Promise<ProposalsJson | Refusal> => {
  const { read, ...may } = rightsOn(context, by);
  if (!read) return refuseForbidden(context);
  const stored = await listProposals(context.database.query, before, PAGE_SIZE + 1);
  const items = stored.slice(0, PAGE_SIZE).map((proposal) => checkProposal(context.model, proposal).json);
  const { byAnother, approvals } = context.model.approval;
  const approvers = await findApprovers(context, by, approvals, byAnother ? [by.id] : []);
  return { items, next: stored.length > PAGE_SIZE ? (items.at(-1)?.number ?? null) : null, may, approvers };
};

export const readProposal = async (
  context: ProposalContext,
  by: SignedIn,
  number: number,
): Promise<ProposalTextJson | Refusal> => {
  if (!rightsOn(context, by).read) return refuseForbidden(context);
  const proposal = await findUnlocked(context, number);
  return proposal === undefined ? refuseUnknown(context) : toProposalText(context, by, proposal);
};

/** The proposal after a change, or the refusal of the change. */
export const readChangedProposal = async (
  context: ProposalContext,
  by: SignedIn,
  outcome: Refusal | CheckedProposal,
): Promise<ProposalTextJson | Refusal> =>
  isRefusal(outcome) ? outcome : readProposal(context, by, outcome.stored.number);

/** The effect of the text on stored data, as counts. */
export const planProposal = async (
  context: ProposalContext,
  by: SignedIn,
  number: number,
): Promise<PlannedChange | Refusal> => {
  if (!rightsOn(context, by).read) return refuseForbidden(context);
  const proposal = await findUnlocked(context, number);
  if (proposal === undefined) return refuseUnknown(context);
  const { authoring } = context;
  return authoring.plan({ base: authoring.document().hash, files: unpackSources(proposal.stored) }, by);
};

const toProposalText = async (
  context: ProposalContext,
  by: SignedIn,
  proposal: CheckedProposal,
): Promise<ProposalTextJson> => {
  const { database, model } = context;
  const { stored } = proposal;
  const { byAnother } = model.approval;
  const excluded = [...(byAnother ? stored.editors : []), ...proposal.approvers.map(({ id }) => id)];
  const [history, waitsFor, [before]] = await Promise.all([
    readHistory(database.query, stored.number),
    proposal.json.state === "open"
      ? findApprovers(context, by, proposal.json.needs - proposal.approvers.length, excluded)
      : null,
    database.query({ text: "select file, source from ninefold.version where number = $1", values: [stored.base] }),
  ]);
  return {
    ...proposal.json,
    files: unpackSources({ file: stored.file, text: stored.text }),
    before: before === undefined ? [] : unpackSources({ file: String(before.file), text: String(before.source) }),
    history,
    may: findPossibleActs(context, by, proposal),
    waitsFor,
    isOwn: rightsOn(context, by).approve && byAnother && stored.editors.includes(by.id),
  };
};
