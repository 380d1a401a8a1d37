import { type ChangeRights, changeRights } from "../../core/derive/authorization/change-rights.ts";
import type { Principal } from "../../core/derive/authorization/grants.ts";
import { packSources, unpackSources } from "../../core/document/sources.ts";
import type { Model } from "../../core/model/model.ts";
import type { DraftJson } from "../../core/wire/authoring/document.ts";
import type { ProposalEventJson, ProposalsJson, ProposalTextJson } from "../../core/wire/authoring/proposals.ts";
import type { Database, Query, Row } from "../../postgres/database.ts";
import { hashDocument } from "../../postgres/schema/document-hash.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { type Authoring, changesClause } from "../authoring/authoring.ts";
import type { PlannedChange } from "../authoring/planned-change.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import { notifyApprovers, notifyAuthor } from "./proposal-notices.ts";
import { type CheckedProposal, checkProposal, isOpenProposal } from "./proposal-state.ts";
import {
  decodeProposal,
  type EventSubject,
  MAX_PROPOSAL_LENGTH,
  PROPOSALS,
  readHistory,
  recordEvent,
} from "./proposal-store.ts";

type Ask = (query: Query) => Promise<readonly Row[]>;

/** A person's action on a proposal: the hash of the text that they read, and their comment. */
export interface ProposalAct {
  readonly hash?: string;
  readonly comment: string;
}

/** Proposed versions. The version in force decides each call, and refuses people without the right. */
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

const PAGE_SIZE = 50;

/** Maximum number of texts and comments of a person within 24 hours, because each is stored for years. */
const MAX_PER_DAY = 100;

export const createProposals = (database: Database, authoring: Authoring, model: Model, now: () => Date): Proposals => {
  const getRights = (by: Principal): ChangeRights => changeRights(model, by);
  const forbidden = (): Refusal => refuse("FORBIDDEN", changesClause(model));
  const hidden = (): Refusal => refuse("NOT_FOUND", changesClause(model));

  const find = async (ask: Ask, number: number): Promise<CheckedProposal | undefined> => {
    const [row] = await ask({ text: `${PROPOSALS} where p.number = $1`, values: [number] });
    return row === undefined ? undefined : checkProposal(model, decodeProposal(row));
  };

  const query: Ask = (one) => database.query(one);

  const listPossibleActs = (by: SignedIn, one: CheckedProposal): ProposalTextJson["may"] => {
    const { stored, approvers, json } = one;
    const { state } = json;
    const { propose, approve, read } = getRights(by);
    const isOpen = isOpenProposal(one);
    const isAuthor = stored.person === by.id;
    const hasApproved = approvers.some(({ id }) => id === by.id);
    return {
      approve:
        approve &&
        (state === "approved" || (state === "open" && !hasApproved)) &&
        !(model.approval.byAnother && stored.editors.includes(by.id)),
      reject: approve && isOpen,
      withdraw: isAuthor && isOpen,
      reopen: (state === "rejected" || state === "withdrawn") && (approve || (propose && isAuthor)),
      edit: propose && isOpen,
      comment: read && state !== "published",
    };
  };

  const toProposalJson = async (by: SignedIn, one: CheckedProposal): Promise<ProposalTextJson> => {
    const [history, [before]] = await Promise.all([
      readHistory(query, one.stored.number),
      query({ text: "select file, source from ninefold.version where number = $1", values: [one.stored.base] }),
    ]);
    const may = listPossibleActs(by, one);
    return {
      ...one.json,
      files: unpackSources({ file: one.stored.file, text: one.stored.text }),
      before: before === undefined ? [] : unpackSources({ file: String(before.file), text: String(before.source) }),
      history,
      may,
      isOwn: getRights(by).approve && model.approval.byAnother && one.stored.editors.includes(by.id),
    };
  };

  const read = async (by: SignedIn, number: number): Promise<ProposalTextJson | Refusal> => {
    if (!getRights(by).read) return forbidden();
    const one = await find(query, number);
    return one === undefined ? hidden() : toProposalJson(by, one);
  };

  const remember = (
    ask: Ask,
    proposal: EventSubject,
    kind: ProposalEventJson["kind"],
    person: string,
    comment = "",
  ): Promise<unknown> => recordEvent(ask, proposal, { kind, person, comment, at: now() });

  /** Changes a proposal in one transaction that locks its row. People who act on it concurrently take turns. */
  const changeLocked = (
    by: SignedIn,
    number: number,
    change: (ask: Ask, one: CheckedProposal) => Promise<Refusal | undefined>,
  ): Promise<Refusal | CheckedProposal> =>
    getRights(by).read
      ? database.transaction(async (ask) => {
          await ask({ text: "select from ninefold.proposal where number = $1 for update", values: [number] });
          const one = await find(ask, number);
          if (one === undefined) return hidden();
          const refused = await change(ask, one);
          return refused ?? one;
        })
      : Promise.resolve(forbidden());

  const readChanged = async (by: SignedIn, outcome: Refusal | CheckedProposal): Promise<ProposalTextJson | Refusal> =>
    isRefusal(outcome) ? outcome : read(by, outcome.stored.number);

  const refuseMany = async ({ id }: SignedIn): Promise<Refusal | undefined> => {
    const [row] = await query({
      text: `select count(*)::int as count from ninefold.proposal_event
             where person = $1 and kind in ('proposed', 'changed', 'commented') and at > $2::timestamptz - interval '1 day'`,
      values: [id, now().toISOString()],
    });
    return Number(row?.count) < MAX_PER_DAY
      ? undefined
      : refuse("TOO_MANY_PROPOSALS", changesClause(model), { most: String(MAX_PER_DAY) });
  };

  /** Checks the text of a person before it is stored. */
  const packDraft = async (by: SignedIn, { base, files }: DraftJson) => {
    const many = await refuseMany(by);
    if (many !== undefined) return many;
    const source = packSources(files);
    if (source.text.length > MAX_PROPOSAL_LENGTH) return refuse("PROPOSAL_TOO_LARGE");
    const wrong = await authoring.check({ base, files });
    return wrong ?? { ...source, hash: hashDocument(source.text), base: authoring.document().version };
  };

  const decide =
    (right: "reject" | "withdraw" | "reopen", kind: "rejected" | "withdrawn" | "reopened") =>
    async (by: SignedIn, number: number, { comment }: ProposalAct): Promise<ProposalTextJson | Refusal> => {
      const outcome = await changeLocked(by, number, async (ask, one) => {
        if (!listPossibleActs(by, one)[right])
          return getRights(by).approve || one.stored.person === by.id ? refuse("PROPOSAL_CHANGED") : forbidden();
        // A reopened proposal needs new approvals.
        const revision = one.stored.revision + (kind === "reopened" ? 1 : 0);
        await ask({
          text: "update ninefold.proposal set state = $2, revision = $3, changed_at = $4 where number = $1",
          values: [number, kind === "reopened" ? "open" : kind, revision, now().toISOString()],
        });
        await remember(ask, { number, revision, hash: one.stored.hash }, kind, by.id, comment);
        await notifyAuthor(ask, one.stored, kind, by.id, now());
        return undefined;
      });
      return readChanged(by, outcome);
    };

  /**
   * Publishes a proposal that has all its approvals. If several people do so concurrently, one publishes and all see
   * the result.
   */
  const publish = async (by: SignedIn, number: number): Promise<ProposalTextJson | Refusal> => {
    const one = await find(query, number);
    if (one === undefined || one.json.state !== "approved") return read(by, number);
    const { stored, approvers } = one;
    const applied = await authoring.publish(
      {
        base: authoring.document().hash,
        files: unpackSources({ file: stored.file, text: stored.text }),
        note: stored.note,
      },
      { person: stored.writer, proposal: number, approvers: approvers.map(({ id }) => id) },
    );
    const after = await read(by, number);
    if (isRefusal(applied)) return !isRefusal(after) && after.state === "published" ? after : applied;
    await notifyAuthor(query, stored, "published", by.id, now());
    return after;
  };

  return {
    list: async (by, before) => {
      const { read: mayRead, ...may } = getRights(by);
      if (!mayRead) return forbidden();
      const rows = await query({
        text: `${PROPOSALS} where $1::integer is null or p.number < $1 order by p.number desc limit ${PAGE_SIZE + 1}`,
        values: [before],
      });
      const items = rows.slice(0, PAGE_SIZE).map((row) => checkProposal(model, decodeProposal(row)).json);
      return { items, next: rows.length > PAGE_SIZE ? (items.at(-1)?.number ?? null) : null, may };
    },
    read,
    propose: async (by, draft) => {
      if (!getRights(by).propose) return forbidden();
      const text = await packDraft(by, draft);
      if (isRefusal(text)) return text;
      const number = await database.transaction(async (ask) => {
        const [row] = await ask({
          text: "insert into ninefold.proposal (source, base, person, note, file, hash, text, made_at, changed_at) values ('workbench', $1, $2, $3, $4, $5, $6, $7, $7) returning number",
          values: [text.base, by.id, draft.note ?? "", text.file, text.hash, text.text, now().toISOString()],
        });
        const created = { ...text, number: Number(row?.number), revision: 1 };
        await remember(ask, created, "proposed", by.id);
        await notifyApprovers(ask, model, created.number, [by.id], by.id, now());
        return created.number;
      });
      return read(by, number);
    },
    edit: async (by, number, revision, draft) => {
      if (!getRights(by).propose) return forbidden();
      const text = await packDraft(by, draft);
      if (isRefusal(text)) return text;
      const outcome = await changeLocked(by, number, async (ask, one) => {
        if (!listPossibleActs(by, one).edit || one.stored.revision !== revision) return refuse("PROPOSAL_CHANGED");
        const next = { ...text, number, revision: revision + 1 };
        await ask({
          text: "update ninefold.proposal set base = $2, file = $3, hash = $4, text = $5, revision = $6, changed_at = $7, note = $8 where number = $1",
          values: [
            number,
            text.base,
            text.file,
            text.hash,
            text.text,
            next.revision,
            now().toISOString(),
            draft.note ?? one.stored.note,
          ],
        });
        await remember(ask, next, "changed", by.id);
        await notifyApprovers(ask, model, number, [...one.stored.editors, by.id], by.id, now());
        return undefined;
      });
      return readChanged(by, outcome);
    },
    comment: async (by, number, { comment }) => {
      if (comment.trim() === "") return refuse("MALFORMED");
      if (!getRights(by).read) return forbidden();
      const many = await refuseMany(by);
      if (many !== undefined) return many;
      const outcome = await changeLocked(by, number, async (ask, one) => {
        if (!listPossibleActs(by, one).comment) return refuse("PROPOSAL_CHANGED");
        const { revision, hash } = one.stored;
        await remember(ask, { number, revision, hash }, "commented", by.id, comment);
        await notifyAuthor(ask, one.stored, "commented", by.id, now());
        return undefined;
      });
      return readChanged(by, outcome);
    },
    approve: async (by, number, { hash, comment }) => {
      if (!getRights(by).approve) return forbidden();
      const read = await find(query, number);
      if (read === undefined) return hidden();
      // The text is compiled before the row is locked.
      const wrong = await authoring.check({
        base: authoring.document().hash,
        files: unpackSources({ file: read.stored.file, text: read.stored.text }),
      });
      if (wrong !== null) return wrong;
      const outcome = await changeLocked(by, number, async (ask, one) => {
        const { stored, json } = one;
        if (hash !== stored.hash || json.state === "rejected" || json.state === "withdrawn")
          return refuse("PROPOSAL_CHANGED");
        if (json.state === "published") return undefined;
        if (json.state === "outdated") return refuse("DOCUMENT_CHANGED");
        if (model.approval.byAnother && stored.editors.includes(by.id))
          return refuse("OWN_PROPOSAL", changesClause(model));
        if (one.approvers.some(({ id }) => id === by.id)) return undefined;
        const { revision } = stored;
        await remember(ask, { number, revision, hash: stored.hash }, "approved", by.id, comment);
        await notifyAuthor(ask, stored, "approved", by.id, now());
        return undefined;
      });
      return isRefusal(outcome) ? outcome : publish(by, number);
    },
    reject: decide("reject", "rejected"),
    withdraw: decide("withdraw", "withdrawn"),
    reopen: decide("reopen", "reopened"),
    plan: async (by, number) => {
      if (!getRights(by).read) return forbidden();
      const one = await find(query, number);
      if (one === undefined) return hidden();
      const files = unpackSources({ file: one.stored.file, text: one.stored.text });
      return authoring.plan({ base: authoring.document().hash, files }, by);
    },
  };
};
