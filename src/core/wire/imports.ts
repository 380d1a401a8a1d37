/** An import: the rows of a file that become records of one entity. */

export type ImportState = "mapping" | "checking" | "checked" | "running" | "done" | "undoing" | "undone";

/** How one column is read. */
export interface ImportColumnSettings {
  /** The field that it fills; null: it is left out. */
  readonly field: string | null;
  /** The order of its dates, if the values alone do not show it. */
  readonly days?: "dmy" | "mdy" | "ymd" | null;
  /** The sign before decimals, if the values alone do not show it. */
  readonly decimal?: "." | "," | null;
}

/** Answers about a file, which a person or a program gives. */
export interface ImportSettings {
  readonly columns: readonly ImportColumnSettings[];
  /** The fields by which a row finds the record that it changes; without any, each row adds a record. */
  readonly match: readonly string[];
  /** `fitting`: rows that are refused are left out. `all`: all rows or none. */
  readonly mode: "fitting" | "all";
}

export interface ImportColumn {
  readonly header: string;
  /** The first different values. */
  readonly samples: readonly string[];
  /** Number of rows with a value. */
  readonly filled: number;
  /** `ask`: its dates fit two orders. `mixed`: they fit none. */
  readonly days: "dmy" | "mdy" | "ymd" | "ask" | "mixed" | null;
  readonly decimal: "." | "," | "ask" | "mixed" | null;
}

/** Rows that are refused for one reason. */
export interface ImportRefusals {
  readonly code: string;
  readonly clause: string | null;
  /** The field, if it is about one. */
  readonly field: string | null;
  /** The sentence of the first of these rows. */
  readonly message: string;
  /** True if the values in the sentence differ from row to row. */
  readonly differs: boolean;
  readonly count: number;
  /** Numbers of the first rows, as the file counts them. */
  readonly rows: readonly number[];
  /** The first different texts in the cells. */
  readonly values: readonly string[];
}

export interface ImportJson {
  readonly id: string;
  readonly entity: string;
  readonly file: string;
  readonly state: ImportState;
  readonly made_at: string;
  /** Number of rows in the file, and of those that are done in this state. */
  readonly rows: number;
  readonly done: number;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  /** True if it was cancelled before the last row. */
  readonly cancelled: boolean;
  readonly columns: readonly ImportColumn[];
  readonly settings: ImportSettings;
  /** The fields that a column can fill. */
  readonly fields: readonly {
    readonly name: string;
    readonly title: string;
    readonly type: string;
    readonly required: boolean;
    /** True if records can be found by it. */
    readonly matches: boolean;
  }[];
  /** Positions of the columns about which a person has to decide before the rows can be checked. */
  readonly questions: readonly number[];
  /** Sentences about cells that were left out. */
  readonly remarks: readonly string[];
  readonly refusals: readonly ImportRefusals[];
  /** The reason for which it waits; null if it does not. */
  readonly waits: string | null;
}

/** `GET /api/loans/import`: the newest imports of a person into one entity. */
export interface ImportsJson {
  readonly items: readonly Pick<
    ImportJson,
    "id" | "file" | "state" | "made_at" | "rows" | "added" | "updated" | "refused"
  >[];
}
