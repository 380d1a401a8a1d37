import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { ProposalEventJson, ProposalJson } from "../../core/wire/authoring/proposals.ts";
import type { ReferenceJson } from "../../core/wire/records.ts";
import type { Row, RunQuery } from "../../postgres/database.ts";

/** Maximum length of a stored proposal in characters. Each proposal keeps all its former texts. */
export const MAX_PROPOSAL_LENGTH = 1_000_000;

/** The condition that a version after the base of proposal `p` has its text, however it was published. */
export const IS_PUBLISHED = "exists (select from ninefold.version v where v.hash = p.hash and v.number > p.base)";

/** A proposal as it is stored, with the people who edited and approved its text. */
export interface StoredProposal {
  readonly number: number;
  readonly source: ProposalJson["source"];
  readonly base: number;
  readonly state: "open" | "rejected" | "withdrawn";
  /** The author; null for a proposal from a file or from the command line. */
  readonly person: string | null;
  /** Null if the account was deleted. */
  readonly author: ReferenceJson | null;
  readonly note: string;
  readonly file: string;
  readonly hash: string;
  readonly text: string;
  readonly revision: number;
  readonly at: string;
  readonly changed: string;
  /** The version with this text; null if it is not published. */
  readonly version: number | null;
  /** True if the version on which it is based is in force. */
  readonly isCurrent: boolean;
  /** The person who wrote the current text; null for an operator or a file. */
  readonly writer: string | null;
  /** Everybody who proposed or changed it. */
  readonly editors: readonly string[];
  /** The active people who approved this revision. */
  readonly approvers: readonly (ReferenceJson & Principal)[];
}

/** Runs a statement, in a transaction or alone. */
/** The text that an event is about. `base`, `file` and `text` are set if it is new. */
export type EventSubject = Pick<StoredProposal, "number" | "revision" | "hash"> &
  Partial<Pick<StoredProposal, "base" | "file" | "text">>;

/** Adds a line to the history of a proposal. `person`: null for an operator. */
export const recordEvent = async (
  query: RunQuery,
  { number, revision, hash, base, file, text }: EventSubject,
  {
    kind,
    person,
    comment,
    at,
  }: Pick<ProposalEventJson, "kind" | "comment"> & { readonly person: string | null; readonly at: Date },
): Promise<void> => {
  await query({
    text: "insert into ninefold.proposal_event (proposal, at, person, kind, revision, hash, comment, base, file, text, by_operator) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    values: [
      number,
      at.toISOString(),
      person,
      kind,
      revision,
      hash,
      comment,
      base ?? null,
      file ?? null,
      text ?? null,
      person === null,
    ],
  });
};

/** Reads the history of a proposal, oldest first. */
export const readHistory = async (query: RunQuery, number: number): Promise<readonly ProposalEventJson[]> => {
  const rows = await query({
    text: `select e.at, e.kind, e.revision, e.comment, e.by_operator, u."id" as person, u."name"
           from ninefold.proposal_event e left join app."user" u on u."id" = e.person where e.proposal = $1 order by e.id`,
    values: [number],
  });
  return rows.map(
    (row): ProposalEventJson => ({
      at: String(row.at),
      person: row.person === null ? null : { id: String(row.person), label: String(row.name) },
      isOperator: row.by_operator === true,
      kind: String(row.kind) as ProposalEventJson["kind"],
      revision: Number(row.revision),
      comment: String(row.comment),
    }),
  );
};

/** Selects proposals as `p`; add a condition and an order. */
export const PROPOSALS = `
  select p.number, p.source, p.base, p.state, p.person, p.note, p.file, p.hash, p.text, p.revision, p.made_at, p.changed_at, u."name",
    (select min(v.number) from ninefold.version v where v.hash = p.hash and v.number > p.base) as version,
    (select b.hash from ninefold.version b where b.number = p.base) = (select l.hash from ninefold.version l order by l.number desc limit 1) as is_current,
    (select e.person from ninefold.proposal_event e
     where e.proposal = p.number and e.kind in ('proposed', 'changed') order by e.id desc limit 1) as writer,
    (select coalesce(jsonb_agg(distinct e.person) filter (where e.person is not null), '[]') from ninefold.proposal_event e
     where e.proposal = p.number and e.kind in ('proposed', 'changed')) as editors,
    (select coalesce(jsonb_agg(distinct jsonb_build_object('id', a."id", 'name', a."name", 'roles', a."roles")), '[]')
     from ninefold.proposal_event e join app."user" a on a."id" = e.person
     where e.proposal = p.number and e.kind = 'approved' and e.revision = p.revision and e.hash = p.hash and a."active") as approvers
  from ninefold.proposal p left join app."user" u on u."id" = p.person`;

/** A row of `PROPOSALS`. */
export const decodeProposal = (row: Row): StoredProposal => ({
  number: Number(row.number),
  source: String(row.source) as StoredProposal["source"],
  base: Number(row.base),
  state: String(row.state) as StoredProposal["state"],
  person: row.person === null ? null : String(row.person),
  author: row.person === null || row.name === null ? null : { id: String(row.person), label: String(row.name) },
  note: String(row.note),
  file: String(row.file),
  hash: String(row.hash),
  text: String(row.text),
  revision: Number(row.revision),
  at: String(row.made_at),
  changed: String(row.changed_at),
  version: row.version === null ? null : Number(row.version),
  isCurrent: row.is_current === true,
  writer: row.writer === null ? null : String(row.writer),
  editors: (row.editors as readonly unknown[]).map(String),
  approvers: (row.approvers as readonly { id: string; name: string; roles: readonly string[] }[]).map(
    ({ id, name, roles }) => ({ id, label: name, granted: new Set(roles) }),
  ),
});

export const findProposal = async (query: RunQuery, number: number): Promise<StoredProposal | undefined> => {
  const [row] = await query({ text: `${PROPOSALS} where p.number = $1`, values: [number] });
  return row === undefined ? undefined : decodeProposal(row);
};

/** Reads a page of proposals, newest first. `before`: the last number of the previous page. */
export const listProposals = async (
  query: RunQuery,
  before: number | null,
  limit: number,
): Promise<readonly StoredProposal[]> => {
  const rows = await query({
    text: `${PROPOSALS} where $1::integer is null or p.number < $1 order by p.number desc limit ${limit}`,
    values: [before],
  });
  return rows.map(decodeProposal);
};

/** Locks the row of a proposal until the transaction ends. */
export const lockProposal = async (query: RunQuery, number: number): Promise<void> => {
  await query({ text: "select from ninefold.proposal where number = $1 for update", values: [number] });
};

/** The text of a proposal, and the version on which it is based. */
export type ProposalContent = Pick<StoredProposal, "base" | "file" | "hash" | "text">;

/** Stores a new proposal and returns its number. */
export const insertProposal = async (
  query: RunQuery,
  {
    source,
    person,
    note,
    base,
    file,
    hash,
    text,
  }: ProposalContent & Pick<StoredProposal, "source" | "person" | "note">,
  at: Date,
): Promise<number> => {
  const [row] = await query({
    text: "insert into ninefold.proposal (source, base, person, note, file, hash, text, made_at, changed_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $8) returning number",
    values: [source, base, person, note, file, hash, text, at.toISOString()],
  });
  return Number(row?.number);
};

/** Replaces the text of a proposal by its next revision. */
export const replaceProposalText = async (
  query: RunQuery,
  {
    number,
    revision,
    note,
    base,
    file,
    hash,
    text,
  }: ProposalContent & Pick<StoredProposal, "number" | "revision" | "note">,
  at: Date,
): Promise<void> => {
  await query({
    text: "update ninefold.proposal set base = $2, file = $3, hash = $4, text = $5, revision = $6, changed_at = $7, note = $8 where number = $1",
    values: [number, base, file, hash, text, revision, at.toISOString(), note],
  });
};

export const setProposalState = async (
  query: RunQuery,
  { number, state, revision }: Pick<StoredProposal, "number" | "state" | "revision">,
  at: Date,
): Promise<void> => {
  await query({
    text: "update ninefold.proposal set state = $2, revision = $3, changed_at = $4 where number = $1",
    values: [number, state, revision, at.toISOString()],
  });
};
