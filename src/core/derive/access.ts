import {
  type Action,
  ADMINISTRATOR,
  type Clause,
  type Entity,
  type Field,
  type Model,
  type Permission,
  type Screen,
  type Transition,
} from "../model/model.ts";
import { withArticle, wordsOf } from "../model/words.ts";
import type { Expr } from "../rule/expr.ts";

/** Who asks, as far as permissions look: what of a person is decided before any record is read. */
export interface Person {
  /** Null when nobody is signed in. */
  readonly id: string | null;
  /** The roles that an administrator granted. */
  readonly granted: ReadonlySet<string>;
}

export const nobody: Person = { id: null, granted: new Set() };

export const isAdministrator = (person: Person): boolean => person.granted.has(ADMINISTRATOR);

/**
 * One way in: a clause that allows an action to this person on the records for which all its conditions hold.
 * Without conditions it allows every record. Alternatives are united, never merged, so that each keeps its clause.
 */
export interface Gate {
  readonly clause: string;
  readonly conditions: readonly Expr[];
  /** `null`: every field. */
  readonly fields: ReadonlySet<string> | null;
}

/** What decides where the document does not: the default's code stands in the clause's place. */
const BY_DEFAULT = "ADMINISTRATORS_ONLY";

/** Whether a person holds a role everywhere. */
export const holdsRole = (model: Model, role: string, person: Person): boolean => {
  if (role === ADMINISTRATOR) return isAdministrator(person);
  const members = model.roles.get(role)?.members;
  if (members === "anyone") return true;
  if (members === "signed in") return person.id !== null;
  return members === "granted" && person.granted.has(role);
};

/** Whether a screen is for this person. It says nothing of the records: those have gates of their own. */
export const seesScreen = (model: Model, screen: Screen, person: Person): boolean =>
  screen.for === null || screen.for.some((role) => holdsRole(model, role, person));

/** A role becomes a gate, or none when the person does not hold it; one held record by record becomes its condition. */
const gateOf = (model: Model, entity: Entity, role: string, person: Person): readonly Expr[] | undefined => {
  const held = entity.roles.get(role);
  if (held !== undefined) return [held.condition];
  return holdsRole(model, role, person) ? [] : undefined;
};

const permissionGate = (model: Model, permission: Permission, person: Person): readonly Gate[] => {
  const { clause, role, held, when, fields } = permission;
  if (held === null && !holdsRole(model, role, person)) return [];
  const conditions = [...(held === null ? [] : [held]), ...(when === null ? [] : [when])];
  return [{ clause: clause.id, conditions, fields }];
};

/** The gates of an action that are open to this person before any record is read. None: denied. */
export const gatesOf = (model: Model, entity: Entity, action: Action, person: Person): readonly Gate[] => {
  if (entity.permissions === null)
    return isAdministrator(person) ? [{ clause: BY_DEFAULT, conditions: [], fields: null }] : [];
  return entity.permissions.actions[action].flatMap((permission) => permissionGate(model, permission, person));
};

export const transitionGatesOf = (
  model: Model,
  entity: Entity,
  transition: Transition,
  person: Person,
): readonly Gate[] => {
  const roles = transition.by ?? [ADMINISTRATOR];
  return roles.flatMap((role) => {
    const conditions = gateOf(model, entity, role, person);
    const only = transition.conditions.get(role);
    if (conditions === undefined) return [];
    return [
      {
        clause: transition.clause.id,
        conditions: only === undefined ? conditions : [...conditions, only],
        fields: null,
      },
    ];
  });
};

/** What a denial cites: the clauses of the action, those of the entity, or the default in force. */
export const deciderOf = (entity: Entity, action: Action): string => {
  if (entity.permissions === null) return BY_DEFAULT;
  const first: Clause | undefined = entity.permissions.actions[action][0]?.clause;
  return first?.id ?? entity.permissions.clause.id;
};

/** Whether the gates let every record through. */
export const isOpen = (gates: readonly Gate[]): boolean => gates.some((gate) => gate.conditions.length === 0);

/** The fields that some gate shows or takes; which of them on which record is asked record by record. */
export const fieldsThrough = (entity: Entity, gates: readonly Gate[]): ReadonlySet<string> => {
  const fields = new Set<string>();
  for (const gate of gates) for (const field of gate.fields ?? entity.fields.keys()) fields.add(field);
  return fields;
};

/** The fields that a person may read or give on some record. Of any other, not even the name is told. */
export const fieldsKnownTo = (model: Model, entity: Entity, person: Person): ReadonlySet<string> =>
  new Set(
    (["read", "create", "update"] as const).flatMap((action) => [
      ...fieldsThrough(entity, gatesOf(model, entity, action, person)),
    ]),
  );

/** The fields of an entity that a person reads on some record; none where they read no record. */
export const readableOf = (model: Model, name: string, person: Person): ReadonlySet<string> => {
  const entity = model.entities.get(name);
  return entity === undefined ? new Set() : fieldsThrough(entity, gatesOf(model, entity, "read", person));
};

/** Whether no person may ever write the field: the state, what the program sets, and what is computed. */
export const isAutomatic = (entity: Entity, name: string): boolean => {
  const field = entity.fields.get(name);
  return (
    field === undefined ||
    field.type === "state" ||
    field.type === "sequence" ||
    field.set !== null ||
    field.held.as !== "column"
  );
};

/** The fields that some gate takes and that a person may ever write. */
export const writableThrough = (entity: Entity, gates: readonly Gate[]): ReadonlySet<string> =>
  new Set([...fieldsThrough(entity, gates)].filter((name) => !isAutomatic(entity, name)));

/** Whether the program draws the value where nobody gives one: a number, a word for addresses, a place. */
export const isDrawn = (field: Field | undefined): boolean =>
  field?.type === "sequence" || field?.type === "slug" || field?.type === "position";

/** "keeper", "member or keeper", "administrators": roles in the document's words. */
export const rolesThat = (roles: readonly string[] | null): string => {
  if (roles === null) return "administrators";
  const unique = [...new Set(roles)];
  const last = unique.pop();
  if (last === undefined) return "nobody";
  return unique.length === 0 ? last : `${unique.join(", ")} or ${last}`;
};

/** The roles that a document names for an action; null where it says nothing of the entity and the default decides. */
const rolesFor = (entity: Entity, action: Action): readonly string[] | null =>
  entity.permissions?.actions[action].map((permission) => permission.role) ?? null;

const doing: { readonly [A in Action]: string } = {
  read: "be seen",
  create: "be made",
  update: "be changed",
  delete: "be deleted",
};

/** Who may, in a sentence: "A loan can be changed by member alone, and not every one of them." */
export const whoMay = (entity: Entity, action: Action): string => {
  const roles = rolesFor(entity, action);
  const subject = capital(withArticle(wordsOf(entity.name)));
  if (roles?.length === 0) return `${subject} can ${doing[action]} by nobody.`;
  const narrowed = entity.permissions?.actions[action].some(
    (permission) => permission.when !== null || permission.held !== null,
  );
  return `${subject} can ${doing[action]} by ${rolesThat(roles)} alone${narrowed === true ? ", and only where the clause holds" : ""}.`;
};

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
