import {
  type Action,
  ADMINISTRATOR,
  type Entity,
  isAction,
  type Model,
  type Permission,
  type Transition,
} from "../model/model.ts";
import type { Expr } from "../rule/expr.ts";
import { readsOf } from "../rule/reads.ts";
import { fieldsThrough, gatesOf, holdsRole, isOpen, type Person } from "./access.ts";

/** What is asked about: an action on an entity's records, or one of its transitions. */
export type Doing =
  | { readonly kind: "action"; readonly action: Action }
  | { readonly kind: "transition"; readonly transition: Transition };

/** `Request.update`, `Request.submit`: undefined where the entity has no such thing. */
export const doingOf = (entity: Entity, name: string): Doing | undefined => {
  if (isAction(name)) return { kind: "action", action: name };
  const transition = entity.states?.transitions.get(name);
  return transition === undefined ? undefined : { kind: "transition", transition };
};

/**
 * One clause that allows it, or could have: a role, and what has to hold on the record besides. One open way is enough.
 */
export interface Way {
  readonly clause: string;
  readonly role: string;
  /** Whether the role is held, as far as that is known before any record is read; what the record decides is a need. */
  readonly held: boolean;
  readonly needs: readonly Need[];
  /** `null`: every field. */
  readonly fields: ReadonlySet<string> | null;
}

/** A condition on the record, as small as the document's own conjunctions let it be. */
export interface Need {
  readonly condition: Expr;
  /** Whether the person who is told may know whether it holds: everything that it reads is open to them wherever the record is. */
  readonly told: boolean;
}

/** What follows of it for everybody, whichever way is open. */
export interface Must extends Need {
  readonly clause: string;
  readonly of: "guard" | "rule";
}

export interface Considered {
  readonly ways: readonly Way[];
  /** The states from which a transition leads; null for an action. */
  readonly from: readonly string[] | null;
  readonly musts: readonly Must[];
}

const BY_DEFAULT = "ADMINISTRATORS_ONLY";

/**
 * The clauses that decide whether `person` may do it, in the document's order, each with what it needs. `reader` is who is
 * told of it.
 */
export const consideredFor = (
  model: Model,
  entity: Entity,
  doing: Doing,
  person: Person,
  reader: Person,
): Considered => {
  const need = (condition: Expr): Need => ({ condition, told: mayBeTold(model, entity, reader, condition) });
  const needs = (conditions: readonly (Expr | null)[]): readonly Need[] =>
    conditions.flatMap((one) => (one === null ? [] : conjunctsOf(one).map(need)));
  if (doing.kind === "action") {
    const permissions = entity.permissions?.actions[doing.action];
    return {
      from: null,
      musts: [],
      ways:
        permissions === undefined
          ? [wayByDefault(model, person)]
          : permissions.map((permission: Permission) => ({
              clause: permission.clause.id,
              role: permission.role,
              held: permission.held !== null || holdsRole(model, permission.role, person),
              needs: needs([permission.held, permission.when]),
              fields: permission.fields,
            })),
    };
  }
  const { transition } = doing;
  return {
    from: transition.from,
    musts: needs([transition.when]).map((one) => ({ ...one, clause: transition.clause.id, of: "guard" })),
    ways:
      transition.by === null
        ? [{ ...wayByDefault(model, person), clause: transition.clause.id }]
        : transition.by.map((role) => {
            const held = entity.roles.get(role);
            return {
              clause: transition.clause.id,
              role,
              held: held !== undefined || holdsRole(model, role, person),
              needs: needs([held?.condition ?? null]),
              fields: null,
            };
          }),
  };
};

const wayByDefault = (model: Model, person: Person): Way => ({
  clause: BY_DEFAULT,
  role: ADMINISTRATOR,
  held: holdsRole(model, ADMINISTRATOR, person),
  needs: [],
  fields: null,
});

/** `a && b && c` is three conditions, however they are bracketed. */
const conjunctsOf = (condition: Expr): readonly Expr[] =>
  condition.kind === "call" && condition.row === "boolean && boolean"
    ? condition.args.flatMap(conjunctsOf)
    : [condition];

/**
 * Whether somebody who reads the record may know whether a condition holds on it: each field that it reads is one that
 * they read, there and on every other record that it looks at.
 */
const mayBeTold = (model: Model, entity: Entity, reader: Person, condition: Expr): boolean => {
  const reads = readsOf(condition);
  if (![...reads.fields].every((field) => isShown(model, entity, reader, field))) return false;
  return reads.footprint.every((source) => {
    const other = model.entities.get(source.entity);
    if (other === undefined) return false;
    // One's own record is not somebody else's: what it says of oneself is no secret from oneself.
    return (
      isOpen(gatesOf(model, other, "read", reader)) &&
      [...source.fields].every((field) => isShown(model, other, reader, field))
    );
  });
};

/** Whether a field is shown wherever the record is. */
const isShown = (model: Model, entity: Entity, reader: Person, field: string): boolean => {
  const gates = gatesOf(model, entity, "read", reader);
  if (!entity.fields.has(field)) return true;
  if (!fieldsThrough(entity, gates).has(field)) return false;
  const showing = gates.filter((gate) => gate.fields === null || gate.fields.has(field));
  return showing.length === gates.length || isOpen(showing);
};
