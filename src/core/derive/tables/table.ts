import type { SeriesPart } from "../../field/sequence.ts";
import type { Sql } from "../../sql.ts";

/**
 * The target definition of a table: readable names and real constraints, each with its clause. Retired tables and columns
 * are stored in this form, so the members of a table and its parts keep their names.
 */
export interface Table {
  readonly name: string;
  readonly clause: string;
  readonly columns: readonly Column[];
  readonly checks: readonly Check[];
  readonly indexes: readonly Index[];
  readonly exclusions: readonly Exclusion[];
  /** For a link table: the field whose references it contains. */
  readonly links?: Links;
  /** For derived rows: how Postgres maintains them. */
  readonly rowMaintenance?: RowMaintenance;
}

export interface Column {
  readonly name: string;
  /** As in `format_type`: `timestamp(3) with time zone`. */
  readonly type: string;
  readonly required: boolean;
  /** The table that a reference refers to. */
  readonly references: string | null;
  /** Only in migrations: the table that the elements of a list refer to. */
  readonly listReferences?: string;
  /** SQL text of the value for existing rows when the column is added; null for none. */
  readonly initial: string | null;
  /** SQL expression of a generated column; absent for other columns. */
  readonly generated?: string;
  /** Only for an existing table: the trigger function that computes a generated column in place of Postgres. */
  readonly byTrigger?: string;
  /** `on delete cascade`; absent for `on delete no action`. */
  readonly goesWith?: true;
  /** Only for an existing table: a foreign key checked after each statement that should be deferred to commit. */
  readonly hasty?: true;
  /** SQL text that computes the value of existing rows, possibly from other tables. */
  readonly filled?: string;
  /** SQL text of the value for existing rows without one, used when the column is added or becomes required. */
  readonly fill?: string;
  /** The value of existing rows, computed from former columns when the column is added. */
  readonly conversion?: Conversion;
  /** The counter from which new rows draw the value. */
  readonly counter?: Counter;
  /** Only for an existing table: the values were computed by the earlier version, not entered. */
  readonly wasComputed?: true;
  /** Only for an existing table: since this time, rows were written without this column. */
  readonly staleSince?: string;
  readonly clause: string;
}

/** True for the column of a value that only an act has: its clause is that of a transition and the value. */
export const isOfAct = ({ clause }: Pick<Column, "clause">): boolean => /^4\.[^.]+\.[^.]+\.[^.]+$/u.test(clause);

/** A sequence in `ninefold.sequence`. */
export interface Counter {
  readonly key: string;
  /** The text around the number, and the time zone of its days; null for a column of whole numbers. */
  readonly text: { readonly parts: readonly SeriesPart[]; readonly timezone: string } | null;
}

/** A value computed from former columns. The slot `was.pages` has the value of the former column `pages`. */
export interface Conversion {
  readonly former: readonly FormerColumn[];
  readonly value: Sql;
  /** True for rows that get no value because the expression is `null` for them. */
  readonly isEmptied: Sql;
  /** True if the document defines how to compute the value; otherwise it follows from the types. */
  readonly isDeclared: boolean;
}

/** A column as an earlier version had it. */
export interface FormerColumn {
  readonly name: string;
  readonly type: string;
  readonly references: string | null;
}

export interface Check {
  readonly name: string;
  readonly condition: string;
  /** The values of a choice or state, by which a migration recognizes a wider list. */
  readonly values: readonly string[] | null;
  /** Bounds of a type are not reported in the migration's description; conditions of the document are. */
  readonly of: "type" | "document";
  readonly clause: string;
}

export interface Index {
  readonly name: string;
  readonly on: string;
  readonly unique: boolean;
  /**
   * A unique constraint on plain columns is deferrable, so that rows can swap values within a statement or transaction.
   */
  readonly waits?: true;
  /** An index needed only for speed: it is built concurrently, apart from the migration. */
  readonly later?: true;
  /** For a unique index, a query with one row per duplicate value. */
  readonly twice?: string;
  /** For a unique index, a query for the ids of the records with such values. */
  readonly alike?: string;
  readonly clause: string;
}

/** An exclusion constraint: `exclude using gist (…)`. */
export interface Exclusion {
  readonly name: string;
  readonly definition: string;
  /** Its condition, which ends the definition; absent if it holds for all rows, and for an existing table. */
  readonly among?: string;
  /** Set if the constraint forbids equal rows instead of overlapping ones. */
  readonly same?: true;
  /** A query for the ids of the records that it would refuse. */
  readonly alike?: string;
  readonly clause: string;
}

/**
 * The link table of a field with several references. The references are stored in an array, in order; Postgres
 * maintains one row per element for the index by referenced record and for the foreign key, neither of which arrays
 * support.
 */
export interface Links {
  /** The table and column of the array. */
  readonly of: string;
  readonly column: string;
}

export interface RowMaintenance {
  /** Trigger functions; dropping them drops their triggers. */
  readonly functions: readonly string[];
  /** SQL statements that create functions, triggers and, with the last one, rows. */
  readonly run: readonly string[];
  /**
   * Only for a target definition: for each source table, the statement that writes the rows derived from some of its
   * rows, whose ids are `$1`. `into` is the name in it of the table to write.
   */
  readonly sources?: readonly { readonly table: string; readonly follows: string }[];
  readonly into?: string;
  /** If the hash differs, everything is recreated. */
  readonly hash: string;
}
