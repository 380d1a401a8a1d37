import { conventionalFor } from "../derive/http/routes.ts";
import { finding } from "../findings.ts";
import type { Analyzer } from "./analyzer.ts";

/** Reports custom endpoints that replace conventional calls which the screens continue to use. */
export const overriddenRoutes: Analyzer = ({ model }) => {
  if (model.screens.length === 0 && !model.defaults.includes("SCREENS_OF_ENTITIES")) return [];
  return model.calls.flatMap((call) => {
    const route = conventionalFor(model, call);
    return route === undefined
      ? []
      : [
          finding(
            "SCREENS_CALL_IT",
            call.clause.span,
            `The screens of ${route.entity} call ${call.method} ${call.path} too, and are not made for what it takes and answers here.`,
            "Give it another path, or all calls a base of their own, such as “base: /v1”.",
            { clause: call.clause.id },
          ),
        ];
  });
};
