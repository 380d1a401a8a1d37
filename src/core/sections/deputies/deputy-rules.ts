import type { ReportFinding } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { DEPUTY } from "../../model/permissions.ts";
import { buildList, buildMapping, buildScalar, composeExpression } from "../linking/build-tree.ts";
import type { DeputiesSyntax } from "../permissions/deputies-syntax.ts";
import { type RulesSyntax, rulesShape } from "../rules/rules.ts";
import { listNamed } from "./deputy-conditions.ts";

/** Point 5: adds the rules about the period of a deputy. */
export const withDeputyRules = (
  rules: RulesSyntax | undefined,
  syntax: DeputiesSyntax,
  report: ReportFinding,
): RulesSyntax => {
  const { span } = syntax;
  const rule = (condition: Scalar, error: string) =>
    buildMapping(span, { rule: condition, else: buildScalar(error, span) });
  const tree = buildMapping(span, {
    [DEPUTY]: buildList(span, [
      rule(buildScalar("deputy != person", span), "DEPUTY_ONESELF"),
      // A message appears at the last field that its rule names.
      rule(buildScalar("first_day <= last_day", span), "DEPUTY_DATES"),
      rule(composeExpression(span, "last_day < first_day + (", syntax["up to"], ")"), "DEPUTY_TOO_LONG"),
      buildMapping(span, {
        "no overlap": buildList(span, [buildScalar("first_day", span), buildScalar("last_day", span)]),
        within: buildScalar("person", span),
        else: buildScalar("DEPUTY_TWICE", span),
      }),
    ]),
  });
  const own = listNamed(rulesShape.read(tree, report));
  const entries = listNamed(rules);
  const known = entries.map((entry) =>
    entry.name === DEPUTY ? { ...entry, value: [...own.flatMap(({ value }) => value), ...entry.value] } : entry,
  );
  return entries.some(({ name }) => name === DEPUTY) ? known : [...entries, ...own];
};
