/** Screens as they are drawn for one person. */

export type ScreenJson = ListScreenJson | RecordScreenJson | FormScreenJson | TilesScreenJson;

export interface ListScreenJson {
  readonly kind: "list";
  /** `/loans` */
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
  readonly columns: readonly string[];
  readonly filters: readonly string[];
  /** `-due_day` sorts downwards. */
  readonly sort: readonly string[];
  /** The clause to name as `where` so that the list's condition holds; null where it has none. */
  readonly where: string | null;
  /** The first is shown first; never empty. */
  readonly layouts: readonly LayoutJson[];
  /** The most rows that a call gives at once. */
  readonly atOnce: number;
}

export type LayoutJson =
  | { readonly kind: "table" }
  /** A column for each value of a state or a choice. */
  | { readonly kind: "board"; readonly field: string }
  /** Dates or datetimes; without `to` each record stands on one day. */
  | { readonly kind: "calendar"; readonly from: string; readonly to: string | null };

/** An overview: what its tiles hold is asked for with `GET /_/overview?screen=`. */
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
  /** The list that shows the same records, with this tile's condition; null where none does. */
  readonly list: string | null;
} & (
  | { readonly kind: "count" }
  | { readonly kind: "list"; readonly columns: readonly string[] }
  | {
      readonly kind: "chart";
      readonly chart: "columns" | "bars" | "lines" | "parts";
      readonly per: AxisJson;
      readonly value: MeasureJson;
    }
);

/** What a chart groups by. */
export interface AxisJson {
  /** "First day". */
  readonly label: string;
  /** How far apart two groups of dates are; null where the groups are no dates. */
  readonly step: "day" | "week" | "month" | null;
  /** The field that is grouped by as it stands: its values have words, marks and a filter. Null for what is made of one. */
  readonly field: string | null;
}

/** What a chart shows of each group. */
export interface MeasureJson {
  readonly how: "count" | "sum" | "min" | "max" | "avg";
  /** "Days"; for a count what is counted. */
  readonly label: string;
  readonly unit: string | null;
  /** Of money: `EUR`. */
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
}

export type SectionJson =
  | {
      readonly kind: "fields";
      readonly title?: string;
      readonly fields: readonly string[];
      /** Those that are shown on a condition alone: a record asked for with this screen says which are not. */
      readonly conditional?: readonly string[];
    }
  /** The records of an entity whose reference `by` names the record that is shown. */
  | {
      readonly kind: "list";
      readonly title: string;
      readonly entity: string;
      readonly by: string;
      readonly columns: readonly string[];
      /** Where `by` follows from another reference: what is named to add one here. */
      readonly through?: ThroughJson;
      /** Where they are parts of the record: how they are edited in their place, with it. */
      readonly parts?: PartsJson;
      /** Where they are what people say about the record: drawn as such, and not as a table. */
      readonly conversation?: ConversationJson;
    }
  | { readonly kind: "history" };

/** The reference that is given, `line`, and the one of what it names that leads to the record that is shown, `request`. */
export interface ThroughJson {
  readonly field: string;
  readonly of: string;
}

/** The fields of something said. */
export interface ConversationJson {
  readonly author: string;
  readonly text: string;
}

export interface FormScreenJson {
  readonly kind: "form";
  /** `/loans/new` makes one, `/loans/{id}/edit` changes one. */
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
  /** Fields of the record, and the lists of `parts`. */
  readonly fields: readonly string[];
  readonly parts?: readonly PartsJson[];
}

/** A list of parts that a form takes. */
export interface PartsJson {
  /** The list: `lines`. */
  readonly field: string;
  readonly label: string;
  readonly help?: string;
  readonly clause: string;
  /** The entity of the parts, and its reference to the record. */
  readonly entity: string;
  readonly by: string;
  /** The field that keeps their order; null where that is the order in which they were made. */
  readonly place: string | null;
  readonly columns: readonly string[];
  /** The lists of their own parts. */
  readonly parts?: readonly PartsJson[];
}
