import { changeRights } from "../../core/derive/authorization/change-rights.ts";
import { createTranslator } from "../../core/derive/client/localize.ts";
import type { Service } from "../execution/service.ts";
import { getMails, type ProposalInMail } from "../mail/email-templates.ts";
import { getNoticeLanguage, LANGUAGE, queueMails } from "../mail/security-notices.ts";
import { decodeProposal, PROPOSALS, type StoredProposal } from "./proposal-store.ts";

/** Minimum time between two mails about one proposal. Several edits within it cause one mail. */
const PAUSE_MINUTES = 10;

/** Maximum number of proposals per run. */
const MAX_PER_RUN = 20;

const eventIn = ({ revision, source, author }: StoredProposal): ProposalInMail["event"] => {
  if (revision > 1) return "changed";
  if (source === "file") return "file";
  return author === null ? "operator" : "person";
};

/**
 * Writes mails about proposals that wait for approval, to the people who can approve them and did not write them.
 * `origin`: base of links; null writes nothing.
 */
export const mailProposals = async (
  { model, database }: Pick<Service, "model" | "database">,
  origin: string | null,
  now: Date,
): Promise<void> => {
  if (origin === null) return;
  await database.transaction(async (query) => {
    const rows = await query({
      text: `with due as (
               select number from ninefold.proposal
               where state = 'open' and mailed < revision and (mailed_at is null or mailed_at < $1::timestamptz - ${PAUSE_MINUTES} * interval '1 minute')
               order by number limit ${MAX_PER_RUN} for update skip locked)
             ${PROPOSALS} where p.number in (select number from due)`,
      values: [now.toISOString()],
    });
    if (rows.length === 0) return;
    const waiting = rows.map(decodeProposal);
    await query({
      text: "update ninefold.proposal set mailed = revision, mailed_at = $2 where number = any($1::integer[])",
      values: [waiting.map(({ number }) => number), now.toISOString()],
    });
    const accounts = await query({
      text: `select u."id", u."email", u."roles", ${LANGUAGE} as language from app."user" u where u."active" and u."email" is not null`,
      values: [],
    });
    const approvers = accounts
      .map((row) => ({
        id: String(row.id),
        granted: new Set((row.roles as readonly unknown[]).map(String)),
        recipient: String(row.email),
        language: getNoticeLanguage(row, { model }),
      }))
      .filter((person) => changeRights(model, person).approve);
    const mails = waiting
      .filter(({ version, isCurrent }) => version === null && isCurrent)
      .flatMap((proposal) => {
        const about: ProposalInMail = {
          number: proposal.number,
          event: eventIn(proposal),
          name: proposal.author?.label ?? "",
          link: `${origin}/workbench/proposals/${proposal.number}`,
        };
        return approvers
          .filter(({ id }) => !proposal.editors.includes(id))
          .map(({ recipient, language }) => {
            const name = createTranslator(model, language)(model.name);
            return { recipient, ...getMails(language).proposal(name, about) };
          });
      });
    await queueMails(query, mails, now);
  });
};
