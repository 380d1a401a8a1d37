import type { Grant, Principal } from "../../derive/authorization/grants.ts";
import { every, not, some } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Entity } from "../../model/entity.ts";
import type { Example } from "../../satisfiability/assignments.ts";
import type { CheckedEntity } from "../analyzer.ts";

/**
 * The visibility of records that meet some conditions: some are visible, as is normal; none; or not all, with an
 * example.
 */
export type RecordVisibility =
  | { readonly sees: "some" }
  | { readonly sees: "none" }
  | { readonly sees: "not all"; readonly example: Example };

const usual: RecordVisibility = { sees: "some" };

/**
 * The visibility of records, for holders of a role, under satisfiable conditions; an invisible record cannot be used. A
 * role with read permissions of its own sees the records they cover. A role without any sees only records on which its
 * holder also holds another role, and so misses some.
 */
export const analyzeRecordVisibility = (
  { people, decide, unsettled }: CheckedEntity,
  entity: Entity,
  person: Principal,
  role: string,
  conditions: readonly Expr[],
  asWritten: (conditions: readonly Expr[]) => readonly Expr[] = (all) => all,
): RecordVisibility => {
  const isUnsettled = unsettled(`6.${entity.name}.read`) || unsettled(`6.roles.${entity.name}`);
  if (entity.permissions === null || isUnsettled) return usual;
  const grants = people.grantsOf(entity, "read", person);
  // Fast path: the role that can act usually can read, which needs no solver.
  if (grants.some((grant) => grant.conditions.every((condition) => conditions.includes(condition)))) return usual;
  if (!grants.some((grant) => decide.canHold(...asWritten([...conditions, ...grant.conditions]))))
    return { sees: "none" };
  if (grants.some((grant) => !isOfAnother(entity, role, grant))) return usual;
  const open = some(grants.flatMap((grant) => every(grant.conditions) ?? []));
  const example = decide.exampleOf(...asWritten([...conditions, ...(open === undefined ? [] : [not(open)])]));
  return example === undefined ? usual : { sees: "not all", example };
};

/** True if the grant belongs to another role held on the record. */
const isOfAnother = (entity: Entity, role: string, { conditions }: Grant): boolean =>
  [...entity.roles.values()].some((heldRole) => heldRole.name !== role && heldRole.condition === conditions[0]);
