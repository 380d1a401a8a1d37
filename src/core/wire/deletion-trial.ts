import type { Problem } from "./problems.ts";

/** Maximum number of records whose deletion is tried with one request. */
export const MOST_TRIED = 50;

/** `GET /_/deletion`: in the order of the request, why the deletion of each record would be refused; null if it would not. */
export interface DeletionTrialJson {
  readonly items: readonly { readonly id: string; readonly refused: Problem | null }[];
}
