import { isGenerated, type Principal } from "../../derive/authorization/grants.ts";
import { every, exists, not, some } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet, readsItsRecord } from "../../expression/inspect/read-set.ts";
import { type ComputedFields, expandComputed } from "../../expression/rewrite/expand-computed.ts";
import { rebaseOnPath } from "../../expression/rewrite/rebase.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Entity } from "../../model/entity.ts";
import { rulesAt } from "../../model/facts/applicable-rules.ts";
import { computedExpr, type Field } from "../../model/field.ts";
import type { Permission } from "../../model/permissions.ts";
import { withFields } from "../../satisfiability/structural-key.ts";
import type { CheckedEntity, EntityAnalyzer } from "../analyzer.ts";
import { conditionsBy } from "../principals.ts";
import { entityWithArticle, recordWords, witnessRecord } from "../witness-text.ts";

/**
 * Finds records that their creators cannot read. Each is checked at creation: automatic values, the initial state,
 * fields that the creator can set, and the rules that it has to meet. Visitors are excluded, because they often submit
 * a record and leave.
 */
export const checkCreatorVisibility: EntityAnalyzer = (checked, entity) => {
  const { model, unsettled } = checked;
  const { permissions } = entity;
  // The finding gives a concrete record, so all relevant clauses must be in force.
  if (permissions === null || [3, 4, 6].some((point) => unsettled(`${point}.${entity.name}`))) return [];
  if (unsettled(`6.roles.${entity.name}`)) return [];
  return permissions.actions.create.flatMap((permission) =>
    model.roles.get(permission.role)?.members === "anyone" ? [] : checkCreator(checked, entity, permission),
  );
};

const checkCreator = (checked: CheckedEntity, entity: Entity, permission: Permission): readonly Finding[] => {
  const { people, decide, placeIn } = checked;
  const { role, clause } = permission;
  const values = findValues(checked, entity, permission);
  if (values === undefined) return [];
  const person = people.holderBy(entity, permission);
  const grants = people.grantsOf(entity, "read", person);
  if (grants.some(({ conditions }) => conditions.length === 0)) return [];
  const report = (message: string, witness: NonNullable<Finding["witness"]>) => [
    finding(
      "CREATOR_CANNOT_SEE",
      permission.like ? clause.span : placeIn(clause, { of: "role", entity: entity.name, name: role }),
      message,
      `Let ${role} read the records that they created, for example by a field with “set: user”.`,
      { clause: clause.id, witness: { role, ...witness } },
    ),
  ];
  const withFacts = (...conditions: readonly Expr[]) =>
    conditions.map((condition) => withFields(expandComputed(condition, getComputedFields(checked)), values));
  const required = conditionsBy(permission);
  const seen = some(grants.flatMap(({ conditions }) => every(conditions) ?? []));
  // Another analyzer reports a permission that never applies.
  if (!decide.canHold(...withFacts(...required))) return [];
  if (seen === undefined) return report(`${role} can create ${entityWithArticle(entity)}, but can’t read any.`, {});
  if (changesAutomatically(entity)) return [];
  const facts = [
    ...getRules(entity, [...required, seen]),
    ...getNeededConditions(entity, [...required, seen]),
    ...getReferredConditions(checked, entity, person, [...required, seen]),
  ];
  const example = decide.exampleOf(...withFacts(...required, ...facts, not(seen)));
  if (example === undefined) return [];
  const record = witnessRecord(example);
  return decide.canHold(...withFacts(...required, ...facts, seen))
    ? report(
        `${role} can create ${entityWithArticle(entity)}, but can’t read it afterwards if ${recordWords(record)}.`,
        {
          record,
        },
      )
    : report(`${role} can create ${entityWithArticle(entity)}, but can never read it afterwards.`, { record });
};

/** True if the record changes automatically after creation, so that its visibility then is not decided here. */
const changesAutomatically = ({ name, after, states }: Entity): boolean =>
  (after.get("create") ?? []).some((effect) => "entity" in effect && effect.entity === name) ||
  [...(states?.transitions.values() ?? [])].some(
    ({ once, from }) => once !== null && states !== null && from.includes(states.initial),
  );

/** The inputs of a computed field on a record that was just written. */
const getComputedFields =
  ({ model }: CheckedEntity): ComputedFields =>
  (entity, name) => {
    const field = model.entities.get(entity)?.fields.get(name);
    return field === undefined || field.storage.as === "stored" ? undefined : (computedExpr(field) ?? undefined);
  };

/**
 * The field values of a record created under a permission; fields that the person sets are absent. Undefined if a
 * required field would stay empty, so that no such record is created.
 */
const findValues = (
  checked: CheckedEntity,
  entity: Entity,
  { fields }: Permission,
): ReadonlyMap<string, Expr> | undefined => {
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
    else if (field.storage.as !== "column" || isGenerated(field) || fields === null || fields.has(name)) continue;
    else if (field.many || (field.default !== null && readsItsRecord(field.default))) continue;
    else if (field.default !== null) values.set(name, field.default);
    else if (field.type === "boolean") values.set(name, constant(false));
    else if (field.optional) values.set(name, constant(null));
    else return undefined;
  }
  const computed = [...entity.fields.values()].flatMap(({ name, storage }): readonly (readonly [string, Expr])[] =>
    storage.as === "stored"
      ? [[name, withFields(expandComputed(storage.from, getComputedFields(checked)), values)]]
      : [],
  );
  return new Map([...values, ...computed]);
};

const readBy = (conditions: readonly Expr[]): ReadonlySet<string> =>
  new Set(conditions.flatMap((condition) => [...collectReadSet(condition).fields]));

/** `!open || due != null` for `due: { type: date, required: open }`. */
const getNeededConditions = (entity: Entity, conditions: readonly Expr[]): readonly Expr[] => {
  const readNames = readBy(conditions);
  return [...entity.fields.values()].flatMap((field) => {
    if (field.needed === null || field.type === "boolean" || field.many || !readNames.has(field.name)) return [];
    return some([not(field.needed.holds), exists(ownPath(entity, field))]) ?? [];
  });
};

/** A creator can refer only to readable records: `team.head == user`. */
const getReferredConditions = (
  { model, people, unsettled }: CheckedEntity,
  entity: Entity,
  person: Principal,
  conditions: readonly Expr[],
): readonly Expr[] => {
  const readNames = readBy(conditions);
  return [...entity.fields.values()].flatMap((field) => {
    if (field.ruleType.kind !== "record" || field.storage.as !== "column" || field.set !== null) return [];
    const target = model.entities.get(field.ruleType.entity);
    if (!readNames.has(field.name) || target?.permissions == null || unsettled(`6.${target.name}.read`)) return [];
    const grants = people.grantsOf(target, "read", person);
    if (grants.some(({ conditions }) => conditions.length === 0)) return [];
    const path = ownPath(entity, field);
    const open = grants.flatMap(
      ({ conditions }) => every(conditions.map((condition) => rebaseOnPath(condition, path))) ?? [],
    );
    return some([...(field.optional ? [not(exists(path))] : []), ...open]) ?? [];
  });
};

/** A field of the current record as an expression. */
const ownPath = (entity: Entity, { name, ruleType, optional, clause: { span } }: Field): Expr => ({
  kind: "field",
  of: { kind: "this", type: { kind: "record", entity: entity.name }, missing: false, span },
  entity: { name: entity.name, table: entity.table, fields: new Map() },
  field: { name, type: ruleType, optional },
  type: ruleType,
  missing: optional,
  span,
});

/** Rules that a new record meets, limited to those that share fields with the conditions. */
const getRules = (entity: Entity, conditions: readonly Expr[]): readonly Expr[] => {
  const readNames = readBy(conditions);
  return rulesAt(entity, "create", new Set()).flatMap(({ rule, when, reads }) => {
    if (!reads.some((field) => readNames.has(field))) return [];
    return [when === null ? rule : (some([not(when), rule]) ?? rule)];
  });
};
