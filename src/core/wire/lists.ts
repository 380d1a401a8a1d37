/** Pages of a list, and a list as somebody likes to look at it. */

import type { RecordJson } from "./records.ts";

export interface ListJson {
  readonly items: readonly RecordJson[];
  /** Hand back as `after` for the next page; null at the end. */
  readonly next: string | null;
  /** Exact up to 10,000; "10,000+" beyond. Present when asked for with `count=true`. */
  readonly count?: Count;
}

/** Exact up to 10,000. */
export type Count = number | "10,000+";

/** `GET /_/views`: one's own, and those that others share. */
export interface ViewsJson {
  readonly items: readonly ViewJson[];
}

export interface ViewJson {
  readonly id: string;
  /** The path of its list. */
  readonly screen: string;
  readonly title: string;
  /** What follows the question mark of the list's address. */
  readonly query: string;
  readonly shared: boolean;
  /** Whether one may take it away. */
  readonly own: boolean;
}
