import { type ChangeRights, changeRights } from "../../core/derive/authorization/change-rights.ts";
import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { Model } from "../../core/model/model.ts";
import type { ProposalEventJson, ProposalTextJson } from "../../core/wire/authoring/proposals.ts";
import type { Database, Query, RunQuery } from "../../postgres/database.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { type Authoring, changesClause } from "../authoring/authoring.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { type CheckedProposal, findCheckedProposal, isOpenProposal } from "./proposal-state.ts";
import { type EventSubject, lockProposal, recordEvent } from "./proposal-store.ts";

/** The parts of the application that calls about proposals use. */
export interface ProposalContext {
  readonly database: Database;
  readonly authoring: Authoring;
  readonly model: Model;
  readonly now: () => Date;
  /** Loads the labels of records that a person can read. */
  readonly nameRecords: (
    by: SignedIn,
    named: readonly { readonly entity: string; readonly record: string }[],
  ) => Promise<ReadonlyMap<string, string>>;
}

export const rightsOn = ({ model }: ProposalContext, by: Principal): ChangeRights => changeRights(model, by);

export const refuseForbidden = ({ model }: ProposalContext): Refusal => refuse("FORBIDDEN", changesClause(model));

export const refuseUnknown = ({ model }: ProposalContext): Refusal => refuse("NOT_FOUND", changesClause(model));

/** Reads a proposal outside a transaction. */
export const findUnlocked = (
  { database, model }: ProposalContext,
  number: number,
): Promise<CheckedProposal | undefined> => findCheckedProposal((query: Query) => database.query(query), model, number);

/** The acts of a person that a proposal allows now. */
export const findPossibleActs = (
  context: ProposalContext,
  by: SignedIn,
  proposal: CheckedProposal,
): ProposalTextJson["may"] => {
  const { stored, approvers, json } = proposal;
  const { state } = json;
  const { propose, approve, read } = rightsOn(context, by);
  const isOpen = isOpenProposal(proposal);
  const isAuthor = stored.person === by.id;
  const hasApproved = approvers.some(({ id }) => id === by.id);
  return {
    approve:
      approve &&
      (state === "approved" || (state === "open" && !hasApproved)) &&
      !(context.model.approval.byAnother && stored.editors.includes(by.id)),
    reject: approve && isOpen,
    withdraw: isAuthor && isOpen,
    reopen: (state === "rejected" || state === "withdrawn") && (approve || (propose && isAuthor)),
    edit: propose && isOpen,
    comment: read && state !== "published",
  };
};

/** Changes a proposal in one transaction that locks its row. People who act on it concurrently take turns. */
export const changeLocked = async (
  context: ProposalContext,
  by: SignedIn,
  number: number,
  change: (query: RunQuery, proposal: CheckedProposal) => Promise<Refusal | undefined>,
): Promise<Refusal | CheckedProposal> => {
  if (!rightsOn(context, by).read) return refuseForbidden(context);
  return context.database.transaction(async (query) => {
    await lockProposal(query, number);
    const proposal = await findCheckedProposal(query, context.model, number);
    if (proposal === undefined) return refuseUnknown(context);
    return (await change(query, proposal)) ?? proposal;
  });
};

/** Adds an act of a person to the history of a proposal. */
export const recordAct = (
  { now }: ProposalContext,
  query: RunQuery,
  proposal: EventSubject,
  {
    kind,
    by,
    comment = "",
  }: { readonly kind: ProposalEventJson["kind"]; readonly by: SignedIn; readonly comment?: string },
): Promise<void> => recordEvent(query, proposal, { kind, person: by.id, comment, at: now() });
