import { changeRights } from "../../core/derive/authorization/change-rights.ts";
import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { Model } from "../../core/model/model.ts";
import type { ProposalJson } from "../../core/wire/authoring/proposals.ts";
import type { ReferenceJson } from "../../core/wire/records.ts";
import type { RunQuery } from "../../postgres/database.ts";
import { findProposal, type StoredProposal } from "./proposal-store.ts";

/** A proposal with its state under the live version. */
export interface CheckedProposal {
  readonly stored: StoredProposal;
  /** The people whose approvals count now. */
  readonly approvers: readonly (ReferenceJson & Principal)[];
  readonly json: ProposalJson;
}

/**
 * Counts the approvals that a proposal needs. A proposal without an author could be from anybody, so it needs one more
 * where people cannot approve their own.
 */
const countNeeded = ({ approval }: Model, { person }: StoredProposal): number =>
  approval.approvals + (approval.byAnother && person === null ? 1 : 0);

/** Decides the state of a proposal under the live version. */
export const checkProposal = (model: Model, stored: StoredProposal): CheckedProposal => {
  // An approval counts only while its person can approve.
  const approvers = stored.approvers.filter((person) => changeRights(model, person).approve);
  const needs = countNeeded(model, stored);
  const { version, state } = stored;
  const waiting = stored.isCurrent ? (approvers.length >= needs ? "approved" : "open") : "outdated";
  return {
    stored,
    approvers,
    json: {
      number: stored.number,
      state: version !== null ? "published" : state === "open" ? waiting : state,
      source: stored.source,
      base: stored.base,
      author: stored.author,
      note: stored.note,
      at: stored.at,
      changed: stored.changed,
      hash: stored.hash,
      revision: stored.revision,
      approvers: approvers.map(({ id, label }) => ({ id, label })),
      needs,
      version,
    },
  };
};

/** True if a proposal can still be approved, rejected or withdrawn. */
export const isOpenProposal = ({ json: { state } }: CheckedProposal): boolean =>
  state === "open" || state === "approved" || state === "outdated";

export const findCheckedProposal = async (
  query: RunQuery,
  model: Model,
  number: number,
): Promise<CheckedProposal | undefined> => {
  const stored = await findProposal(query, number);
  return stored === undefined ? undefined : checkProposal(model, stored);
};
