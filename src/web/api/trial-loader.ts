import { MOST_TRIED, type TransitionRefusalJson, type TransitionTrialJson } from "../../core/wire/records.ts";
import { gatherCalls } from "./gather-calls.ts";

/** The transitions of a record that would be refused now; `of` is its entity. */
export type TrialOf = (of: string, record: string) => Promise<readonly TransitionRefusalJson[]>;

/** Batches the records of an entity on a page into one call. */
export const createTrials = (
  ask: (of: string, records: readonly string[]) => Promise<TransitionTrialJson>,
): TrialOf => {
  const byEntity = new Map<string, (record: string) => Promise<TransitionTrialJson>>();
  const getGatherer = (of: string) => {
    const gatherer = byEntity.get(of) ?? gatherCalls((records) => ask(of, records), MOST_TRIED);
    byEntity.set(of, gatherer);
    return gatherer;
  };
  return async (of, record) => (await getGatherer(of)(record)).items.filter((item) => item.record === record);
};
