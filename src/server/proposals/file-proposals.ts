import type { Model } from "../../core/model/model.ts";
import type { Source } from "../../core/source-text.ts";
import type { Database } from "../../postgres/database.ts";
import { hashDocument } from "../../postgres/schema/document-hash.ts";
import { notifyApprovers } from "./proposal-notices.ts";
import { IS_PUBLISHED, MAX_PROPOSAL_LENGTH } from "./proposal-store.ts";

/** A file that differs from the live version. */
interface FileProposal {
  /** The whole document in one text (`packSources`). */
  readonly source: Source;
  /** The number of the live version. */
  readonly base: number;
  /** The live version, which determines who can approve. */
  readonly model: Model;
}

/**
 * Stores the text of a file as a proposal and returns its number; null if the text is too long. A text that is already
 * a proposal keeps its number. An open proposal of the file gets the new text. The people who can approve it are
 * notified of each text.
 */
export const proposeFile = async (
  database: Database,
  { source, base, model }: FileProposal,
): Promise<number | null> => {
  if (source.text.length > MAX_PROPOSAL_LENGTH) return null;
  const hash = hashDocument(source.text);
  return database.transaction(async (query) => {
    // Servers that start together must store a file only once.
    await query({ text: "lock table ninefold.proposal in share row exclusive mode", values: [] });
    const [known] = await query({
      text: "select number from ninefold.proposal where hash = $1 order by state = 'open' desc, number desc limit 1",
      values: [hash],
    });
    if (known !== undefined) return Number(known.number);
    const [earlier] = await query({
      text: `update ninefold.proposal set base = $1, hash = $2, text = $3, revision = revision + 1, changed_at = now()
             where number = (
               select number from ninefold.proposal p where source = 'file' and state = 'open' and file = $4 and not ${IS_PUBLISHED} order by number desc limit 1
             )
             returning number, revision`,
      values: [base, hash, source.text, source.file],
    });
    const [stored] =
      earlier === undefined
        ? await query({
            text: "insert into ninefold.proposal (source, base, file, hash, text) values ('file', $1, $2, $3, $4) returning number, revision",
            values: [base, source.file, hash, source.text],
          })
        : [earlier];
    const number = Number(stored?.number);
    await query({
      text: "insert into ninefold.proposal_event (proposal, kind, revision, hash, base, file, text) values ($1, $2, $3, $4, $5, $6, $7)",
      values: [
        number,
        earlier === undefined ? "proposed" : "changed",
        Number(stored?.revision),
        hash,
        base,
        source.file,
        source.text,
      ],
    });
    await notifyApprovers(query, model, { number, authors: [], by: null, at: new Date() });
    return number;
  });
};
