import { grantedFields, isAutomatic, isGenerated } from "../../derive/authorization/grants.ts";
import { not } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Entity } from "../../model/entity.ts";
import type { Field } from "../../model/field.ts";
import { entityWords } from "../../model/inflection.ts";
import { type Action, actions, type HeldRole, type Permission } from "../../model/permissions.ts";
import { inState } from "../../satisfiability/assume-state.ts";
import type { CheckedEntity, EntityAnalyzer } from "../analyzer.ts";
import { conditionsBy } from "../principals.ts";
import { entityWithArticle, orList, recordWords, witnessRecord } from "../witness-text.ts";
import { analyzeRecordVisibility } from "./record-visibility.ts";

/** Finds permissions and roles that never apply, are redundant, or have no effect. */
export const analyzePermissions: EntityAnalyzer = (checked, entity) => [
  ...[...entity.roles.values()].flatMap((role) => checkRole(checked, entity, role)),
  ...actions.flatMap((action) => checkAction(checked, entity, action)),
  ...required(checked, entity),
];

const checkRole = (
  { decide, unsettled }: CheckedEntity,
  entity: Entity,
  { name, clause, condition, from }: HeldRole,
) => {
  if (from !== null) return [];
  const truth = decide.truthOf(condition);
  if (truth === "sometimes" || unsettled(clause.id)) return [];
  return [
    finding(
      truth === "never" ? "NEVER_TRUE" : "ALWAYS_TRUE",
      condition.span,
      truth === "never"
        ? `This condition is never true, so no one is ${name} of ${entityWithArticle(entity)}.`
        : `This condition is always true, so everyone is ${name} of every ${entity.name}.`,
      truth === "never"
        ? "Correct or remove the role."
        : "Correct the condition, or declare a role with “members: anyone”.",
      { clause: clause.id },
    ),
  ];
};

const checkAction = (checked: CheckedEntity, entity: Entity, action: Action): readonly Finding[] => {
  const permissions = entity.permissions?.actions[action] ?? [];
  return permissions.flatMap((permission, i) => {
    // Findings about the followed permission are reported there.
    if (permission.like) return [];
    const others = permissions.filter((other, at) => !other.like && other.role === permission.role && at !== i);
    const found = [
      ...checkWhen(checked, entity, action, permission),
      ...others.flatMap((other) => findRedundant(checked, entity, permission, other, permissions.indexOf(other) < i)),
    ];
    return found.length > 0 ? found.slice(0, 1) : findUnreadableWrites(checked, entity, action, permission);
  });
};

/** On creation, conditions are evaluated in the initial state. */
const asWritten = (conditions: readonly Expr[], entity: Entity, action: Action): readonly Expr[] =>
  action === "create" ? inState(conditions, entity, entity.states?.initial ?? "") : conditions;

const checkWhen = (
  checked: CheckedEntity,
  entity: Entity,
  action: Action,
  permission: Permission,
): readonly Finding[] => {
  const { decide, unsettled } = checked;
  const { roleCondition, when, clause, role } = permission;
  const report = (code: "NEVER_TRUE" | "ALWAYS_TRUE", message: string, hint: string) => [
    finding(code, when?.span ?? clause.span, message, hint, { clause: clause.id, witness: { role } }),
  ];
  const own = asWritten(when === null ? [] : [when], entity, action);
  const truth = decide.truthOf(...own);
  if (truth === "never")
    return report(
      "NEVER_TRUE",
      "This condition is never true, so the permission has no effect.",
      "Change the condition, or remove the permission.",
    );
  const roleConditions = roleCondition === null || unsettled(`6.roles.${entity.name}.${role}`) ? [] : [roleCondition];
  // A role that nobody can hold has a finding of its own.
  const canBeHeld = roleConditions.length > 0 && decide.canHold(...roleConditions);
  if (canBeHeld && !decide.canHold(...own, ...asWritten(roleConditions, entity, action)))
    return report(
      "NEVER_TRUE",
      `This condition is never true for ${role}, so the permission has no effect.`,
      "Change the condition, or remove the permission.",
    );
  if (when !== null && truth === "always")
    return report(
      "ALWAYS_TRUE",
      "This condition is always true, so it has no effect.",
      "Correct or remove the condition.",
    );
  return [];
};

/** True if another permission of the role includes this one. Of two equal permissions, the second is redundant. */
const findRedundant = (
  checked: CheckedEntity,
  entity: Entity,
  permission: Permission,
  other: Permission,
  isBefore: boolean,
): readonly Finding[] => {
  if (!gives(checked, entity, other, permission)) return [];
  if (!isBefore && gives(checked, entity, permission, other)) return [];
  return [
    finding(
      "PERMISSION_TWICE",
      permission.clause.span,
      `Another permission already gives ${permission.role} everything that this one gives.`,
      "Remove one of them.",
      { clause: permission.clause.id, also: other.clause.span, witness: { role: permission.role } },
    ),
  ];
};

const gives = ({ decide, fieldsOf }: CheckedEntity, entity: Entity, wide: Permission, narrow: Permission): boolean => {
  const [fields, wanted] = [fieldsOf(entity.name, wide), fieldsOf(entity.name, narrow)];
  if (fields !== null && (wanted === null || [...wanted].some((field) => !fields.has(field)))) return false;
  if (wide.when === null) return true;
  return narrow.when !== null && !decide.canHold(narrow.when, not(wide.when));
};

/** Finds roles that can change or delete records without seeing them; an invisible record counts as not found. */
const findUnreadableWrites = (
  checked: CheckedEntity,
  entity: Entity,
  action: Action,
  permission: Permission,
): readonly Finding[] => {
  const { people, decide, placeIn } = checked;
  const { role, clause } = permission;
  if (action !== "update" && action !== "delete") return [];
  const conditions = conditionsBy(permission);
  // Another analyzer reports conditions that no record meets.
  if (!decide.canHold(...conditions)) return [];
  const visibility = analyzeRecordVisibility(checked, entity, people.holderBy(entity, permission), role, conditions);
  if (visibility.sees === "some") return [];
  const record = visibility.sees === "none" ? undefined : witnessRecord(visibility.example);
  return [
    finding(
      "CANNOT_SEE",
      placeIn(clause, { of: "role", entity: entity.name, name: role }),
      record === undefined
        ? `${role} can ${action} ${entityWithArticle(entity)} here, but can’t see any of them.`
        : `${role} can ${action} a record of ${entityWords(entity.name)} where ${recordWords(record)}, but can’t see it.`,
      `Let ${role} read the records that they can ${action}, or remove the permission.`,
      { clause: clause.id, witness: { role, ...(record === undefined ? {} : { record }) } },
    ),
  ];
};

/**
 * Finds required fields that nobody who can create the record can set and that have no automatic value, so that every
 * attempt fails.
 */
const required = (checked: CheckedEntity, entity: Entity): readonly Finding[] => {
  const { people, unsettled } = checked;
  const { permissions } = entity;
  if (permissions === null || permissions.actions.create.length === 0 || unsettled(`6.${entity.name}.create`))
    return [];
  const taken = new Map(
    permissions.actions.create.map((permission) => {
      const holder = people.holderBy(entity, permission);
      return [permission.role, grantedFields(entity, people.grantsOf(entity, "create", holder))] as const;
    }),
  );
  const roles = [...taken.keys()];
  const unreadable = [...entity.fields.values()].flatMap((field) => findUnreadable(checked, entity, field, taken));
  return [...entity.fields.values()]
    .flatMap((field) => {
      if (!isNeeded(field) || isAutomatic(entity, field.name) || unsettled(field.clause.id)) return [];
      const without = roles.filter((role) => taken.get(role)?.has(field.name) !== true);
      if (without.length === 0) return [];
      // Built-in fields have no position in the document.
      const { span } = field.clause.span.file === "" ? permissions.clause : field.clause;
      return [
        finding(
          "NOBODY_SETS",
          span,
          without.length === roles.length
            ? `${field.name} is required, but no one who can create ${entityWithArticle(entity)} can set it.`
            : `${field.name} is required, but ${orList(without)} can create ${entityWithArticle(entity)} and can’t set it.`,
          "Add it to the fields of “create” in point 6, give it a default, or make it optional.",
          { clause: field.clause.id, witness: { role: without[0] ?? "" } },
        ),
      ];
    })
    .concat(unreadable);
};

/**
 * Finds required references to entities that the creator cannot read. A default does not help, because a form sends it
 * like an entered value: `{ type: User, default: user }` without read permission on `User`.
 */
const findUnreadable = (
  { model, people, unsettled }: CheckedEntity,
  entity: Entity,
  { name, optional, set, default: usual, storage, ruleType, clause }: Field,
  taken: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Finding[] => {
  if (optional || set !== null || storage.as !== "column" || ruleType.kind !== "record" || unsettled(clause.id))
    return [];
  const target = model.entities.get(ruleType.entity);
  if (target === undefined || unsettled(`6.${target.name}.read`)) return [];
  const roles = (entity.permissions?.actions.create ?? []).flatMap((permission) => {
    const reads = people.grantsOf(target, "read", people.holderBy(entity, permission)).length > 0;
    return reads || taken.get(permission.role)?.has(name) !== true ? [] : [permission.role];
  });
  const without = [...new Set(roles)];
  const [first] = without;
  if (first === undefined) return [];
  const whose = orList(without);
  return [
    finding(
      "NOBODY_SETS",
      clause.span,
      usual === null
        ? `${name} is required, but ${whose} can create ${entityWithArticle(entity)} and can’t read any ${entityWords(target.name)} to choose from.`
        : `${whose} can create ${entityWithArticle(entity)}, but can’t save the form: it sends the default of ${name}, and ${whose} can’t read any ${entityWords(target.name)}.`,
      `Let ${whose} read ${target.name} in point 6, for example only its ${labelField(target)}${usual === null ? "" : `, or write “set:” instead of “default:”`}.`,
      { clause: clause.id, witness: { role: first } },
    ),
  ];
};

/** The field that likely identifies a record: its first text. */
const labelField = ({ fields }: Entity): string =>
  [...fields.values()].find(({ type }) => type === "text")?.name ?? [...fields.keys()][0] ?? "label";

const isNeeded = (field: Field): boolean =>
  !field.optional && field.set === null && field.default === null && field.type !== "boolean" && !isGenerated(field);
