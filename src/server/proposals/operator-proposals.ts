import { needsOthers } from "../../core/derive/authorization/change-rights.ts";
import { unpackSources } from "../../core/document/sources.ts";
import type { Model } from "../../core/model/model.ts";
import type { Source } from "../../core/source-text.ts";
import type { ProposalEventJson, ProposalJson } from "../../core/wire/authoring/proposals.ts";
import type { Database, RunQuery } from "../../postgres/database.ts";
import { hashDocument } from "../../postgres/schema/document-hash.ts";
import { notifyApprovers, notifyAuthor } from "./proposal-notices.ts";
import { type CheckedProposal, checkProposal, findCheckedProposal, isOpenProposal } from "./proposal-state.ts";
import {
  insertProposal,
  listProposals,
  lockProposal,
  MAX_PROPOSAL_LENGTH,
  type ProposalContent,
  readHistory,
  recordEvent,
  replaceProposalText,
  setProposalState,
} from "./proposal-store.ts";

/**
 * The reason why an operator cannot do something with a proposal. `decided`: it was published, rejected or withdrawn.
 * `theirs`: its author is a person. `approval`: the live version requires approval by people with a role. `too
 * long`: it has more than `MAX_PROPOSAL_LENGTH` characters.
 */
export type OperatorRefusal = "unknown" | "decided" | "theirs" | "approval" | "too long";

/** A proposal as an operator reads it. */
export interface OperatorProposal extends ProposalJson {
  readonly history: readonly ProposalEventJson[];
}

/** Proposals on the command line. The operator has no role, so their approval does not count if the document requires one. */
export interface OperatorProposals {
  /** Newest first, at most 50. `before`: the last number of the previous page. */
  list(before: number | null): Promise<readonly ProposalJson[]>;
  read(number: number): Promise<OperatorProposal | undefined>;
  /** The text of a proposal. */
  files(number: number): Promise<readonly Source[] | undefined>;
  /**
   * Proposes a text. A text that is already open keeps its number. `replaces`: an open proposal without an author that
   * gets the text.
   */
  propose(
    proposed: { readonly source: Source; readonly base: number; readonly note: string },
    replaces: number | null,
  ): Promise<number | OperatorRefusal>;
  /** `isAlone`: without the approvals that the live version requires. */
  reject(number: number, comment: string, isAlone: boolean): Promise<OperatorRefusal | null>;
  /** Withdraws a proposal from the command line or from a file. */
  withdraw(number: number, comment: string): Promise<OperatorRefusal | null>;
  /** Records that an operator published a proposal. */
  published(number: number, comment: string): Promise<void>;
  find(number: number): Promise<CheckedProposal | undefined>;
}

const PAGE_SIZE = 50;

export const operatorProposals = (owner: Database, model: Model, now: () => Date): OperatorProposals => {
  const find = (number: number) => findCheckedProposal(owner.query, model, number);

  /** Decides an open proposal in one transaction that locks its row. */
  const decide = (
    number: number,
    kind: "rejected" | "withdrawn",
    comment: string,
    refuse: (proposal: CheckedProposal) => OperatorRefusal | null,
  ): Promise<OperatorRefusal | null> =>
    owner.transaction(async (query) => {
      await lockProposal(query, number);
      const proposal = await findCheckedProposal(query, model, number);
      if (proposal === undefined) return "unknown";
      if (!isOpenProposal(proposal)) return "decided";
      const refused = refuse(proposal);
      if (refused !== null) return refused;
      const { stored } = proposal;
      await setProposalState(query, { number, state: kind, revision: stored.revision }, now());
      await recordEvent(query, stored, { kind, person: null, comment, at: now() });
      await notifyAuthor(query, stored, kind, null, now());
      return null;
    });

  return {
    find,
    list: async (before) =>
      (await listProposals(owner.query, before, PAGE_SIZE)).map((stored) => checkProposal(model, stored).json),
    read: async (number) => {
      const proposal = await find(number);
      return proposal === undefined ? undefined : { ...proposal.json, history: await readHistory(owner.query, number) };
    },
    files: async (number) => {
      const proposal = await find(number);
      return proposal === undefined
        ? undefined
        : unpackSources({ file: proposal.stored.file, text: proposal.stored.text });
    },
    propose: async ({ source, base, note }, replaces) => {
      if (source.text.length > MAX_PROPOSAL_LENGTH) return "too long";
      const content = { base, file: source.file, hash: hashDocument(source.text), text: source.text };
      return owner.transaction(async (query) => {
        // Commands that run concurrently must store a text only once.
        await query({ text: "lock table ninefold.proposal in share row exclusive mode", values: [] });
        const known = await findOpenNumber(query, content, replaces);
        if (known !== undefined) return known;
        return replaces === null
          ? create(query, model, content, note, now())
          : replace(query, model, replaces, content, note, now());
      });
    },
    reject: (number, comment, isAlone) =>
      decide(number, "rejected", comment, () => (needsOthers(model.approval) && !isAlone ? "approval" : null)),
    withdraw: (number, comment) =>
      decide(number, "withdrawn", comment, ({ stored }) => (stored.source === "workbench" ? "theirs" : null)),
    published: async (number, comment) => {
      const proposal = await find(number);
      if (proposal === undefined) return;
      await owner.transaction(async (query) => {
        await recordEvent(query, proposal.stored, { kind: "approved", person: null, comment, at: now() });
        await notifyAuthor(query, proposal.stored, "published", null, now());
      });
    },
  };
};

/** The number of the open proposal that has this text already. `replaces`: the only proposal that counts, if not null. */
const findOpenNumber = async (
  query: RunQuery,
  { hash, base }: ProposalContent,
  replaces: number | null,
): Promise<number | undefined> => {
  const [row] = await query({
    text: "select number from ninefold.proposal where hash = $1 and base = $2 and state = 'open' and number = coalesce($3, number) order by number desc limit 1",
    values: [hash, base, replaces],
  });
  return row === undefined ? undefined : Number(row.number);
};

const create = async (
  query: RunQuery,
  model: Model,
  content: ProposalContent,
  note: string,
  at: Date,
): Promise<number> => {
  const number = await insertProposal(query, { ...content, source: "command", person: null, note }, at);
  await recordEvent(query, { ...content, number, revision: 1 }, { kind: "proposed", person: null, comment: "", at });
  await notifyApprovers(query, model, { number, authors: [], by: null, at });
  return number;
};

const replace = async (
  query: RunQuery,
  model: Model,
  number: number,
  content: ProposalContent,
  note: string,
  at: Date,
): Promise<number | OperatorRefusal> => {
  const proposal = await findCheckedProposal(query, model, number);
  if (proposal === undefined) return "unknown";
  if (!isOpenProposal(proposal)) return "decided";
  const { stored } = proposal;
  if (stored.source === "workbench") return "theirs";
  const next = { ...content, number, revision: stored.revision + 1 };
  await replaceProposalText(query, { ...next, note: note === "" ? stored.note : note }, at);
  await recordEvent(query, next, { kind: "changed", person: null, comment: "", at });
  await notifyApprovers(query, model, { number, authors: stored.editors, by: null, at });
  return number;
};
