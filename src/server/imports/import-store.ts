import type { Message } from "../../core/i18n/message.ts";
import type {
  ImportAdjustments,
  ImportColumn,
  ImportedFile,
  ImportRefusals,
  ImportSettings,
  ImportState,
} from "../../core/wire/imports.ts";
import type { Database, Query, Row } from "../../postgres/database.ts";
import type { ImportRow } from "./table-parts.ts";

/** An import as it is stored. */
export interface StoredImport {
  readonly id: string;
  readonly person: string;
  /** The roles of the token that began the import; null for a session. */
  readonly roles: readonly string[] | null;
  readonly entity: string;
  readonly file: string;
  /** The `Accept-Language` header of the person. */
  readonly language: string;
  readonly columns: readonly ImportColumn[];
  readonly remarks: readonly Message[];
  /** The stored files by the text of the cells that name them; null if no files came with the table. */
  readonly files: Readonly<Record<string, ImportedFile>> | null;
  readonly settings: ImportSettings;
  readonly state: ImportState;
  readonly rows: number;
  /** The number of parts that are finished in this state. */
  readonly part: number;
  readonly counts: RowCounts;
  readonly cancelled: boolean;
  readonly refusals: readonly ImportRefusals[];
  readonly adjusted: readonly ImportAdjustments[];
  readonly said: string | null;
  readonly madeAt: string;
}

export interface RowCounts {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
}

export const NO_COUNTS: RowCounts = { added: 0, updated: 0, unchanged: 0, refused: 0 };

/** The result of a row: the record that it wrote, or the reasons of its refusal. */
export type RowResult =
  | {
      readonly row: number;
      readonly did: "added" | "updated" | "unchanged";
      readonly id: string;
      readonly version: number | null;
    }
  | {
      readonly row: number;
      readonly did: "refused";
      readonly errors: readonly {
        readonly code: string;
        readonly clause: string | null;
        readonly field: string | null;
        readonly message: string;
        readonly value?: string;
      }[];
    };

/** Another server takes over an import after this time without a heartbeat. */
const LEASE_SECONDS = 15;

const decode = (row: Row): StoredImport => ({
  id: String(row.id),
  person: String(row.person),
  roles: Array.isArray(row.roles) ? row.roles.map(String) : null,
  entity: String(row.entity),
  file: String(row.file),
  language: String(row.language),
  columns: row.columns as readonly ImportColumn[],
  remarks: row.remarks as readonly Message[],
  files: row.files as StoredImport["files"],
  settings: row.settings as ImportSettings,
  state: row.state as ImportState,
  rows: Number(row.rows),
  part: Number(row.part),
  counts: {
    added: Number(row.added),
    updated: Number(row.updated),
    unchanged: Number(row.unchanged),
    refused: Number(row.refused),
  },
  cancelled: row.cancelled === true,
  refusals: row.report as readonly ImportRefusals[],
  adjusted: row.adjusted as readonly ImportAdjustments[],
  said: row.said === null ? null : String(row.said),
  madeAt: String(row.made_at),
});

export const createImport = (
  database: Database,
  of: Pick<
    StoredImport,
    "id" | "person" | "roles" | "entity" | "file" | "language" | "columns" | "remarks" | "files" | "settings" | "rows"
  >,
  now: Date,
): Promise<unknown> =>
  database.query({
    text: `insert into ninefold.import (id, person, roles, entity, file, language, columns, remarks, files, settings, rows, made_at, changed_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)`,
    values: [
      of.id,
      of.person,
      of.roles === null ? null : [...of.roles],
      of.entity,
      of.file,
      of.language,
      JSON.stringify(of.columns),
      JSON.stringify(of.remarks),
      of.files === null ? null : JSON.stringify(of.files),
      JSON.stringify(of.settings),
      of.rows,
      now.toISOString(),
    ],
  });

/** Completes an import with the files that its cells name, once they are stored. */
export const storeFilesOfImport = (
  database: Database,
  id: string,
  { files, remarks }: Pick<StoredImport, "files" | "remarks">,
): Promise<unknown> =>
  database.query({
    text: "update ninefold.import set files = $2, remarks = $3 where id = $1",
    values: [id, JSON.stringify(files), JSON.stringify(remarks)],
  });

export const deleteImport = (database: Database, id: string): Promise<unknown> =>
  database.query({ text: "delete from ninefold.import where id = $1", values: [id] });

export const storePart = (
  database: Database,
  id: string,
  number: number,
  rows: readonly ImportRow[],
): Promise<unknown> =>
  database.query({
    name: "import part",
    text: "insert into ninefold.import_part (import, number, rows) values ($1, $2, $3)",
    values: [id, number, JSON.stringify(rows)],
  });

/** An import of a person; undefined if they have none with this id. */
export const findImport = async (
  database: Database,
  id: string,
  { person, entity }: { readonly person: string; readonly entity: string },
): Promise<StoredImport | undefined> => {
  const [row] = await database.query({
    name: "import",
    text: "select * from ninefold.import where id = $1 and person = $2 and entity = $3",
    values: [id, person, entity],
  });
  return row === undefined ? undefined : decode(row);
};

/** The newest imports of a person. */
export const listImports = async (
  database: Database,
  { person, entity }: { readonly person: string; readonly entity: string },
): Promise<readonly StoredImport[]> => {
  const rows = await database.query({
    name: "imports",
    text: "select * from ninefold.import where person = $1 and entity = $2 order by made_at desc, id limit 20",
    values: [person, entity],
  });
  return rows.map(decode);
};

interface BegunState {
  readonly to: ImportState;
  readonly from: readonly ImportState[];
  readonly settings: ImportSettings;
  readonly now: Date;
}

/**
 * Begins a state from its first part. Undefined if the import is in none of the states `from`, or if a server works on
 * it.
 */
export const beginState = async (
  database: Database,
  id: string,
  { to, from, settings, now }: BegunState,
): Promise<StoredImport | undefined> => {
  const counts =
    to === "undoing"
      ? ", refused = 0, report = '[]', adjusted = '[]'"
      : ", added = 0, updated = 0, unchanged = 0, refused = 0, report = '[]', adjusted = '[]'";
  const [row] = await database.query({
    text: `update ninefold.import set state = $2, settings = $4, part = 0, cancelled = false, said = null, runner = null, changed_at = $5${counts}
           where id = $1 and state = any($3) returning *`,
    values: [id, to, [...from], JSON.stringify(settings), now.toISOString()],
  });
  return row === undefined ? undefined : decode(row);
};

/** Asks the server that works on an import to stop after the current part. */
export const cancelImport = async (database: Database, id: string): Promise<boolean> => {
  const rows = await database.query({
    text: "update ninefold.import set cancelled = true where id = $1 and state in ('checking', 'running', 'undoing') returning id",
    values: [id],
  });
  return rows.length > 0;
};

/** Claims the oldest import that no server works on. */
export const claimImport = async (database: Database, runner: string): Promise<StoredImport | undefined> => {
  const [row] = await database.query({
    name: "import claim",
    text: `update ninefold.import set runner = $1, changed_at = now() where id = (
             select id from ninefold.import where state in ('checking', 'running', 'undoing')
               and (runner is null or changed_at < now() - make_interval(secs => $2))
             order by made_at limit 1 for update skip locked)
           returning *`,
    values: [runner, LEASE_SECONDS],
  });
  return row === undefined ? undefined : decode(row);
};

/** Releases an import for another server, for example when this one stops. */
export const releaseImport = (
  database: Database,
  id: string,
  runner: string,
  reason: string | null,
): Promise<unknown> =>
  database.query({
    text: "update ninefold.import set runner = null, said = $3 where id = $1 and runner = $2",
    values: [id, runner, reason],
  });

/** Reads the rows of a part with their results; undefined after the last part. */
export const readPart = async (
  database: Database,
  id: string,
  number: number,
): Promise<{ readonly rows: readonly ImportRow[]; readonly results: readonly RowResult[] } | undefined> => {
  const [row] = await database.query({
    name: "import rows",
    text: "select rows, results from ninefold.import_part where import = $1 and number = $2",
    values: [id, number],
  });
  return row === undefined
    ? undefined
    : { rows: row.rows as readonly ImportRow[], results: (row.results ?? []) as readonly RowResult[] };
};

/** Stores the rows in another order. `order`: all row numbers. */
export const reorderRows = (
  database: Database,
  id: string,
  order: readonly number[],
  rowsPerPart: number,
): Promise<unknown> =>
  database.query({
    text: `with ordered as (
             select (place - 1) / $3 as number, jsonb_agg(r.value order by place) as rows
             from unnest($2::int[]) with ordinality as o (row, place)
             join (select value, (value ->> 0)::int as row from ninefold.import_part, jsonb_array_elements(rows) where import = $1) r using (row)
             group by 1)
           update ninefold.import_part p set rows = ordered.rows, results = null from ordered where p.import = $1 and p.number = ordered.number`,
    values: [id, [...order], rowsPerPart],
  });

export const storeResultsQuery = (id: string, number: number, results: readonly RowResult[]): Query => ({
  name: "import results",
  text: "update ninefold.import_part set results = $3 where import = $1 and number = $2",
  values: [id, number, JSON.stringify(results)],
});

/** Stores the progress of an import. Returns no row if another server has taken it over. */
export const progressQuery = (
  id: string,
  runner: string,
  {
    part,
    counts,
    refusals,
    adjusted,
    state,
  }: {
    readonly part: number;
    readonly counts: RowCounts;
    readonly refusals: readonly ImportRefusals[];
    readonly adjusted: readonly ImportAdjustments[];
    readonly state: ImportState;
  },
): Query => ({
  name: "import progress",
  text: `update ninefold.import set part = $3, added = $4, updated = $5, unchanged = $6, refused = $7, report = $8, adjusted = $9, state = $10, said = null, changed_at = now()
         where id = $1 and runner = $2 returning cancelled`,
  values: [
    id,
    runner,
    part,
    counts.added,
    counts.updated,
    counts.unchanged,
    counts.refused,
    JSON.stringify(refusals),
    JSON.stringify(adjusted),
    state,
  ],
});

/** Changes the state of an import of this server, and releases it. `reason`: why it ended early. */
export const endState = (
  database: Database,
  id: string,
  runner: string,
  to: ImportState,
  reason: string | null = null,
): Promise<unknown> =>
  database.query({
    text: "update ninefold.import set state = $3, said = $4, runner = null, changed_at = now() where id = $1 and runner = $2",
    values: [id, runner, to, reason],
  });

/** A heartbeat, for work that only commits at the end. */
export const recordHeartbeat = async (
  database: Database,
  id: string,
  runner: string,
  part: number,
): Promise<{ readonly cancelled: boolean } | undefined> => {
  const [row] = await database.query({
    name: "import beat",
    text: "update ninefold.import set changed_at = now(), part = $3 where id = $1 and runner = $2 returning cancelled",
    values: [id, runner, part],
  });
  return row === undefined ? undefined : { cancelled: row.cancelled === true };
};

/** Keeps one notification per person and clause of those that an import caused. */
export const mergeNotificationsQuery = (id: string): Query => ({
  name: "import notifications",
  text: `delete from ninefold.notification n using ninefold.notification first
         where n.import = $1 and first.import = $1 and first.person = n.person and first.clause = n.clause and first.id < n.id`,
  values: [id],
});

/** Audit lines that are written in the transaction will name the import. */
export const nameImportQuery = (id: string): Query => ({
  name: "import name",
  text: "select set_config('ninefold.import', $1, true)",
  values: [id],
});
