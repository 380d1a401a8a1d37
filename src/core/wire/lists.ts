/** Pages of a list, and saved views. */

import type { RecordJson } from "./records.ts";

export interface ListJson {
  readonly items: readonly RecordJson[];
  /** Pass as `after` to get the next page; null on the last. */
  readonly next: string | null;
  /**
   * Exact up to 10,000, then "10,000+". Present if requested with `count=true`, unless counting what a search finds takes
   * too long. With `count=exact`, always a number.
   */
  readonly count?: Count;
  /** An estimate beside "10,000+", for readers who see every record of the entity, of a list without conditions. */
  readonly about?: number;
}

/** Exact up to 10,000. */
export type Count = number | "10,000+";

/** `GET /_/views`: the user's own views and shared ones. */
export interface ViewsJson {
  readonly items: readonly ViewJson[];
}

export interface ViewJson {
  readonly id: string;
  /** Path of the list's screen. */
  readonly screen: string;
  readonly title: string;
  /** The query string of the list. */
  readonly query: string;
  readonly shared: boolean;
  /** True if the user can delete it. */
  readonly own: boolean;
}
