/** A table as the document wants it: readable names, real constraints, each with the clause it comes from. */
export interface Table {
  readonly name: string;
  readonly clause: string;
  readonly columns: readonly Column[];
  readonly checks: readonly Check[];
  readonly indexes: readonly Index[];
  readonly exclusions: readonly Exclusion[];
  /** Of a table of links: the column of which they are. */
  readonly links?: Links;
  /** Of rows that exist because of others: how Postgres keeps them. */
  readonly kept?: Kept;
}

export interface Column {
  readonly name: string;
  /** As `format_type` writes it: `timestamp(3) with time zone`. */
  readonly type: string;
  readonly required: boolean;
  /** The table that a reference refers to. */
  readonly references: string | null;
  /** SQL text of what existing rows get when the column is added; null where there is nothing to give. */
  readonly initial: string | null;
  /** SQL text of what Postgres computes it by; absent for a column that is written. */
  readonly generated?: string;
  /** What goes when the row that it refers to goes; absent where that row then stays. */
  readonly goesWith?: true;
  /** Of a table as it is: a reference that is looked at with every statement, where it should be with the transaction. */
  readonly hasty?: true;
  /** SQL text by which the rows that are there get their value, from others of theirs or of other tables. */
  readonly filled?: string;
  readonly clause: string;
}

export interface Check {
  readonly name: string;
  readonly condition: string;
  /** For a choice or a state: the values, so that a longer list is known to be wider. */
  readonly values: readonly string[] | null;
  /** A type's own bounds are held quietly; what the document says is told. */
  readonly of: "type" | "document";
  readonly clause: string;
}

export interface Index {
  readonly name: string;
  readonly on: string;
  readonly unique: boolean;
  /**
   * A unique one of columns alone is a constraint that waits: rows may change places in one statement, and steps of one
   * transaction too.
   */
  readonly waits?: true;
  /** Nothing is wrong without it, only slow: it is made while everybody works, and not with the change that wants it. */
  readonly later?: true;
  /** Of a unique one, a query with a row for each value that stands there more than once. */
  readonly twice?: string;
  readonly clause: string;
}

/** Rows that may not stand beside each other: `exclude using gist (…)`. */
export interface Exclusion {
  readonly name: string;
  readonly definition: string;
  /** They may not be the same, where others may not overlap. */
  readonly same?: true;
  readonly clause: string;
}

/**
 * Several references stand in an array, in their order, and Postgres keeps a row for each beside it: an index by which a
 * record that is referred to finds those that do, and the foreign key that arrays cannot have.
 */
export interface Links {
  /** The table and the column of the array. */
  readonly of: string;
  readonly column: string;
}

export interface Kept {
  /** The functions by which it does, whose triggers go with them. */
  readonly functions: readonly string[];
  /** SQL text that makes functions, triggers and rows, each statement by itself. */
  readonly run: readonly string[];
  /** What is not the same is made anew. */
  readonly hash: string;
}
