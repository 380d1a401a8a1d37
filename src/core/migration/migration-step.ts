import type { Table } from "../derive/tables/table.ts";
import { messageText } from "../i18n/languages.ts";
import type { Message } from "../i18n/message.ts";
import { definitionText, identifier, type Sql, sql } from "../sql.ts";
import type { ChangeJson, CountedRecords, MissingClause, StepRecords } from "../wire/authoring/document.ts";

/**
 * A step of a migration. `message` is null for steps that need no mention. `unless` counts rows that would violate the
 * change; if there are any, the change is refused.
 */
export interface MigrationStep {
  readonly message: Message | null;
  readonly run: string;
  /** The message if Postgres refuses the step because of existing rows. */
  readonly refusable?: RefusedChange;
  /** These rows. */
  readonly conflicts?: CountedRows;
  readonly unless?: {
    readonly clause: string;
    readonly count: string;
    readonly message: (rows: number) => Message;
    /** The rows that do not fit, if a query can name them. */
    readonly misfits?: CountedRows;
    readonly missing?: MissingClause;
  };
  /** For a step that writes records: a query for their number, run just before the step, and the message. */
  readonly writes?: {
    readonly count: string;
    /** These records, if a query can name them and the application shows them. */
    readonly rows?: CountedRows;
    readonly message: (rows: number) => Message | null;
    /** A clause that would keep the values of these records. */
    readonly missing?: MissingClause;
  };
  /** The work of the step in phases, for a table with many records; absent if the step is short or cannot be split. */
  readonly online?: Online;
}

/** A change that does not fit stored data. A start never makes it. */
export interface RefusedChange {
  readonly clause: string;
  /** English. */
  readonly says: string;
  /** Absent for a fault of the database. */
  readonly message?: Message;
  readonly misfits?: CountedRecords;
  readonly missing?: MissingClause;
}

/**
 * A step in phases, so that nobody has to wait for it. Servers that run the earlier version see none of the work before
 * the switch. All texts are SQL.
 */
export interface Online {
  /** The table in the schema `app`. */
  readonly table: string;
  /** Adds an object that only this job uses. */
  readonly expand?: string;
  /** True if adding it reads the whole table under a lock that blocks everybody. */
  readonly scans?: true;
  readonly backfill?: Backfill;
  /** An index that is built concurrently under another name. */
  readonly index?: { readonly name: string; readonly build: string };
  /** Condition of rows that prevent the step. */
  readonly unfit?: string;
  /** True if writes to other tables can make a row unfit. */
  readonly readsOthers?: true;
  /** Replaces `run` if the work before the switch is done. */
  readonly switch: string;
  /** True if it reads columns under their names before the switch. */
  readonly readsFormer?: true;
  /** Statements to run after the switch, each in its own transaction. */
  readonly retire?: readonly string[];
  /** The column that this step's column replaces at the switch; later steps mean the new one. */
  readonly replaces?: string;
  /** Steps of one group are either all done in phases or all at the switch. */
  readonly group?: string;
}

/** New values of a column, as expressions over the live table. */
export interface InPlace {
  readonly value: Sql;
  /** Condition of the rows to write; by default those with a value. */
  readonly where?: Sql;
  /** Condition of rows whose former values are stored for a restored version. */
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
  /** Condition of rows that people wrote in the meantime. */
  readonly again: string;
  /** A statement to run after each batch, with the ids of its rows as `$1`. */
  readonly after?: string;
  /** Writes the rows of other tables derived from a batch, whose ids are `$1`, instead of the column. */
  readonly follows?: string;
  /** The version for which the replaced values are stored; null for a new column. */
  readonly former: number | null;
  /**
   * When the values are written: first by default; after those that they are derived from; after all others, because
   * they can cause refusals of people's writes.
   */
  readonly turn?: "derived" | "last";
  /** The column and the rows whose values are stored, if they are not the written ones. */
  readonly keeps?: { readonly column: string; readonly where: string };
}

/** Records of one entity, as SQL. */
export interface CountedRows {
  /** The name in the new version. */
  readonly entity: string;
  /** A query for their ids. */
  readonly find: string;
  /** A query for their number, if the message has another one or none. */
  readonly count?: string;
}

/** A refusal with its English text. */
export const refuseChange = (
  clause: string,
  message: Message,
  more: Pick<RefusedChange, "misfits" | "missing"> = {},
): RefusedChange & { readonly message: Message } => ({ clause, says: messageText(message), message, ...more });

/** The effect of a change on stored data. */
export interface DataChange {
  readonly messages: readonly Message[];
  readonly records?: readonly StepRecords[];
  readonly refused: readonly RefusedChange[];
}

/** The effect of a change on stored data in a language; faults of the database stay in English. */
export const toChangeJson = ({ messages, records = [], refused }: DataChange, language = "en"): ChangeJson => ({
  steps: messages.map((message) => messageText(message, language)),
  ...(records.length === 0 ? {} : { records }),
  refused: refused.map(({ clause, says, message, ...more }) => ({
    clause,
    says: message === undefined ? says : messageText(message, language),
    ...more,
  })),
});

/** The entity of a table or column. */
export const findEntityIn = ({ clause }: { readonly clause: string }): string => clause.split(".")[1] ?? clause;

/** The rows of a table that meet a condition. */
export const countedRows = (table: Pick<Table, "name" | "clause">, condition: Sql): CountedRows => ({
  entity: findEntityIn(table),
  find: definitionText(sql`select "id" from "app".${identifier(table.name)} where ${condition}`),
});

/** The rows of a table whose ids a query finds. */
export const foundRows = (table: Pick<Table, "clause">, find: string): CountedRows => ({
  entity: findEntityIn(table),
  find,
  count: `select count(*)::int from (${find}) "found"`,
});

/** The rows of a table that a step writes. */
export const writtenRows = (
  table: Pick<Table, "name" | "clause">,
  condition: Sql,
): Required<Pick<NonNullable<MigrationStep["writes"]>, "count" | "rows">> => ({
  count: definitionText(sql`select count(*)::int from "app".${identifier(table.name)} where ${condition}`),
  rows: countedRows(table, condition),
});
