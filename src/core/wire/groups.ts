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
