import { conventionalFor } from "../derive/http/routes.ts";
import { finding } from "../findings.ts";
import type { Analyzer } from "./analyzer.ts";

/** Reports custom endpoints that replace conventional calls which the screens continue to use. */
export const findOverriddenRoutes: Analyzer = ({ model }) => {
  if (model.screens.length === 0 && !model.defaults.includes("SCREENS_OF_ENTITIES")) return [];
  return model.calls.flatMap((call) => {
    const route = conventionalFor(model, call);
    return route === undefined
      ? []
      : [
          finding(
            "SCREENS_CALL_IT",
            call.clause.span,
            `The screens of ${route.entity} also use ${call.method} ${call.path}, but they don’t expect what this call takes and returns.`,
            "Give this call another path, or give all calls a base of their own, such as “base: /v1”.",
            { clause: call.clause.id },
          ),
        ];
  });
};
