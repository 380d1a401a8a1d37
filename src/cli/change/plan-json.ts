import { findLikelyRenames } from "../../core/change/likely-renames.ts";
import type { PlanJson } from "../../core/change/plan.ts";
import { findLinePlaces, placeClauses } from "./clause-places.ts";
import type { VersionRead } from "./planned-version.ts";

/** The plan as `--json` prints it: with the lines of its clauses and the likely renames, as the text has them. */
export const toPrintedPlan = (plan: PlanJson, before: VersionRead, after: VersionRead): object => {
  const [was, is] = [placeClauses(before), placeClauses(after)];
  return {
    ...plan,
    behaviour: plan.behaviour.map((line) => ({ ...line, places: findLinePlaces(line, was, is) })),
    renames: findLikelyRenames(before.model, after.model).map(({ span: _, ...rename }) => rename),
  };
};
