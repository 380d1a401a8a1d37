/** Screens as shown to one person. */

export type ScreenJson = ListScreenJson | RecordScreenJson | FormScreenJson | TilesScreenJson | LetterScreenJson;

export interface ListScreenJson {
  readonly kind: "list";
  /** `/loans` */
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
  readonly columns: readonly string[];
  readonly filters: readonly string[];
  /** `-due_day` sorts in descending order. */
  readonly sort: readonly string[];
  /** The fields by which the table is grouped at first, as in `grouped` of an address; absent without any. */
  readonly group?: readonly string[];
  /** Clause id to pass as `where` to apply the list's condition; null if it has none. */
  readonly where: string | null;
  /** Never empty; the first is the default. */
  readonly layouts: readonly LayoutJson[];
  /** Maximum number of rows per call. */
  readonly atOnce: number;
  /** Rows come with capabilities, because it depends on the record how many people must make a transition. */
  readonly capabilities?: true;
}

export type LayoutJson =
  | { readonly kind: "table" }
  /** One column per value of a state or choice. */
  | { readonly kind: "board"; readonly field: string }
  /** Dates or times. Without `to`, each record is on one day. */
  | { readonly kind: "calendar"; readonly from: string; readonly to: string | null }
  | ({ readonly kind: "pivot" } & PivotFieldsJson);

/**
 * The fields of a pivot: its rows and its columns (`day` by month, `quarter_of(day)`, `year_of(day)`), and the one that is
 * added up; null to count the records.
 */
export interface PivotFieldsJson {
  readonly rows: string;
  readonly columns: string;
  readonly sum: string | null;
}

/** A dashboard. `GET /_/overview?screen=` returns the contents of its tiles. */
export interface TilesScreenJson {
  readonly kind: "tiles";
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly tiles: readonly TileJson[];
}

export type TileJson = {
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
  /** The list with the same records, filtered by this tile's condition; null if there is none. */
  readonly list: string | null;
  /** A chart, a figure or a pivot of some of its records only: the reader cannot see the others. */
  readonly partial?: true;
  /** For a role held on records: the overview says whether the reader holds it on any. */
  readonly conditional?: true;
  /** The records of a list or of a count are overdue: its condition says so. */
  readonly overdue?: true;
} & (
  | { readonly kind: "count" }
  /** `sort`: the order of its rows, if the list sorts differently. */
  | { readonly kind: "list"; readonly columns: readonly string[]; readonly sort?: readonly string[] }
  | {
      readonly kind: "chart";
      readonly chart: "columns" | "bars" | "lines" | "parts";
      readonly per: AxisJson;
      readonly value: MeasureJson;
      readonly target: TargetJson | null;
      /** The order in which its list has the same groups, if the largest sum comes first. */
      readonly sort?: readonly string[];
    }
  | ({ readonly kind: "pivot" } & PivotFieldsJson)
  | {
      readonly kind: "figure";
      readonly value: MeasureJson;
      /** The figure beside it, such as "Last month"; null if there is none. */
      readonly compare: { readonly title: string } | null;
      readonly target: TargetJson | null;
    }
);

/** A bound that a figure should keep. */
export interface TargetJson {
  readonly bound: "at least" | "at most";
  /** A number as exact text, in the unit of the figure. */
  readonly value: string;
}

/** The grouping of a chart. */
export interface AxisJson {
  /** "First day". */
  readonly label: string;
  /** Interval of date groups; null for other groups. */
  readonly step: "day" | "week" | "month" | "quarter" | "year" | null;
  /** The field, if groups are its plain values, which have labels, icons and a filter. Null for a derived value. */
  readonly field: string | null;
  /** The key by which a list has the same groups: `category`, `quarter_of(day)`. Null if no list has them. */
  readonly group: string | null;
}

/** The measure of a chart or a figure. */
export interface MeasureJson {
  /** A share is in percent. */
  readonly how: "count" | "sum" | "min" | "max" | "avg" | "share";
  /** "Days"; for a count or a share, what is counted. */
  readonly label: string;
  readonly unit: string | null;
  /** For money: `EUR`. */
  readonly currency: string | null;
}

export interface RecordScreenJson {
  readonly kind: "record";
  /** `/loans/{id}` */
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
  readonly sections: readonly SectionJson[];
  /** Set if only some records have their letters: a record requested for this screen says which it lacks. */
  readonly conditionalLetters?: true;
}

export type SectionJson =
  | {
      readonly kind: "fields";
      readonly title?: string;
      readonly fields: readonly string[];
      /** Fields shown on a condition: a record requested for this screen says which are hidden. */
      readonly conditional?: readonly string[];
    }
  /** The records of an entity whose reference `by` points to the shown record. */
  | {
      readonly kind: "list";
      readonly title: string;
      readonly entity: string;
      readonly by: string;
      readonly columns: readonly string[];
      /** If `by` is derived from another reference: what to choose when adding a record here. */
      readonly through?: ThroughJson;
      /** If they are parts of the record: how they are edited together with it. */
      readonly parts?: PartsJson;
      /** If they are comments on the record: shown as a conversation rather than a table. */
      readonly conversation?: ConversationJson;
      /** The list, if it is hidden on some records: a record requested for this screen says if it is. */
      readonly conditional?: string;
    }
  | { readonly kind: "history" };

/** The entered reference, `line`, and the field of its target that leads to the shown record, `request`. */
export interface ThroughJson {
  readonly field: string;
  readonly of: string;
}

/** The fields of a comment. */
export interface ConversationJson {
  readonly author: string;
  readonly text: string;
}

/** A letter about one record. `GET /_/letters/{id}?screen=` returns its text. */
export interface LetterScreenJson {
  readonly kind: "letter";
  /** `/orders/{id}/letter` */
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
}

export interface FormScreenJson {
  readonly kind: "form";
  /** `/loans/new` creates a record, `/loans/{id}/edit` changes one. */
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
  /** Fields of the record, and the lists of `parts`. */
  readonly fields: readonly string[];
  readonly parts?: readonly PartsJson[];
}

/** A list of parts within a form. */
export interface PartsJson {
  /** The list field: `lines`. */
  readonly field: string;
  readonly label: string;
  readonly help?: string;
  readonly clause: string;
  /** The entity of the parts, and its reference to the record. */
  readonly entity: string;
  readonly by: string;
  /** The field with their position; null if they are sorted by creation. */
  readonly place: string | null;
  readonly columns: readonly string[];
  /** Lists of parts of the parts. */
  readonly parts?: readonly PartsJson[];
}
