import type { Template } from "../expression/compile/template.ts";
import type { Expr } from "../expression/expr.ts";
import type { Clause } from "./clause.ts";
import type { Schedule } from "./facts/schedule.ts";

interface ScreenBase {
  readonly path: string;
  readonly title: string;
  readonly clause: Clause;
  /** The roles that see the screen; null: everybody who can read its content. */
  readonly for: readonly string[] | null;
}

/** A screen that is sent by mail: when, and to the active people who have one of these roles, with their own rows. */
export interface Send {
  readonly every: Schedule;
  readonly to: readonly string[];
  /** The format in which all rows of a list are attached. */
  readonly attaches: "csv" | null;
  /** True if it is also sent to people for whom it shows nothing. */
  readonly sendsEmpty: boolean;
}

export interface ListScreen extends ScreenBase {
  readonly kind: "list";
  readonly entity: string;
  readonly columns: readonly string[];
  readonly filters: readonly string[];
  readonly sort: readonly string[];
  /** The fields by which its rows are grouped at first, outermost first; of a date by month, or as in `quarter_of(day)`. */
  readonly group: readonly string[];
  /** The condition on its records, evaluated for the reader; null: every record. */
  readonly where: Expr | null;
  /** Never empty; the first is the default. */
  readonly layouts: readonly Layout[];
  readonly send?: Send;
}

export interface RecordScreen extends ScreenBase {
  readonly kind: "record";
  readonly entity: string;
  readonly sections: readonly Section[];
}

export interface FormScreen extends ScreenBase {
  readonly kind: "form";
  readonly entity: string;
  /** Fields of the record, and lists of its parts. */
  readonly fields: readonly string[];
  /** The columns of a list of parts, if the document names them. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
}

export interface TilesScreen extends ScreenBase {
  readonly kind: "tiles";
  readonly tiles: readonly Tile[];
  readonly send?: Send;
}

/** A text about one record, as a page and as a file to print or to send. */
export interface LetterScreen extends ScreenBase {
  readonly kind: "letter";
  readonly entity: string;
  /** The condition under which a record has the letter, evaluated for the reader; null: always. */
  readonly where: Expr | null;
  readonly text: readonly LetterPart[];
}

export type LetterPart =
  /** The message is the text as written, by which it is translated. */
  | { readonly kind: "paragraph" | "heading"; readonly text: Template; readonly message: string }
  /** A list of the record: its parts, or other records that refer to it. */
  | {
      readonly kind: "table";
      readonly field: string;
      readonly columns: readonly LetterColumn[];
      /** The condition on its rows, evaluated for the reader; null: every row. */
      readonly where: Expr | null;
      /** As written: `-day`. Empty for the order of the parts, or of creation. */
      readonly sort: readonly string[];
    };

/** A field of the parts as a column. The values of a column with a total are added up below it. */
export interface LetterColumn {
  readonly field: string;
  readonly value: Expr;
  readonly hasTotal: boolean;
}

export type Screen = ListScreen | RecordScreen | FormScreen | TilesScreen | LetterScreen;

/** The layout of a list: a board has one column per value of a field; a calendar shows days; a pivot has only figures. */
export type Layout =
  | { readonly kind: "table" }
  | { readonly kind: "board"; readonly field: string }
  | { readonly kind: "calendar"; readonly from: string; readonly to: string | null }
  | ({ readonly kind: "pivot" } & Pivot);

/** Records by two fields: a row for each value of one, a column for each value of the other; for dates, each period. */
export interface Pivot {
  readonly rows: string;
  readonly columns: string;
  /** The field that is added up; null to count the records. */
  readonly sum: string | null;
}

/** A tile of a dashboard. It counts, shows or sums up only records that its reader can see. */
export type Tile = {
  readonly title: string;
  readonly clause: Clause;
  readonly entity: string;
  readonly where: Expr | null;
  /**
   * The roles that see the tile, also those held on records of its entity; null: everybody who sees the screen and can
   * read its content.
   */
  readonly for: readonly string[] | null;
} & (
  | { readonly kind: "count" }
  | { readonly kind: "list"; readonly columns: readonly string[]; readonly sort: readonly string[] }
  | {
      readonly kind: "chart";
      readonly chart: ChartKind;
      readonly per: Expr;
      /** `-value`, or nothing for the declared order of choices and states. */
      readonly sort: readonly string[];
      readonly value: Aggregate;
      readonly target: Target | null;
    }
  | ({ readonly kind: "pivot" } & Pivot)
  | {
      readonly kind: "figure";
      readonly value: Aggregate;
      /** Other records, such as those of last month, whose figure is shown beside it. */
      readonly compare: { readonly title: string; readonly where: Expr | null } | null;
      readonly target: Target | null;
    }
);

/** A bound that a figure should keep: a number, or a constant of point 9, in the unit of the figure. */
export interface Target {
  readonly bound: (typeof targetBounds)[number];
  readonly value: Expr & { readonly kind: "constant" };
}

export const targetBounds = ["at least", "at most"] as const;

export const chartKinds = ["columns", "bars", "lines", "parts"] as const;
export type ChartKind = (typeof chartKinds)[number];

export const aggregates = ["count", "sum", "min", "max", "avg", "share"] as const;

/**
 * The value of a group or a figure: the number of records, an aggregate of an expression, or the share of the records that
 * meet a condition, in percent.
 */
export interface Aggregate {
  readonly how: (typeof aggregates)[number];
  /** Null for a count. */
  readonly of: Expr | null;
}

export type Section =
  | {
      readonly kind: "fields";
      readonly title: string | null;
      readonly fields: readonly string[];
      /** The fields shown on a condition. */
      readonly when: ReadonlyMap<string, Expr>;
    }
  /** The records of a field that is the inverse of a reference. */
  | { readonly kind: "list"; readonly title: string | null; readonly field: string }
  | { readonly kind: "history" };
