import { type Expr, withParts } from "../../expression/expr.ts";
import {
  type Action,
  ADMINISTRATOR,
  type Clause,
  type Entity,
  type Field,
  type Model,
  type Screen,
  type Transition,
} from "../../model/model.ts";
import { decidingOver } from "../../satisfiability/satisfiability.ts";
import { allOf, isNotSeedRecord } from "./exclude-seed-records.ts";

/** Who asks, as far as permissions look: what of a person is decided before any record is read. */
export interface Principal {
  /** Null when nobody is signed in. */
  readonly id: string | null;
  /** The roles that an administrator granted. */
  readonly granted: ReadonlySet<string>;
}

export const anonymousPrincipal: Principal = { id: null, granted: new Set() };

export const isAdministrator = (person: Principal): boolean => person.granted.has(ADMINISTRATOR);

/**
 * One way in: a clause that allows an action to this person on the records for which all its conditions hold.
 * Without conditions it allows every record. Alternatives are united, never merged, so that each keeps its clause.
 */
export interface Grant {
  readonly clause: string;
  readonly conditions: readonly Expr[];
  /** `null`: every field. */
  readonly fields: ReadonlySet<string> | null;
}

/** What decides where the document does not: the default's code stands in the clause's place. */
const BY_DEFAULT = "ADMINISTRATORS_ONLY";

/** Whether a person holds a role everywhere. */
export const holdsRole = (model: Model, role: string, person: Principal): boolean => {
  if (role === ADMINISTRATOR) return isAdministrator(person);
  const members = model.roles.get(role)?.members;
  if (members === "anyone") return true;
  if (members === "signed in") return person.id !== null;
  return members === "granted" && person.granted.has(role);
};

/** Whether a screen is for this person. It says nothing of the records: those have gates of their own. */
export const seesScreen = (model: Model, screen: Screen, person: Principal): boolean =>
  screen.for === null || screen.for.some((role) => holdsRole(model, role, person));

/**
 * One clause that allows something to a role, whoever holds it. What opens gates, what explains a refusal and what a table
 * of who may what shows are all read from these.
 */
export interface PermissionRule {
  readonly clause: string;
  readonly role: string;
  /** The condition under which the role is held on the record; null for one that is held everywhere. */
  readonly held: Expr | null;
  /** What has to hold on the record besides. */
  readonly when: Expr | null;
  /** `null`: every field. */
  readonly fields: ReadonlySet<string> | null;
}

const byDefault = (clause: string): readonly PermissionRule[] => [
  { clause, role: ADMINISTRATOR, held: null, when: null, fields: null },
];

/** Who may do something with records of an entity, in the document's order. Rows that exist because of others, nobody writes. */
export const permissionRulesFor = (entity: Entity, action: Action): readonly PermissionRule[] => {
  if (entity.rows !== null && action !== "read") return [];
  const said =
    entity.permissions?.actions[action].map(({ clause, role, held, when, fields }) => ({
      clause: clause.id,
      role,
      held,
      when,
      fields,
    })) ?? byDefault(BY_DEFAULT);
  return entity.records.size === 0 || action === "read" || action === "create"
    ? said
    : said.flatMap((one) => withoutSeedRecords(entity, action, one));
};

/** A record that the document keeps is deleted by nobody, and what the document says of such records is changed by nobody. */
const withoutSeedRecords = (
  entity: Entity,
  action: "update" | "delete",
  permissionRule: PermissionRule,
): readonly PermissionRule[] => {
  const own = isNotSeedRecord(entity);
  const when = permissionRule.when === null ? own : allOf(permissionRule.when, own);
  if (action === "delete") return [{ ...permissionRule, when }];
  const said = new Set([...entity.records.values()].flatMap(({ values }) => [...values.keys()]));
  const open = new Set([...(permissionRule.fields ?? entity.fields.keys())].filter((field) => !said.has(field)));
  return [{ ...permissionRule, when }, ...(open.size === 0 ? [] : [{ ...permissionRule, fields: open }])];
};

/** Who may make a transition, in the document's order. */
export const transitionRulesFor = (entity: Entity, transition: Transition): readonly PermissionRule[] =>
  transition.by?.map((role) => ({
    clause: transition.clause.id,
    role,
    held: entity.roles.get(role)?.condition ?? null,
    when: transition.conditions.get(role) ?? null,
    fields: null,
  })) ?? byDefault(transition.clause.id);

/** Whether a person may come through, as far as that is known before any record is read. */
export const mayApply = (model: Model, { role, held, when }: PermissionRule, person: Principal): boolean =>
  held === null
    ? holdsRole(model, role, person)
    : person.id !== null || [held, when].every((condition) => condition === null || mayHoldForNobody(model, condition));

/** Whether a condition can hold where nobody is signed in: nobody owns what is somebody's. */
const mayHoldForNobody = (model: Model, condition: Expr): boolean => {
  const known = ofNobody.get(condition) ?? decidingOver(model.entities).canHold(withoutUser(condition));
  ofNobody.set(condition, known);
  return known;
};

/** Who is not signed in is a person that no field holds and of whom nothing is known. */
const withoutUser = (expr: Expr): Expr => {
  const plain = { kind: "constant", type: expr.type, span: expr.span, missing: false } as const;
  if (expr.kind === "call" && expr.args.some(({ kind }) => kind === "user")) {
    if (expr.row === "same == same" || expr.row === "same in [same]") return { ...plain, value: false };
    if (expr.row === "same != same") return { ...plain, value: true };
  }
  if (expr.kind === "field" && expr.of.kind === "user") {
    if (expr.type.kind === "boolean") return { ...plain, value: false };
    if (expr.type.kind !== "list") return { ...plain, value: null, missing: true };
  }
  return withParts(expr, withoutUser);
};

const ofNobody = new WeakMap<Expr, boolean>();

const applicableGrants = (
  model: Model,
  permissionRules: readonly PermissionRule[],
  person: Principal,
): readonly Grant[] =>
  permissionRules
    .filter((permissionRule) => mayApply(model, permissionRule, person))
    .map(({ clause, held, when, fields }) => ({
      clause,
      conditions: [held, when].filter((condition) => condition !== null),
      fields,
    }));

/** The gates of an action that are open to this person before any record is read. None: denied. */
export const grantsFor = (model: Model, entity: Entity, action: Action, person: Principal): readonly Grant[] =>
  applicableGrants(model, permissionRulesFor(entity, action), person);

export const transitionGrantsFor = (
  model: Model,
  entity: Entity,
  transition: Transition,
  person: Principal,
): readonly Grant[] => applicableGrants(model, transitionRulesFor(entity, transition), person);

/** What a denial cites: the clauses of the action, those of the entity, or the default in force. */
export const decidingClauseId = (entity: Entity, action: Action): string => {
  if (entity.rows !== null && action !== "read") return entity.rows.clause.id;
  if (entity.permissions === null) return BY_DEFAULT;
  const first: Clause | undefined = entity.permissions.actions[action][0]?.clause;
  return first?.id ?? entity.permissions.clause.id;
};

/** Whether the gates let every record through. */
export const isUnconditional = (grants: readonly Grant[]): boolean =>
  grants.some((grant) => grant.conditions.length === 0);

/** The fields that some gate shows or takes; which of them on which record is asked record by record. */
export const grantedFields = (entity: Entity, grants: readonly Grant[]): ReadonlySet<string> => {
  const fields = new Set<string>();
  for (const grant of grants) for (const field of grant.fields ?? entity.fields.keys()) fields.add(field);
  return fields;
};

/** The fields that a person may read or give on some record. Of any other, not even the name is told. */
export const knowableFields = (model: Model, entity: Entity, person: Principal): ReadonlySet<string> =>
  new Set(
    (["read", "create", "update"] as const).flatMap((action) => [
      ...grantedFields(entity, grantsFor(model, entity, action, person)),
    ]),
  );

/** The fields that a person may ever give: with a record that they make, with a change of one, or where a transition asks. */
export const writableFieldsFor = (model: Model, entity: Entity, person: Principal): ReadonlySet<string> =>
  new Set([
    ...(["create", "update"] as const).flatMap((action) => [
      ...writableFields(entity, grantsFor(model, entity, action, person)),
    ]),
    ...[...(entity.states?.transitions.values() ?? [])].flatMap((transition) =>
      transitionGrantsFor(model, entity, transition, person).length === 0 ? [] : transition.asks,
    ),
  ]);

/** The fields of an entity that a person reads on some record; none where they read no record. */
export const readableFieldsFor = (model: Model, name: string, person: Principal): ReadonlySet<string> => {
  const entity = model.entities.get(name);
  return entity === undefined ? new Set() : grantedFields(entity, grantsFor(model, entity, "read", person));
};

/** Whether no person may ever write the field: the state, what the program sets, and what is computed. */
export const isAutomatic = (entity: Entity, name: string): boolean => {
  const field = entity.fields.get(name);
  return (
    field === undefined ||
    field.type === "state" ||
    field.type === "sequence" ||
    field.set !== null ||
    entity.rows !== null ||
    field.held.as !== "column"
  );
};

/** The fields that some gate takes and that a person may ever write. */
export const writableFields = (entity: Entity, grants: readonly Grant[]): ReadonlySet<string> =>
  new Set([...grantedFields(entity, grants)].filter((name) => !isAutomatic(entity, name)));

/** Whether the program draws the value where nobody gives one: a number, a word for addresses, a place. */
export const isGenerated = (field: Field | undefined): boolean =>
  field?.type === "sequence" || field?.type === "slug" || field?.type === "position";
