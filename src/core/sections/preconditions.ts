import type { Scalar } from "../document/tree.ts";
import { every, not, some } from "../expression/boolean-exprs.ts";
import type { Scope } from "../expression/values/type.ts";
import { finding } from "../findings.ts";
import type { Precondition } from "../model/effect.ts";
import type { States } from "../model/entity.ts";
import { linkRule } from "./link-rule.ts";
import type { Linking } from "./linking/link-context.ts";
import type { RuleSyntax } from "./rule.ts";

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
            return [name, { ...transition, when: every(all) ?? null, preconditions }];
          }),
        ),
      };

/** A rule with `before`: it is checked like a guard, on the record as it is before a transition. */
export const linkPrecondition = (
  syntax: RuleSyntax,
  entity: string,
  message: Scalar | undefined,
  scope: Scope,
  linking: Linking,
): Precondition | undefined => {
  for (const key of ["during", "always"] as const)
    if (key in syntax.keys)
      linking.report(
        finding(
          "BAD_VALUE",
          syntax.keys[key] ?? syntax.span,
          `“before” and “${key}” exclude each other.`,
          `Remove “${key}”, or write two rules.`,
          { clause: `5.${entity}.${syntax.name?.value ?? syntax.else.value}` },
        ),
      );
  if (syntax.discloses?.value === true)
    for (const { value } of syntax.before ?? []) linking.disclosed.add(`4.${entity}.${value}`);
  const rule = linkRule(syntax, entity, message, scope, linking).at(-1);
  if (rule === undefined) return undefined;
  const { clause, error, message: template } = rule;
  return {
    clause,
    holds: rule.when === null ? rule.rule : (some([not(rule.when), rule.rule]) ?? rule.rule),
    error,
    message: template,
  };
};
