/** `GET /_/groups/things`: the records of a list by one or two fields, with counts and sums of what the caller can read. */
export interface GroupsJson extends FiguresJson {
  readonly groups: readonly GroupedJson[];
  /** True if there are more groups than the response has; it has the largest ones. */
  readonly more: boolean;
}

export interface FiguresJson {
  readonly count: number;
  /** Sums by field, as exact numbers without a currency. */
  readonly sums: { readonly [field: string]: string };
}

export interface GroupedJson extends FiguresJson {
  /** A value of the field, or the first day of a month; null for records without a value. */
  readonly key: string | boolean | null;
  /** The label of a reference. */
  readonly label?: string;
  /** The groups by the second field. */
  readonly groups?: readonly GroupedJson[];
}

/** `GET /_/pivot/things`: the records of a list by two fields, with counts and sums of what the caller can read. */
export interface PivotJson extends FiguresJson {
  readonly rows: readonly PivotLineJson[];
  readonly columns: readonly PivotLineJson[];
  /** The figures by row and column; null if there are no such records. */
  readonly cells: readonly (readonly (FiguresJson | null)[])[];
}

/** A row or a column of a pivot, with its total. */
export interface PivotLineJson extends GroupedJson {
  /** The number of values that the last line stands for, because the pivot has no lines of their own for them. */
  readonly others?: number;
}
