import type { DraftJson } from "../../core/wire/authoring/document.ts";
import type { ProposalsJson, ProposalTextJson } from "../../core/wire/authoring/proposals.ts";
import type { SignedIn } from "../auth/sessions.ts";
import type { PlannedChange } from "../authoring/planned-change.ts";
import type { Refusal } from "../refusal.ts";
import { approveProposal, decideProposal } from "./decide-proposals.ts";
import { commentOnProposal, editProposal, proposeText } from "./edit-proposals.ts";
import type { ProposalContext } from "./proposal-access.ts";
import { planProposal, readProposal, readProposalPage } from "./read-proposals.ts";

/** A person's action on a proposal: the hash of the text that they read, and their comment. */
export interface ProposalAct {
  readonly hash?: string;
  readonly comment: string;
}

/** Proposed versions. The live version decides each call, and refuses people without the right. */
export interface Proposals {
  list(by: SignedIn, before: number | null): Promise<ProposalsJson | Refusal>;
  read(by: SignedIn, number: number): Promise<ProposalTextJson | Refusal>;
  propose(by: SignedIn, draft: DraftJson): Promise<ProposalTextJson | Refusal>;
  /** Replaces the text. Earlier approvals no longer count. `revision`: the text that was edited. */
  edit(by: SignedIn, number: number, revision: number, draft: DraftJson): Promise<ProposalTextJson | Refusal>;
  comment(by: SignedIn, number: number, act: ProposalAct): Promise<ProposalTextJson | Refusal>;
  /** Approves a text, and publishes it if no approval is missing. */
  approve(by: SignedIn, number: number, act: ProposalAct): Promise<ProposalTextJson | Refusal>;
  reject(by: SignedIn, number: number, act: ProposalAct): Promise<ProposalTextJson | Refusal>;
  withdraw(by: SignedIn, number: number, act: ProposalAct): Promise<ProposalTextJson | Refusal>;
  reopen(by: SignedIn, number: number, act: ProposalAct): Promise<ProposalTextJson | Refusal>;
  /** The effect of the text on stored data, as counts. */
  plan(by: SignedIn, number: number): Promise<PlannedChange | Refusal>;
}

export const createProposals = (context: ProposalContext): Proposals => {
  return {
    list: (by, before) => readProposalPage(context, by, before),
    read: (by, number) => readProposal(context, by, number),
    plan: (by, number) => planProposal(context, by, number),
    propose: (by, draft) => proposeText(context, by, draft),
    edit: (by, number, revision, draft) => editProposal(context, by, number, revision, draft),
    comment: (by, number, act) => commentOnProposal(context, by, number, act.comment),
    approve: (by, number, act) => approveProposal(context, by, number, act.hash, act.comment),
    reject: (by, number, act) => decideProposal(context, "reject", by, number, act.comment),
    withdraw: (by, number, act) => decideProposal(context, "withdraw", by, number, act.comment),
    reopen: (by, number, act) => decideProposal(context, "reopen", by, number, act.comment),
  };
};
