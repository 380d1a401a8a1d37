import { unpackSources } from "../../core/document/sources.ts";
import { storedText } from "../../core/i18n/languages.ts";
import type { Message } from "../../core/i18n/message.ts";
import type { VersionJson, VersionsJson, VersionTextJson } from "../../core/wire/authoring/versions.ts";
import type { Database, Row } from "../../postgres/database.ts";

const PAGE = 50;

const approvers = `(select coalesce(jsonb_agg(jsonb_build_object('id', a."id", 'label', a."name") order by a."name"), '[]') from app."user" a where a."id" = any(v.approvers))`;
const columns = `${approvers} as approvers, v.proposal, v.number, v.applied_at as at, v.note, v.restores, v.hash, v.done, v.said, v.person is not null as is_person, (select p.source from ninefold.proposal p where p.number = v.proposal) as proposed_from, u."id" as person, u."name"`;
const versions = `ninefold.version v left join app."user" u on u."id" = v.person`;

/** A proposal whose text an operator replaced counts as the operator's. */
const readSource = (row: Row): VersionJson["source"] => {
  if (row.is_person === true) return "person";
  if (row.proposed_from === "file") return "file";
  return row.proposed_from === null ? "server" : "command";
};

const sayDone = ({ done, said }: Row, language: string): readonly string[] => {
  const messages = (said ?? []) as readonly Message[];
  return (done as readonly unknown[]).map((says, i) => {
    const message = messages[i];
    return storedText({ says: String(says), ...(message === undefined ? {} : { message }) }, language);
  });
};

const toVersion = (row: Row, language: string): VersionJson => ({
  number: Number(row.number),
  at: String(row.at),
  author: row.person === null ? null : { id: String(row.person), label: String(row.name) },
  source: readSource(row),
  approvers: row.approvers as VersionJson["approvers"],
  proposal: row.proposal === null ? null : Number(row.proposal),
  note: String(row.note),
  restores: row.restores === null ? null : Number(row.restores),
  hash: String(row.hash),
  steps: sayDone(row, language),
});

/**
 * Lists the versions that this database has run, newest first, in a language. `before` is `next` of the previous page;
 * null for the first.
 */
export const listVersions = async (
  database: Database,
  before: number | null,
  language = "en",
): Promise<VersionsJson> => {
  const rows = await database.query({
    text: `select ${columns} from ${versions} where $1::integer is null or v.number < $1 order by v.number desc limit ${PAGE + 1}`,
    values: [before],
  });
  const items = rows.slice(0, PAGE).map((row) => toVersion(row, language));
  return { items, next: rows.length > PAGE ? (items.at(-1)?.number ?? null) : null };
};

/** Reads one version with its text; undefined if the number is unknown. */
export const readVersion = async (
  database: Database,
  number: number,
  language = "en",
): Promise<VersionTextJson | undefined> => {
  const [row] = await database.query({
    text: `select ${columns}, v.file, v.source from ${versions} where v.number = $1`,
    values: [number],
  });
  return row === undefined
    ? undefined
    : { ...toVersion(row, language), files: unpackSources({ file: String(row.file), text: String(row.source) }) };
};
