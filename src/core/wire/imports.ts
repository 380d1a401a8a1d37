/** An import: the rows of a file that become records of one entity. */

export type ImportState = "mapping" | "checking" | "checked" | "running" | "done" | "undoing" | "undone";

/** The settings of one column. */
export interface ImportColumnSettings {
  /** The field that it fills; null if it is not imported. */
  readonly field: string | null;
  /** The order of its dates, if the values alone do not show it. */
  readonly days?: "dmy" | "mdy" | "ymd" | null;
  /** The sign before decimals, if the values alone do not show it. */
  readonly decimal?: "." | "," | null;
}

/** Settings of an import, chosen by a person or a program. */
export interface ImportSettings {
  readonly columns: readonly ImportColumnSettings[];
  /** The fields that identify an existing record to change; if empty, each row adds a record. */
  readonly match: readonly string[];
  /** `fitting`: refused rows are left out. `all`: all rows or none. */
  readonly mode: "fitting" | "all";
  /** The record into whose list of parts the rows go, with the reference to it. It is set when the file is sent. */
  readonly parent?: { readonly field: string; readonly id: string };
}

export interface ImportColumn {
  readonly header: string;
  /** The first distinct values. */
  readonly samples: readonly string[];
  /** Number of rows with a value. */
  readonly filled: number;
  /** `ask`: its dates fit two orders. `mixed`: no order fits all of them. */
  readonly days: "dmy" | "mdy" | "ymd" | "ask" | "mixed" | null;
  /** `null`: no number has a separator, or a workbook has them as numbers, which can be read in one way only. */
  readonly decimal: "." | "," | "ask" | "mixed" | null;
}

/** A file of a ZIP file that a cell names: its id, or why it was not stored. */
export type ImportedFile =
  | { readonly id: string; readonly fault?: undefined }
  | { readonly fault: "several" | "too large" | "unreadable" };

/** Rows that are refused for the same reason. */
export interface ImportRefusals {
  readonly code: string;
  readonly clause: string | null;
  /** The field, if the refusal is about one. */
  readonly field: string | null;
  /** The message for the first of these rows. */
  readonly message: string;
  /** True if the values in the message differ from row to row. */
  readonly differs: boolean;
  readonly count: number;
  /** Row numbers as in the file. */
  readonly rows: readonly number[];
  /** The first distinct texts of the cells. */
  readonly values: readonly string[];
}

/** Cells of a field that were changed to fit it. `rounded`: to its decimals. `without time`: a date, without the time of day. */
export interface ImportAdjustments {
  readonly field: string;
  readonly kind: "rounded" | "without time";
  readonly count: number;
  /** Row numbers as in the file. */
  readonly rows: readonly number[];
  /** The first distinct cells, each with the value that it became. */
  readonly examples: readonly { readonly from: string; readonly to: string }[];
}

export interface ImportJson {
  readonly id: string;
  readonly entity: string;
  readonly file: string;
  readonly state: ImportState;
  readonly made_at: string;
  /** Number of rows in the file, and number that have been processed in this state. */
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
    /** False if it only identifies records: its column has no effect unless rows are matched by it. */
    readonly fills: boolean;
  }[];
  /** Indexes of the columns for which a person must choose a format before the rows can be checked. */
  readonly questions: readonly number[];
  /** Sentences about cells that were left out. */
  readonly remarks: readonly string[];
  readonly refusals: readonly ImportRefusals[];
  /** The changed cells of rows that were not refused, each with a sentence. */
  readonly adjustments: readonly (ImportAdjustments & { readonly message: string })[];
  /** Why it is waiting; null if it is not. */
  readonly waits: string | null;
  /** Why this person cannot undo it, as a sentence with its clause; null if they can. */
  readonly undoRefused: { readonly clause: string; readonly because: string } | null;
}

/** `GET /api/loans/import`: the newest imports of a person into one entity. */
export interface ImportsJson {
  readonly items: readonly (Pick<
    ImportJson,
    "id" | "file" | "state" | "made_at" | "rows" | "added" | "updated" | "refused"
  > &
    Pick<ImportSettings, "parent">)[];
}
