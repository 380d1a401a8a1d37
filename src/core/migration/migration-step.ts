import type { Table } from "../derive/tables/table.ts";
import { messageText } from "../i18n/languages.ts";
import type { Message } from "../i18n/message.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../sql.ts";
import type { ChangeJson, Misfits, MissingClause } from "../wire/authoring/document.ts";

/**
 * A step of a migration. Steps that need no mention say nothing. `unless` counts rows that would violate the
 * change; any such row refuses it.
 */
export interface MigrationStep {
  readonly message: Message | null;
  readonly run: string;
  /** The message if Postgres refuses the step because of existing rows. */
  readonly refusable?: RefusedChange;
  readonly unless?: {
    readonly clause: string;
    readonly count: string;
    readonly message: (rows: number) => Message;
    /** The rows that do not fit, if a query can name them. */
    readonly misfits?: MisfitRows;
    readonly missing?: MissingClause;
  };
  /** For a step that writes records: a query for their number, run just before the step, and the message. */
  readonly writes?: { readonly count: string; readonly message: (rows: number) => Message | null };
  /** The work of the step in phases, for a table with many records; absent if the step is short or cannot be divided. */
  readonly online?: Online;
}

/** A change that does not fit stored data. It is never made by a start. */
export interface RefusedChange {
  readonly clause: string;
  /** English. */
  readonly says: string;
  /** Absent for a fault of the database. */
  readonly message?: Message;
  readonly misfits?: Misfits;
  readonly missing?: MissingClause;
}

/**
 * A step in phases, so that nobody waits for it. Everything before the switch is invisible to servers that run the
 * earlier version. All texts are SQL.
 */
export interface Online {
  /** The table in the schema `app`. */
  readonly table: string;
  /** Adds an object that only this job knows. */
  readonly expand?: string;
  /** True if adding it reads the whole table under a lock that everybody waits for. */
  readonly scans?: true;
  readonly backfill?: Backfill;
  /** Built concurrently under a name of its own. */
  readonly index?: { readonly name: string; readonly build: string };
  /** Condition of rows that prevent the step. */
  readonly unfit?: string;
  /** True if writes of other tables can make a row unfit. */
  readonly readsOthers?: true;
  /** Replaces `run` once the work before it is done. */
  readonly switch: string;
  /** True if it reads columns under the names that they have before the switch. */
  readonly readsFormer?: true;
  /** Statements for after the switch, each a transaction of its own. */
  readonly retire?: readonly string[];
  /** The column of the table that another one takes the place of at the switch; later steps mean that one. */
  readonly replaces?: string;
  /** Steps with one group are all divided, or all made whole. */
  readonly group?: string;
}

/** New values of a column, as expressions over the live table. */
export interface InPlace {
  readonly value: Sql;
  /** Condition of the rows to write; by default those with a value. */
  readonly where?: Sql;
  /** Condition of rows whose former values are kept for going back. */
  readonly keeps?: Sql | undefined;
  /** Condition of rows that prevent the change. */
  readonly unfit?: Sql;
  /** Statements for after the switch. */
  readonly retire?: readonly string[];
}

/** Adds the work in phases to a step that writes values of a column without changing its type. */
export type ReplaceInPlace = (step: MigrationStep, how: InPlace) => readonly MigrationStep[];

/** New values of existing rows, written in batches. */
export interface Backfill {
  /** The clause of the field. */
  readonly clause: string;
  readonly column: string;
  readonly value: string;
  /** Condition of the rows to write. */
  readonly where: string;
  /** Condition of rows that people wrote meanwhile. */
  readonly again: string;
  /** A statement that follows each batch, with the ids of its rows as `$1`. */
  readonly after?: string;
  /** Rows of other tables that follow from the chosen ones, with their ids as `$1`, in place of the column. */
  readonly follows?: string;
  /** The version for which the replaced values are kept; null for a column that is new. */
  readonly former: number | null;
  /**
   * When the values are written: at once by default; after those that they are derived from; after all others, because
   * they can refuse writes of people.
   */
  readonly turn?: "derived" | "last";
  /** The column and the rows whose values are kept, if they are not those that are written. */
  readonly keeps?: { readonly column: string; readonly where: string };
}

/** Records of one entity, as SQL: the first of them by id. */
export interface MisfitRows {
  /** The name in the new version. */
  readonly entity: string;
  readonly ids: string;
}

/** A reason with its English text. */
export const refuseChange = (
  clause: string,
  message: Message,
  more: Pick<RefusedChange, "misfits" | "missing"> = {},
): RefusedChange & { readonly message: Message } => ({ clause, says: messageText(message), message, ...more });

/** The effect of a change on stored data in a language; faults of the database stay in English. */
export const toChangeJson = (
  { messages, refused }: { readonly messages: readonly Message[]; readonly refused: readonly RefusedChange[] },
  language = "en",
): ChangeJson => ({
  steps: messages.map((one) => messageText(one, language)),
  refused: refused.map(({ clause, says, message, ...more }) => ({
    clause,
    says: message === undefined ? says : messageText(message, language),
    ...more,
  })),
});

/** Number of records that a refusal names. */
const NAMED = 20;

/** The rows of a table that meet a condition. */
export const misfitRows = (table: Pick<Table, "name" | "clause">, condition: Sql): MisfitRows => ({
  entity: table.clause.split(".")[1] ?? table.clause,
  ids: definitionText(
    sql`select "id" from "app".${identifier(table.name)} where ${condition} order by "id" limit ${constant(NAMED)}`,
  ),
});
