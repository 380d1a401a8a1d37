import { needsOthers } from "../../core/derive/authorization/change-rights.ts";
import { unpackSources } from "../../core/document/sources.ts";
import type { Model } from "../../core/model/model.ts";
import type { Source } from "../../core/source-text.ts";
import type { ProposalEventJson, ProposalJson } from "../../core/wire/authoring/proposals.ts";
import type { Database, Query, Row } from "../../postgres/database.ts";
import { hashDocument } from "../../postgres/schema/document-hash.ts";
import { notifyApprovers, notifyAuthor } from "./proposal-notices.ts";
import { type CheckedProposal, checkProposal, isOpenProposal } from "./proposal-state.ts";
import { decodeProposal, MAX_PROPOSAL_LENGTH, PROPOSALS, readHistory, recordEvent } from "./proposal-store.ts";

type Ask = (query: Query) => Promise<readonly Row[]>;

/**
 * The reason why an operator cannot do something with a proposal. `decided`: it was published, rejected or withdrawn.
 * `theirs`: its author is a person. `approval`: the version in force requires approval by people with a role. `too
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
  /** `isAlone`: without the approvals that the version in force requires. */
  reject(number: number, comment: string, isAlone: boolean): Promise<OperatorRefusal | null>;
  /** Withdraws a proposal from the command line or from a file. */
  withdraw(number: number, comment: string): Promise<OperatorRefusal | null>;
  /** Records that an operator published a proposal. */
  published(number: number, comment: string): Promise<void>;
  find(number: number): Promise<CheckedProposal | undefined>;
}

export const operatorProposals = (owner: Database, model: Model, now: () => Date): OperatorProposals => {
  const find = async (ask: Ask, number: number): Promise<CheckedProposal | undefined> => {
    const [row] = await ask({ text: `${PROPOSALS} where p.number = $1`, values: [number] });
    return row === undefined ? undefined : checkProposal(model, decodeProposal(row));
  };

  /** Decides an open proposal in one transaction that locks its row. */
  const decide = (
    number: number,
    kind: "rejected" | "withdrawn",
    comment: string,
    refuse: (one: CheckedProposal) => OperatorRefusal | null,
  ): Promise<OperatorRefusal | null> =>
    owner.transaction(async (ask) => {
      await ask({ text: "select from ninefold.proposal where number = $1 for update", values: [number] });
      const one = await find(ask, number);
      if (one === undefined) return "unknown";
      if (!isOpenProposal(one)) return "decided";
      const refused = refuse(one);
      if (refused !== null) return refused;
      await ask({
        text: "update ninefold.proposal set state = $2, changed_at = $3 where number = $1",
        values: [number, kind, now().toISOString()],
      });
      await recordEvent(ask, one.stored, { kind, person: null, comment, at: now() });
      await notifyAuthor(ask, one.stored, kind, null, now());
      return null;
    });

  return {
    find: (number) => find(owner.query, number),
    list: async (before) => {
      const rows = await owner.query({
        text: `${PROPOSALS} where $1::integer is null or p.number < $1 order by p.number desc limit 50`,
        values: [before],
      });
      return rows.map((row) => checkProposal(model, decodeProposal(row)).json);
    },
    read: async (number) => {
      const one = await find(owner.query, number);
      return one === undefined ? undefined : { ...one.json, history: await readHistory(owner.query, number) };
    },
    files: async (number) => {
      const one = await find(owner.query, number);
      return one === undefined ? undefined : unpackSources({ file: one.stored.file, text: one.stored.text });
    },
    propose: async ({ source, base, note }, replaces) => {
      if (source.text.length > MAX_PROPOSAL_LENGTH) return "too long";
      const [hash, at] = [hashDocument(source.text), now()];
      return owner.transaction(async (ask) => {
        // Commands that run concurrently must store a text only once.
        await ask({ text: "lock table ninefold.proposal in share row exclusive mode", values: [] });
        const [known] = await ask({
          text: "select number from ninefold.proposal where hash = $1 and base = $2 and state = 'open' and number = coalesce($3, number) order by number desc limit 1",
          values: [hash, base, replaces],
        });
        if (known !== undefined) return Number(known.number);
        const text = { hash, base, file: source.file, text: source.text };
        if (replaces === null) {
          const [row] = await ask({
            text: "insert into ninefold.proposal (source, base, note, file, hash, text, made_at, changed_at) values ('command', $1, $2, $3, $4, $5, $6, $6) returning number",
            values: [base, note, source.file, hash, source.text, at.toISOString()],
          });
          const created = { ...text, number: Number(row?.number), revision: 1 };
          await recordEvent(ask, created, { kind: "proposed", person: null, comment: "", at });
          await notifyApprovers(ask, model, created.number, [], null, at);
          return created.number;
        }
        const one = await find(ask, replaces);
        if (one === undefined) return "unknown";
        if (!isOpenProposal(one)) return "decided";
        if (one.stored.source === "workbench") return "theirs";
        const next = { ...text, number: replaces, revision: one.stored.revision + 1 };
        await ask({
          text: "update ninefold.proposal set base = $2, file = $3, hash = $4, text = $5, revision = $6, changed_at = $7, note = $8 where number = $1",
          values: [
            replaces,
            base,
            source.file,
            hash,
            source.text,
            next.revision,
            at.toISOString(),
            note === "" ? one.stored.note : note,
          ],
        });
        await recordEvent(ask, next, { kind: "changed", person: null, comment: "", at });
        await notifyApprovers(ask, model, replaces, one.stored.editors, null, at);
        return replaces;
      });
    },
    reject: (number, comment, isAlone) =>
      decide(number, "rejected", comment, () => (needsOthers(model.approval) && !isAlone ? "approval" : null)),
    withdraw: (number, comment) =>
      decide(number, "withdrawn", comment, ({ stored }) => (stored.source === "workbench" ? "theirs" : null)),
    published: async (number, comment) => {
      const one = await find(owner.query, number);
      if (one === undefined) return;
      await owner.transaction(async (ask) => {
        await recordEvent(ask, one.stored, { kind: "approved", person: null, comment, at: now() });
        await notifyAuthor(ask, one.stored, "published", null, now());
      });
    },
  };
};
