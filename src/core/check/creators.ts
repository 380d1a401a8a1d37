import { withFields } from "../decide/structure.ts";
import { type Finding, finding } from "../findings.ts";
import type { Entity, Permission } from "../model/model.ts";
import { every, not, some } from "../rule/conditions.ts";
import type { Expr } from "../rule/expr.ts";
import { readsOf } from "../rule/reads.ts";
import type { CheckedEntity, EntityCheck } from "./check.ts";
import { conditionsBy } from "./people.ts";
import { one, recordOf, recordWords } from "./words.ts";

/**
 * Records that who makes them may not see, decided on the record as it is made: what the program sets, the first state,
 * what the person may give, and the rules that it has to meet. Visitors are not asked: they come to leave something.
 */
export const creators: EntityCheck = (checked, entity) => {
  const { model, unsettled } = checked;
  const { permissions } = entity;
  // It is said of one record in particular, so nothing about it may be open.
  if (permissions === null || [3, 4, 6].some((point) => unsettled(`${point}.${entity.name}`))) return [];
  if (unsettled(`6.roles.${entity.name}`)) return [];
  return permissions.actions.create.flatMap((permission) =>
    model.roles.get(permission.role)?.members === "anyone" ? [] : ofCreator(checked, entity, permission),
  );
};

const ofCreator = (
  { people, decide, placeIn }: CheckedEntity,
  entity: Entity,
  permission: Permission,
): readonly Finding[] => {
  const { role, clause } = permission;
  const given = valuesAt(entity, permission);
  if (given === undefined) return [];
  const gates = people.gatesOf(entity, "read", people.holderBy(entity, permission));
  if (gates.some(({ conditions }) => conditions.length === 0)) return [];
  const report = (message: string, witness: NonNullable<Finding["witness"]>) => [
    finding(
      "CREATOR_CANNOT_SEE",
      permission.like ? clause.span : placeIn(clause, { of: "role", entity: entity.name, name: role }),
      message,
      `Permit ${role} to read what they made, for example by a field with “set: user”.`,
      { clause: clause.id, witness: { role, ...witness } },
    ),
  ];
  const made = (...conditions: readonly Expr[]) => conditions.map((condition) => withFields(condition, given));
  const asked = conditionsBy(permission);
  const seen = some(gates.flatMap(({ conditions }) => every(conditions) ?? []));
  // A permission that opens nothing is another's finding.
  if (!decide.canHold(...made(...asked))) return [];
  if (seen === undefined) return report(`Who makes ${one(entity)} as ${role} may read none.`, {});
  const example = decide.exampleOf(...made(...asked, ...rulesFor(entity, [...asked, seen]), not(seen)));
  if (example === undefined) return [];
  const record = recordOf(example);
  return decide.canHold(...made(...asked, seen))
    ? report(`Who makes ${one(entity)} as ${role} cannot see it where ${recordWords(record)}.`, { record })
    : report(`Who makes ${one(entity)} as ${role} can never see it.`, { record });
};

/**
 * What stands in the fields of a record that is made by one permission; those that the person gives are absent.
 * Undefined where a required field would stay empty: no record is made so.
 */
const valuesAt = (entity: Entity, { fields }: Permission): ReadonlyMap<string, Expr> | undefined => {
  const values = new Map<string, Expr>();
  for (const field of entity.fields.values()) {
    const { name, ruleType, clause } = field;
    const constant = (value: string | boolean | null): Expr => ({
      kind: "constant",
      value,
      type: ruleType,
      missing: value === null,
      span: clause.span,
    });
    if (field.type === "state") values.set(name, constant(entity.states?.initial ?? null));
    else if (field.set !== null) values.set(name, field.set);
    // What it is computed as is not asked here.
    else if (field.held.as !== "column" || fields === null || fields.has(name)) continue;
    else if (field.many) continue;
    else if (field.default !== null) values.set(name, field.default);
    else if (field.type === "boolean") values.set(name, constant(false));
    else if (field.optional) values.set(name, constant(null));
    else return undefined;
  }
  return values;
};

/** The rules that a new record meets, as far as they speak of what the conditions speak of. */
const rulesFor = (entity: Entity, conditions: readonly Expr[]): readonly Expr[] => {
  const asked = new Set(conditions.flatMap((condition) => [...readsOf(condition).fields]));
  return entity.rules.flatMap(({ rule, when, during, reads }) => {
    if ((during !== null && !during.includes("create")) || !reads.some((field) => asked.has(field))) return [];
    return [when === null ? rule : (some([not(when), rule]) ?? rule)];
  });
};
