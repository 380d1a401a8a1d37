import { deepEqual } from "../../util/deep-equal.ts";
import { addClauseUses, createClauseUses, listClauseUses } from "./clause-cache.ts";
import type { Linking } from "./link-context.ts";

/**
 * Links a clause, or returns its result in the last version of the document. `inputs`: all that `link` reads besides the
 * clause itself and the surroundings of all clauses. A clause with a finding is linked each time.
 */
export const linkOnce = <T>(
  linking: Linking,
  clause: object,
  inputs: readonly unknown[],
  link: (linking: Linking) => T,
): T => {
  const { known } = linking.rules.clauses;
  const before = known.get(clause);
  if (before !== undefined && deepEqual(before.inputs, inputs)) {
    addClauseUses(linking, before.uses);
    return before.linked as T;
  }
  let hasFinding = false;
  const report: Linking["report"] = (found) => {
    hasFinding = true;
    linking.report(found);
  };
  const own = createClauseUses();
  const linked = link({ ...linking, ...own, report });
  const uses = listClauseUses(own);
  addClauseUses(linking, uses);
  if (!hasFinding && own.unsettled.size === 0) known.set(clause, { inputs, linked, uses });
  return linked;
};
