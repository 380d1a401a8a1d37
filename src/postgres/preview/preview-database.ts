import { randomUUID } from "node:crypto";
import { identifier, render, type Sql, sql } from "../../core/sql.ts";
import { framesFrom, type ReadOutside } from "../backup/backup.ts";
import type { BackupFrame } from "../backup/backup-file.ts";
import { restoreFrames } from "../backup/restore-backup.ts";
import { type ConnectOptions, type Database, type Row, StoreRefusal } from "../database.ts";
import { CopyRefused } from "./copy-refused.ts";

/** A copy for trying a draft, as stored in `ninefold.preview` of the original. */
export interface PreviewRow {
  readonly id: string;
  /** The database of the copy; an absolute path for the data folder of a preview with sample data. */
  readonly place: string;
  /** Identifies the text of the draft. */
  readonly hash: string;
  /** The live version when the copy was created. */
  readonly base: number;
  readonly person: string | null;
  /** True if personal values were replaced. */
  readonly masked: boolean;
  /** True for a copy of the data, false for sample data. */
  readonly hasData: boolean;
  readonly startedAt: string;
  readonly endsAt: string;
  /** Null while the copy is being created. */
  readonly address: string | null;
  /** Bytes copied so far. */
  readonly copied: number;
}

/** Maximum number of previews at the same time. */
export const MOST_PREVIEWS = 2;

/** Hours after which a preview ends. */
const PREVIEW_HOURS = 24;

/** The maximum number of previews exists already. */
export class TooManyPreviews extends Error {
  override readonly name = "TooManyPreviews";
}

const PREVIEW_LOCK = 9_090_011;

/** A database with another name was not created for a preview and is never dropped. */
const PREFIX = "ninefold_preview_";

const text = (fragment: Sql): string => render(fragment).text;

const toPreview = (row: Row): PreviewRow => ({
  id: String(row.id),
  place: String(row.place),
  hash: String(row.hash),
  base: Number(row.base),
  person: row.person === null ? null : String(row.person),
  masked: row.masked === true,
  hasData: row.has_data === true,
  startedAt: String(row.started_at),
  endsAt: String(row.ends_at),
  address: row.address === null ? null : String(row.address),
  copied: Number(row.copied),
});

/** All previews of a database, oldest first. */
export const readPreviews = async (database: Pick<Database, "query">): Promise<readonly PreviewRow[]> =>
  (await database.query({ text: "select * from ninefold.preview order by started_at, id", values: [] })).map(toPreview);

/**
 * `gone`: somebody removed it from the list. `decided`: since the preview began, its text was published, or its
 * proposal was rejected, withdrawn or changed.
 */
export const readPreviewState = async (
  database: Pick<Database, "query">,
  id: string,
): Promise<"listed" | "gone" | "decided"> => {
  const [row] = await database.query({
    text: `select exists (select from ninefold.version v where v.hash = r.hash and v.number > r.base)
             or exists (select from ninefold.proposal_event e join ninefold.proposal p on p.number = e.proposal
                        where e.hash = r.hash and p.changed_at >= r.started_at and (p.state <> 'open' or p.hash <> r.hash))
               and not exists (select from ninefold.proposal o where o.hash = r.hash and o.state = 'open') as is_decided
           from ninefold.preview r where r.id = $1`,
    values: [id],
  });
  if (row === undefined) return "gone";
  return row.is_decided === true ? "decided" : "listed";
};

/** True if the owner's role may create databases. */
export const canCreateDatabases = async (owner: Database): Promise<boolean> => {
  const [row] = await owner.query({
    text: "select rolcreatedb or rolsuper as may from pg_roles where rolname = current_user",
    values: [],
  });
  return row?.may === true;
};

/**
 * Registers a preview before anything is created for it, so that nothing is left behind unnoticed. Throws
 * `TooManyPreviews`.
 */
export const registerPreview = (
  owner: Database,
  {
    hash,
    base,
    person,
    masked,
    folder,
  }: Pick<PreviewRow, "hash" | "base" | "person" | "masked"> & {
    /** The data folder of a preview with sample data; null for a copy of the database. */
    readonly folder: string | null;
  },
): Promise<PreviewRow> =>
  owner.transaction(async (query) => {
    await query({ text: "select pg_advisory_xact_lock($1)", values: [PREVIEW_LOCK] });
    const [{ count } = { count: 0 }] = await query({
      text: "select count(*) as count from ninefold.preview",
      values: [],
    });
    if (Number(count) >= MOST_PREVIEWS) throw new TooManyPreviews();
    const id = randomUUID();
    const [row] = await query({
      text: `insert into ninefold.preview (id, place, hash, base, person, masked, has_data, ends_at)
             values ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 hour') returning *`,
      values: [
        id,
        folder ?? `${PREFIX}${id.replaceAll("-", "")}`,
        hash,
        base,
        person,
        masked,
        folder === null,
        PREVIEW_HOURS,
      ],
    });
    if (row === undefined) throw new Error("the preview was not registered");
    return toPreview(row);
  });

/** Stores the progress of a preview; false if it was ended in the meantime. */
export const updatePreview = async (
  owner: Database,
  id: string,
  { copied, address }: { readonly copied: number; readonly address: string | null },
): Promise<boolean> =>
  (
    await owner.query({
      text: "update ninefold.preview set copied = $2, address = $3 where id = $1 returning id",
      values: [id, copied, address],
    })
  ).length > 0;

/** A connection to another database of the server, as the role of the given one. */
export const toDatabase = (connection: ConnectOptions["connection"], name: string): ConnectOptions["connection"] =>
  typeof connection === "string"
    ? connection.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/u, `$1/${name}`)
    : { ...connection, database: name };

/** Creates an empty database beside another one, with its sort order. Nobody but the two roles can connect to it. */
export const createSiblingDatabase = async (
  owner: Database,
  name: string,
  requests: string | undefined,
): Promise<void> => {
  const [row] = await owner.query({
    text: `select datlocprovider::text as provider, datcollate, datctype, datlocale from pg_database where datname = current_database()`,
    values: [],
  });
  const quote = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`;
  const locale =
    row?.provider === "i"
      ? ` locale_provider icu icu_locale ${quote(row.datlocale)}`
      : row?.provider === "b"
        ? ` locale_provider builtin builtin_locale ${quote(row.datlocale)}`
        : " locale_provider libc";
  const run = (statement: string) => owner.query({ text: statement, values: [] });
  await run(
    `create database ${text(identifier(name))} template template0 encoding 'UTF8' lc_collate ${quote(row?.datcollate)} lc_ctype ${quote(row?.datctype)}${locale}`,
  );
  await run(text(sql`revoke all on database ${identifier(name)} from public`));
  if (requests !== undefined)
    await run(text(sql`grant connect on database ${identifier(name)} to ${identifier(requests)}`));
};

/**
 * Copies a database while it is in use, as of one point in time. `change` can replace values on the way. The copy does
 * not send anything, and the database refuses to release its messages.
 */
export const copyDatabase = async (
  from: ConnectOptions["connection"],
  into: ConnectOptions["connection"],
  requests: string | undefined,
  change: (frames: AsyncIterable<BackupFrame>) => AsyncIterable<BackupFrame>,
  readOutside: ReadOutside | null = null,
): Promise<void> => {
  await restoreFrames(into, change(framesFrom(from, { demonstration: false, readOutside })), requests);
};

/** Marks a database as a preview. Postgres then refuses to release its outgoing messages. */
export const markPreview = async (copy: Database, { id, base }: Pick<PreviewRow, "id" | "base">): Promise<void> => {
  await copy.query({
    text: `update ninefold.release set held_since = coalesce(held_since, now()), held_from = coalesce(held_from, now()),
             preview = $1::jsonb || jsonb_build_object('ready', now())`,
    values: [JSON.stringify({ id, base })],
  });
};

/** The people who are signed in to a copy, and the number of changes that people made since it was marked. */
export interface PreviewUse {
  readonly people: readonly { readonly id: string; readonly name: string }[];
  readonly changes: number;
}

export const readPreviewUse = async (copy: Pick<Database, "query">): Promise<PreviewUse> => {
  const [people, [counted]] = await Promise.all([
    copy.query({
      text: `select "id", "name" from app."user" where "id" in (select person from ninefold.session where expires_at > now())
             order by "name", "id"`,
      values: [],
    }),
    copy.query({
      text: `select count(*) as count from ninefold.audit
             where person is not null and cause is null
               and at > coalesce((select (preview->>'ready')::timestamptz from ninefold.release where preview is not null), now())`,
      values: [],
    }),
  ]);
  return {
    people: people.map(({ id, name }) => ({ id: String(id), name: String(name) })),
    changes: Number(counted?.count ?? 0),
  };
};

const IN_USE = "55006";

/**
 * Drops the copy and removes the preview from the list. Without `force`, returns false if somebody is connected to the
 * copy.
 */
export const dropPreview = async (
  owner: Database,
  { id, place }: Pick<PreviewRow, "id" | "place">,
  force: boolean,
): Promise<boolean> => {
  if (place.startsWith(PREFIX))
    try {
      const how = force ? sql` with (force)` : sql``;
      await owner.query({ text: text(sql`drop database if exists ${identifier(place)}${how}`), values: [] });
    } catch (error) {
      if (error instanceof StoreRefusal && error.code === IN_USE) return false;
      throw error;
    }
  await owner.query({ text: "delete from ninefold.preview where id = $1", values: [id] });
  return true;
};

/** Milliseconds within which the process that registered a preview must connect to it. */
const GRACE = 60_000;

/** Removes expired previews, and those whose process has ended. */
export const sweepPreviews = async (
  owner: Database,
  /** Removes the folder of a preview with sample data unless a process uses it; false if one does. */
  dropFolder: (folder: string, force: boolean) => Promise<boolean>,
): Promise<void> => {
  for (const preview of await readPreviews(owner)) {
    const isOver = Date.parse(preview.endsAt) < Date.now();
    if (!isOver && Date.parse(preview.startedAt) > Date.now() - GRACE) continue;
    if (preview.place.startsWith(PREFIX) || (await dropFolder(preview.place, isOver)))
      await dropPreview(owner, preview, isOver);
  }
};

/** The reason why a copy failed, as a refusal; undefined for a bug. */
export const copyFailed = (error: unknown): CopyRefused | undefined => {
  const code = getCode(error);
  if (code === "53100") return new CopyRefused("preview.full");
  if (code === "57P01" || code === "3D000") return new CopyRefused("preview.ended");
  if (code === "42501") return new CopyRefused("preview.forbidden");
  return code.startsWith("23") ? new CopyRefused("preview.unfit") : undefined;
};

const getCode = (error: unknown): string => {
  if (!(error instanceof Error)) return "";
  if ("code" in error && typeof error.code === "string" && error.code !== "") return error.code;
  return getCode(error.cause);
};
