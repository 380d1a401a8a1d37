import type { Grant, Principal } from "../../derive/authorization/grants.ts";
import { every, not, some } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Entity } from "../../model/model.ts";
import type { Example } from "../../satisfiability/assignments.ts";
import type { CheckedEntity } from "../analyzer.ts";

/** What a person sees of the records for which conditions hold: some of them, as is common; none; or not one like this. */
export type Sight =
  | { readonly sees: "some" }
  | { readonly sees: "none" }
  | { readonly sees: "not all"; readonly example: Example };

const usual: Sight = { sees: "some" };

/**
 * Whether who holds a role sees the records for which conditions hold, which they can: what may not be seen is not
 * there, and nothing can be done with it. A role that has a permission to read of its own sees what that opens; one that
 * has none, and sees a record only when it happens to hold another role on it, misses some.
 */
export const sightOf = (
  { people, decide, unsettled }: CheckedEntity,
  entity: Entity,
  person: Principal,
  role: string,
  conditions: readonly Expr[],
  asJudged: (conditions: readonly Expr[]) => readonly Expr[] = (all) => all,
): Sight => {
  const isUnsettled = unsettled(`6.${entity.name}.read`) || unsettled(`6.roles.${entity.name}`);
  if (entity.permissions === null || isUnsettled) return usual;
  const grants = people.gatesOf(entity, "read", person);
  // Mostly the role that may do it may see it: nothing has to be tried.
  if (grants.some((grant) => grant.conditions.every((condition) => conditions.includes(condition)))) return usual;
  if (!grants.some((grant) => decide.canHold(...asJudged([...conditions, ...grant.conditions]))))
    return { sees: "none" };
  if (grants.some((grant) => !isOfAnother(entity, role, grant))) return usual;
  const open = some(grants.flatMap((grant) => every(grant.conditions) ?? []));
  const example = decide.exampleOf(...asJudged([...conditions, ...(open === undefined ? [] : [not(open)])]));
  return example === undefined ? usual : { sees: "not all", example };
};

/** A gate that opens to who holds another role on the record. */
const isOfAnother = (entity: Entity, role: string, { conditions }: Grant): boolean =>
  [...entity.roles.values()].some((held) => held.name !== role && held.condition === conditions[0]);
