import { every, not, some } from "../../expression/boolean-exprs.ts";
import { finding } from "../../findings.ts";
import type { Precondition } from "../../model/effect.ts";
import type { States } from "../../model/entity.ts";
import type { Linking } from "../linking/link-context.ts";
import { linkRule } from "./link-rule.ts";
import { type EntityRule, ruleClause } from "./rule.ts";

export type Preconditions = ReadonlyMap<string, readonly Precondition[]>;

/** States whose transitions have the preconditions of point 5 in their guards. */
export const withPreconditions = (states: States | undefined, found: Preconditions | undefined): States | undefined =>
  states === undefined || found === undefined
    ? states
    : {
        ...states,
        transitions: new Map(
          [...states.transitions].map(([name, transition]) => {
            const preconditions = [...transition.preconditions, ...(found.get(name) ?? [])];
            const all = [
              ...(transition.guard === null ? [] : [transition.guard]),
              ...preconditions.map(({ holds }) => holds),
            ];
            return [name, { ...transition, guardAndPreconditions: every(all) ?? null, preconditions }];
          }),
        ),
      };

/** A rule with `before`: it is checked like a guard, on the record as it is before a transition. */
export const linkPrecondition = (written: EntityRule, linking: Linking): Precondition | undefined => {
  const { syntax, entity } = written;
  for (const key of ["during", "always"] as const)
    if (key in syntax.keys)
      linking.report(
        finding(
          "BAD_VALUE",
          syntax.keys[key] ?? syntax.span,
          `“before” and “${key}” exclude each other.`,
          `Remove “${key}”, or write two rules.`,
          { clause: ruleClause(written).id },
        ),
      );
  if (syntax.discloses?.value === true)
    for (const { value } of syntax.before ?? []) linking.disclosed.add(`4.${entity}.${value}`);
  const rule = linkRule(written, linking).at(-1);
  if (rule === undefined) return undefined;
  const { clause, error, message: template } = rule;
  return {
    clause,
    holds: rule.when === null ? rule.rule : (some([not(rule.when), rule.rule]) ?? rule.rule),
    error,
    message: template,
  };
};
