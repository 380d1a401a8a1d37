import { packSources } from "../../core/document/sources.ts";
import type { DraftJson } from "../../core/wire/authoring/document.ts";
import type { ProposalTextJson } from "../../core/wire/authoring/proposals.ts";
import { hashDocument } from "../../postgres/schema/document-hash.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { changesClause } from "../authoring/authoring.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import {
  changeLocked,
  findPossibleActs,
  type ProposalContext,
  recordAct,
  refuseForbidden,
  rightsOn,
} from "./proposal-access.ts";
import { notifyApprovers, notifyAuthor } from "./proposal-notices.ts";
import { insertProposal, MAX_PROPOSAL_LENGTH, type ProposalContent, replaceProposalText } from "./proposal-store.ts";
import { readChangedProposal, readProposal } from "./read-proposals.ts";

/** Maximum number of texts and comments of a person within 24 hours, because each is stored for years. */
const MAX_PER_DAY = 100;

export const proposeText = async (
  context: ProposalContext,
  by: SignedIn,
  draft: DraftJson,
): Promise<ProposalTextJson | Refusal> => {
  const { database, model, now } = context;
  if (!rightsOn(context, by).propose) return refuseForbidden(context);
  const content = await checkDraft(context, by, draft);
  if (isRefusal(content)) return content;
  const number = await database.transaction(async (query) => {
    const note = draft.note ?? "";
    const created = await insertProposal(query, { ...content, source: "workbench", person: by.id, note }, now());
    await recordAct(context, query, { ...content, number: created, revision: 1 }, { kind: "proposed", by });
    await notifyApprovers(query, model, { number: created, authors: [by.id], by: by.id, at: now() });
    return created;
  });
  return readProposal(context, by, number);
};

export const editProposal = async (
  context: ProposalContext,
  by: SignedIn,
  number: number,
  revision: number,
  draft: DraftJson,
): Promise<ProposalTextJson | Refusal> => {
  const { model, now } = context;
  if (!rightsOn(context, by).propose) return refuseForbidden(context);
  const content = await checkDraft(context, by, draft);
  if (isRefusal(content)) return content;
  const outcome = await changeLocked(context, by, number, async (query, proposal) => {
    const { stored } = proposal;
    if (!findPossibleActs(context, by, proposal).edit || stored.revision !== revision)
      return refuse("PROPOSAL_CHANGED");
    const next = { ...content, number, revision: revision + 1 };
    await replaceProposalText(query, { ...next, note: draft.note ?? stored.note }, now());
    await recordAct(context, query, next, { kind: "changed", by });
    await notifyApprovers(query, model, { number, authors: [...stored.editors, by.id], by: by.id, at: now() });
    return undefined;
  });
  return readChangedProposal(context, by, outcome);
};

export const commentOnProposal = async (
  context: ProposalContext,
  by: SignedIn,
  number: number,
  text: string,
): Promise<ProposalTextJson | Refusal> => {
  if (text.trim() === "") return refuse("MALFORMED");
  if (!rightsOn(context, by).read) return refuseForbidden(context);
  const tooMany = await refuseTooMany(context, by);
  if (tooMany !== undefined) return tooMany;
  const outcome = await changeLocked(context, by, number, async (query, proposal) => {
    if (!findPossibleActs(context, by, proposal).comment) return refuse("PROPOSAL_CHANGED");
    const { stored } = proposal;
    await recordAct(
      context,
      query,
      { number, revision: stored.revision, hash: stored.hash },
      { kind: "commented", by, comment: text },
    );
    await notifyAuthor(query, stored, "commented", by.id, context.now());
    return undefined;
  });
  return readChangedProposal(context, by, outcome);
};

/** Checks the text of a person before it is stored. */
const checkDraft = async (
  context: ProposalContext,
  by: SignedIn,
  { base, files }: DraftJson,
): Promise<ProposalContent | Refusal> => {
  const { authoring } = context;
  const tooMany = await refuseTooMany(context, by);
  if (tooMany !== undefined) return tooMany;
  const source = packSources(files);
  if (source.text.length > MAX_PROPOSAL_LENGTH) return refuse("PROPOSAL_TOO_LARGE");
  const invalid = await authoring.check({ base, files });
  return invalid ?? { ...source, hash: hashDocument(source.text), base: authoring.document().version };
};

const refuseTooMany = async (
  { database, model, now }: ProposalContext,
  { id }: SignedIn,
): Promise<Refusal | undefined> => {
  const [row] = await database.query({
    text: `select count(*)::int as count from ninefold.proposal_event
           where person = $1 and kind in ('proposed', 'changed', 'commented') and at > $2::timestamptz - interval '1 day'`,
    values: [id, now().toISOString()],
  });
  return Number(row?.count) < MAX_PER_DAY
    ? undefined
    : refuse("TOO_MANY_PROPOSALS", changesClause(model), { most: String(MAX_PER_DAY) });
};
