import { type Expr, mapParts } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { isAssigned } from "../../field/kinds.ts";
import { isSequence } from "../../field/sequence.ts";
import type { Clause } from "../../model/clause.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import {
  type Action,
  ADMINISTRATOR,
  type HeldRole,
  type Role,
  STANDS_IN,
  toDeputyRole,
} from "../../model/permissions.ts";
import type { Screen, Tile } from "../../model/screen.ts";
import { createDecider } from "../../satisfiability/satisfiability.ts";
import type { Span } from "../../source-text.ts";
import { conjunction, isNotSeedRecord } from "./exclude-seed-records.ts";

/** The caller of a request: the properties of a person that are known before any record is read. */
export interface Principal {
  /** Null for an anonymous caller. */
  readonly id: string | null;
  /** The name of a person who is signed in, if it is known to be current. */
  readonly name?: string;
  /** The roles granted by an administrator. */
  readonly granted: ReadonlySet<string>;
  /** Stands for several people, such as those in a channel: permissions that depend on the person do not apply. */
  readonly isGroup?: true;
}

export const anonymousPrincipal: Principal = { id: null, granted: new Set() };

export const isAdministrator = (person: Principal): boolean => person.granted.has(ADMINISTRATOR);

/**
 * A grant: a clause that allows an action on the records that meet all its conditions. Without conditions it covers
 * every record. Alternative grants stay separate, so that each keeps its clause.
 */
export interface Grant {
  readonly clause: string;
  readonly conditions: readonly Expr[];
  /** `null` stands for all fields. */
  readonly fields: ReadonlySet<string> | null;
  /** For a grant to deputies: the people whom the caller represents. */
  readonly represented?: Expr;
}

/** Replaces the clause where a default decides because the document is silent. */
const BY_DEFAULT = "ADMINISTRATORS_ONLY";

/** True if the caller holds a global role. */
export const holdsRole = (model: Model, role: string, person: Principal): boolean =>
  isHeldBy(role, model.roles.get(role)?.members, person);

/** True if the caller holds a global role with these members. */
export const isHeldBy = (role: string, members: Role["members"] | undefined, person: Principal): boolean => {
  if (role === ADMINISTRATOR) return isAdministrator(person);
  if (members === "anyone") return true;
  if (members === "signed in") return person.id !== null;
  // The session of a deputy has the role among those that are granted.
  return (members === "granted" || members === "deputies") && person.granted.has(role);
};

/**
 * True if the caller belongs to the audience of a screen or tile because of the roles that they have everywhere. Access to
 * its records depends on their grants.
 */
export const seesScreen = (model: Model, screen: Pick<Screen, "for">, person: Principal): boolean =>
  screen.for === null || screen.for.some((role) => holdsRole(model, role, person));

/**
 * A permission rule: a clause that allows something to a role, for any caller. Grants, explanations of refusals and the
 * table of permissions are all derived from these rules.
 */
export interface PermissionRule {
  readonly clause: string;
  /** Its place in the text; absent for transitions and defaults. All permissions of an action share their id. */
  readonly span?: Span;
  readonly role: string;
  /** The condition under which the role is held on the record; null for a global role. */
  readonly roleCondition: Expr | null;
  /** A further condition on the record. */
  readonly when: Expr | null;
  /** `null` stands for all fields. */
  readonly fields: ReadonlySet<string> | null;
}

const byDefault = (clause: string): readonly PermissionRule[] => [
  { clause, role: ADMINISTRATOR, roleCondition: null, when: null, fields: null },
];

/** The permission rules of an action, in document order. Nobody writes derived rows. */
export const permissionRulesFor = (entity: Entity, action: Action): readonly PermissionRule[] => {
  if (entity.rows !== null && action !== "read") return [];
  const declared =
    entity.permissions?.actions[action].map(({ clause, role, roleCondition, when, fields }) => ({
      clause: clause.id,
      span: clause.span,
      role,
      roleCondition,
      when,
      fields,
    })) ?? byDefault(BY_DEFAULT);
  return entity.records.size === 0 || action === "read" || action === "create"
    ? declared
    : declared.flatMap((rule) => withoutSeedRecords(entity, action, rule));
};

/** Nobody deletes a seed record or changes the values that the document defines for it. */
const withoutSeedRecords = (
  entity: Entity,
  action: "update" | "delete",
  permissionRule: PermissionRule,
): readonly PermissionRule[] => {
  const own = isNotSeedRecord(entity);
  const when = permissionRule.when === null ? own : conjunction(permissionRule.when, own);
  if (action === "delete") return [{ ...permissionRule, when }];
  const seedFields = new Set([...entity.records.values()].flatMap(({ values }) => [...values.keys()]));
  const open = new Set([...(permissionRule.fields ?? entity.fields.keys())].filter((field) => !seedFields.has(field)));
  return [{ ...permissionRule, when }, ...(open.size === 0 ? [] : [{ ...permissionRule, fields: open }])];
};

/** The permission rules of a transition, in document order. */
export const transitionRulesFor = (entity: Entity, transition: Transition): readonly PermissionRule[] =>
  transition.by?.map((role) => ({
    clause: transition.clause.id,
    role,
    roleCondition: entity.roles.get(role)?.condition ?? null,
    when: transition.conditions.get(role) ?? null,
    fields: null,
  })) ?? byDefault(transition.clause.id);

/**
 * The roles held on records by which the caller can see a tile, if they hold one on a record that they can read. None if the
 * records do not matter: the tile is for a role that the caller has everywhere, or for nobody like the caller.
 */
export const audienceOnRecords = (
  model: Model,
  tile: Pick<Tile, "entity" | "for">,
  person: Principal,
): readonly HeldRole[] =>
  seesScreen(model, tile, person)
    ? []
    : [...(model.entities.get(tile.entity)?.roles.values() ?? [])].filter(
        ({ name, condition }) =>
          tile.for?.some((role) => name === role || (model.deputies?.roles.has(role) && name === toDeputyRole(role))) &&
          mayApply(model, { role: name, roleCondition: condition, when: null }, person),
      );

/** True if the caller belongs to the audience of a tile, or does so on some records. */
export const mightSeeTile = (model: Model, tile: Pick<Tile, "entity" | "for">, person: Principal): boolean =>
  seesScreen(model, tile, person) || audienceOnRecords(model, tile, person).length > 0;

/** True if deputies have the role. Its condition reads the day, so other callers skip it. */
const isDeputies = ({ deputies }: Model, role: string): boolean =>
  deputies !== null && [...deputies.roles].some((other) => toDeputyRole(other) === role);

/** True if the rule can apply to the caller, as far as known without a record. */
export const mayApply = (
  model: Model,
  { role, roleCondition, when }: Pick<PermissionRule, "role" | "roleCondition" | "when">,
  person: Principal,
): boolean => {
  const conditions = [roleCondition, when].filter((condition) => condition !== null);
  if (person.isGroup && conditions.some((condition) => collectReadSet(condition).user)) return false;
  if (roleCondition === null) return holdsRole(model, role, person);
  if (isDeputies(model, role)) return person.granted.has(STANDS_IN);
  return person.id !== null || conditions.every((condition) => mayHoldForNobody(model, condition));
};

/**
 * True if a rule is for everybody with a role and the caller has that role. If such a caller is refused, the reason is
 * not the role but the record.
 */
export const holdsPermittedRole = (model: Model, rules: readonly PermissionRule[], person: Principal): boolean =>
  rules.some((rule) => rule.roleCondition === null && mayApply(model, rule, person));

/** True if the condition can hold for an anonymous caller, whom no reference names. */
const mayHoldForNobody = (model: Model, condition: Expr): boolean => {
  const known = ofNobody.get(condition) ?? createDecider(model.entities).canHold(withoutUser(condition));
  ofNobody.set(condition, known);
  return known;
};

/** Evaluates comparisons with `user` for an anonymous caller, who equals no stored user and has no properties. */
export const withoutUser = (expr: Expr): Expr => {
  const plain = { kind: "constant", type: expr.type, span: expr.span, missing: false } as const;
  if (expr.kind === "call" && expr.args.some(({ kind }) => kind === "user")) {
    if (expr.row === "same == same" || expr.row === "same in [same]") return { ...plain, value: false };
    if (expr.row === "same != same") return { ...plain, value: true };
  }
  if (expr.kind === "field" && expr.of.kind === "user") {
    if (expr.type.kind === "boolean") return { ...plain, value: false };
    if (expr.type.kind !== "list") return { ...plain, value: null, missing: true };
  }
  return mapParts(expr, withoutUser);
};

const ofNobody = new WeakMap<Expr, boolean>();

const applicableGrants = (
  model: Model,
  entity: Entity,
  permissionRules: readonly PermissionRule[],
  person: Principal,
): readonly Grant[] =>
  permissionRules
    .filter((permissionRule) => mayApply(model, permissionRule, person))
    .map(({ clause, role, roleCondition, when, fields }) => {
      const represented = (entity.roles.get(role) ?? model.roles.get(role))?.represented;
      return {
        clause,
        conditions: [roleCondition, when].filter((condition) => condition !== null),
        fields,
        ...(represented === undefined ? {} : { represented }),
      };
    });

/** The grants of an action for the caller, without looking at a record. An empty result means denied. */
export const grantsFor = (model: Model, entity: Entity, action: Action, person: Principal): readonly Grant[] =>
  applicableGrants(model, entity, permissionRulesFor(entity, action), person);

export const transitionGrantsFor = (
  model: Model,
  entity: Entity,
  transition: Transition,
  person: Principal,
): readonly Grant[] => applicableGrants(model, entity, transitionRulesFor(entity, transition), person);

/** The clause that a denial cites: of the action, of the entity, or the default in force. */
export const decidingClauseId = (entity: Entity, action: Action): string => {
  if (entity.rows !== null && action !== "read") return entity.rows.clause.id;
  if (entity.permissions === null) return BY_DEFAULT;
  const first: Clause | undefined = entity.permissions.actions[action][0]?.clause;
  return first?.id ?? entity.permissions.clause.id;
};

/** True if the grants cover every record. */
export const isUnconditional = (grants: readonly Grant[]): boolean =>
  grants.some((grant) => grant.conditions.length === 0);

/** True if these read grants show the field on every record that they cover. */
export const showsOnAll = (grants: readonly Grant[], field: string): boolean => {
  const showing = grants.filter(({ fields }) => fields === null || fields.has(field));
  return showing.length === grants.length || isUnconditional(showing);
};

/** Fields that at least one grant covers; the statement decides for each record. */
export const grantedFields = (entity: Entity, grants: readonly Grant[]): ReadonlySet<string> => {
  const fields = new Set<string>();
  for (const grant of grants) for (const field of grant.fields ?? entity.fields.keys()) fields.add(field);
  return fields;
};

/** Fields that the caller can read or set on some record. The names of all others are not disclosed. */
export const knowableFields = (model: Model, entity: Entity, person: Principal): ReadonlySet<string> =>
  new Set(
    (["read", "create", "update"] as const).flatMap((action) => [
      ...grantedFields(entity, grantsFor(model, entity, action, person)),
    ]),
  );

/** Fields that the caller can ever set: on creation, by an update, or as input of a transition. */
export const writableFieldsFor = (model: Model, entity: Entity, person: Principal): ReadonlySet<string> =>
  new Set([
    ...(["create", "update"] as const).flatMap((action) => [
      ...writableFields(entity, grantsFor(model, entity, action, person)),
    ]),
    ...[...(entity.states?.transitions.values() ?? [])].flatMap((transition) =>
      transitionGrantsFor(model, entity, transition, person).length === 0 ? [] : transition.asks,
    ),
  ]);

/** Fields of an entity that the caller reads on some record; empty without read permission. */
export const readableFieldsFor = (model: Model, name: string, person: Principal): ReadonlySet<string> => {
  const entity = model.entities.get(name);
  return entity === undefined ? new Set() : grantedFields(entity, grantsFor(model, entity, "read", person));
};

/** True for fields that no caller sets: the state, and generated and computed values. */
export const isAutomatic = (entity: Entity, name: string): boolean => {
  const field = entity.fields.get(name);
  return (
    field === undefined ||
    field.type === "state" ||
    isSequence(field.type) ||
    field.set !== null ||
    entity.rows !== null ||
    field.storage.as !== "column"
  );
};

/** Fields that at least one grant covers and that a caller can set. */
export const writableFields = (entity: Entity, grants: readonly Grant[]): ReadonlySet<string> =>
  new Set([...grantedFields(entity, grants)].filter((name) => !isAutomatic(entity, name)));

/** True for types whose value is generated if absent: sequence, slug and position. */
export const isGenerated = (field: Field | undefined): boolean => field !== undefined && isAssigned(field.type);
