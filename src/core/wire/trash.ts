import type { Problem } from "./problems.ts";

/** A deleted record that the caller can restore. */
export interface TrashedJson {
  readonly id: string;
  readonly entity: string;
  readonly label: string;
  /** The time of the deletion. */
  readonly at: string;
  /** The person who deleted it; absent if their name must not be disclosed. */
  readonly person?: { readonly id: string; readonly label: string } | null;
  /** The number of parts that are restored with it. */
  readonly parts: number;
}

/** `GET /_/trash`: newest first. */
export interface TrashJson {
  readonly items: readonly TrashedJson[];
  readonly next: string | null;
}

/**
 * `GET /_/deletion`: why the deletion of each record would be refused; null if it would not. The deletions succeed one
 * after another in this order: a record comes after those that use it.
 */
export interface DeletionTrialJson {
  readonly items: readonly { readonly id: string; readonly refused: Problem | null }[];
}
