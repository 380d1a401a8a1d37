import { changeRights } from "../../core/derive/authorization/change-rights.ts";
import type { Model } from "../../core/model/model.ts";
import type { RunQuery } from "../../postgres/database.ts";
import type { StoredProposal } from "./proposal-store.ts";

/** The entity of notifications about proposals; no document can have one of this name. */
export const PROPOSAL_ENTITY = "ninefold.proposal";

/** A proposal's number as an id, for the column that holds records. */
const idOfProposal = (number: number): string => `00000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;

/** The number in an id of `idOfProposal`. */
export const numberOfProposal = (id: string): number => Number.parseInt(id.slice(-12), 16);

/** The texts of notifications, by event: ids in the interface catalogue. */
export type ProposalNotice =
  | "proposed"
  | "commented"
  | "approved"
  | "rejected"
  | "withdrawn"
  | "reopened"
  | "published";

const insert = (
  query: RunQuery,
  people: readonly string[],
  { number, notice, by, at }: { number: number; notice: ProposalNotice; by: string | null; at: Date },
) =>
  people.length === 0
    ? Promise.resolve([])
    : query({
        text: `insert into ninefold.notification (person, at, text, entity, record, clause, message, said)
               select one, $2, $3, '${PROPOSAL_ENTITY}', $4, '6.changes', $3, jsonb_build_object('number', $5::integer, 'name', (select "name" from app."user" where "id" = $6))
               from unnest($1::uuid[]) as one`,
        values: [people, at.toISOString(), notice, idOfProposal(number), number, by],
      });

/** A new text of a proposal. */
interface ProposedText {
  readonly number: number;
  /** The people who proposed or edited it, and so cannot approve it. */
  readonly authors: readonly string[];
  /** Null for an operator. */
  readonly by: string | null;
  readonly at: Date;
}

/** Notifies the people who can approve a proposal. */
export const notifyApprovers = async (
  query: RunQuery,
  model: Model,
  { number, authors, by, at }: ProposedText,
): Promise<void> => {
  const rows = await query({ text: `select "id", "roles" from app."user" where "active"`, values: [] });
  const people = rows
    .map(({ id, roles }) => ({ id: String(id), granted: new Set((roles as readonly unknown[]).map(String)) }))
    .filter((person) => !authors.includes(person.id) && changeRights(model, person).approve);
  await insert(
    query,
    people.map(({ id }) => id),
    { number, notice: "proposed", by, at },
  );
};

/** Notifies the author of a proposal about an action of somebody else. */
export const notifyAuthor = async (
  query: RunQuery,
  { number, person }: Pick<StoredProposal, "number" | "person">,
  notice: ProposalNotice,
  by: string | null,
  at: Date,
): Promise<void> => {
  if (person !== null && person !== by) await insert(query, [person], { number, notice, by, at });
};
