import { writesNothingElse } from "../../../core/derive/consistency/read-sets.ts";
import type { EarlyChecks } from "../transaction/write-set.ts";
import type { Change } from "./change-spec.ts";
import type { Creation } from "./creation-spec.ts";

/** Checks that need no repetition at the end of the transaction. */
export const earlyChecks = ({ context: { model }, entity, sentFields, ...of }: Change | Creation): EarlyChecks => {
  const acting = "action" in of ? of : { action: "create", changed: null };
  const isAlone = !of.isStep && writesNothingElse(model, { entity, ...acting, parts: [] });
  return {
    rules: new Set(of.rules),
    affectedRules: new Set(of.affectedRules),
    measured: new Set([...sentFields, ...(isAlone ? of.bounded.map(({ name }) => name) : [])]),
    conditionalFields: new Set(isAlone ? of.conditionalFields : []),
  };
};
