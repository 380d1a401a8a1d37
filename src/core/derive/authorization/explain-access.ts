import { conjunctsOf } from "../../explain/role-holders.ts";
import type { Knows } from "../../explain/who-may.ts";
import type { Expr } from "../../expression/expr.ts";
import { readsOf } from "../../expression/inspect/read-set.ts";
import { rulesAt } from "../../model/applicable-rules.ts";
import {
  type Action,
  actions,
  type Entity,
  isAction,
  type Model,
  type Transition,
  type ValidationRule,
} from "../../model/model.ts";
import {
  type Allowance,
  allowancesOf,
  fieldsKnownTo,
  fieldsThrough,
  gatesOf,
  holdsRole,
  isAdministrator,
  isHeld,
  isOpen,
  type Person,
  readableOf,
  transitionAllowancesOf,
  transitionGatesOf,
} from "./grants.ts";

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

/** Whether the document does not say who: then it is for somebody to decide, and a default holds until they do. */
export const isUndecided = (entity: Entity, doing: Doing): boolean => {
  if (doing.kind === "transition") return doing.transition.by === null;
  if (entity.rows !== null && doing.action !== "read") return false;
  return entity.permissions === null || entity.permissions.silent.has(doing.action);
};

/** One clause that allows it, or could have, with what it needs of the record. One open way is enough. */
export interface Way extends Allowance {
  /** Whether the role is held, as far as that is known before any record is read; what the record decides is a need. */
  readonly isHeld: boolean;
  readonly needs: readonly Need[];
}

/** A condition on the record, as small as the document's own conjunctions let it be. */
export interface Need {
  /** The clause that says it: the role's own where that is held under a condition. */
  readonly clause: string;
  readonly condition: Expr;
  /** Whether the person who is told may know whether it holds: they read everything that it reads, on some record at least. */
  readonly isTold: boolean;
  /** The fields of the record itself that they read on some records and not on others: there the record decides. */
  readonly sights: readonly string[];
  /** The role whose own condition it is; null for what a clause asks besides. */
  readonly role: string | null;
  /** Whether they may know what it reads by its names; if not, they are told that there is something, and no more. */
  readonly isNamed: boolean;
}

/** What has to hold for everybody, whichever way is open: the guard, and the rules. */
export interface Must extends Need {
  /** Judged only where this holds. */
  readonly when: Expr | null;
  /** Whether the record tells before it is done: what the transition itself changes or asks for is not known yet. */
  readonly isJudged: boolean;
  /** Null for the guard. */
  readonly rule: ValidationRule | null;
}

export interface Considered {
  readonly ways: readonly Way[];
  /** The states from which a transition leads, and whether the reader may know the record's; null for an action. */
  readonly from: (Pick<Need, "isTold" | "sights"> & { readonly states: readonly string[] }) | null;
  readonly musts: readonly Must[];
}

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
  const needOf = (clause: string, condition: Expr, role: string | null = null): Need => ({
    clause,
    role,
    condition,
    ...toldFrom(model, entity, reader, condition),
    isNamed: mayBeNamed(model, entity, reader, condition),
  });
  const needsOf = (clause: string, condition: Expr | null, role: string | null = null): readonly Need[] =>
    condition === null ? [] : conjunctsOf(condition).map((one) => needOf(clause, one, role));
  const wayOf = (allowance: Allowance): Way => ({
    ...allowance,
    isHeld: isHeld(model, allowance, person),
    needs: [
      ...needsOf(entity.roles.get(allowance.role)?.clause.id ?? allowance.clause, allowance.held, allowance.role),
      ...needsOf(allowance.clause, allowance.when),
    ],
  });
  if (doing.kind === "action") return { ways: allowancesOf(entity, doing.action).map(wayOf), from: null, musts: [] };
  const { transition } = doing;
  const guard = needsOf(transition.clause.id, transition.when).map(
    (need): Must => ({ ...need, rule: null, when: null, isJudged: true }),
  );
  const state = entity.states?.field ?? "";
  const changed = new Set([state, ...transition.set.keys(), ...transition.asks]);
  const rules = rulesAt(entity, transition.name, changed).map((rule): Must => {
    const clause = rule.clause.id;
    const [need, when] = [needOf(clause, rule.rule), rule.when === null ? undefined : needOf(clause, rule.when)];
    return {
      rule,
      role: null,
      condition: rule.rule,
      when: rule.when,
      isTold: need.isTold && when?.isTold !== false,
      sights: [...need.sights, ...(when?.sights ?? [])],
      isNamed: need.isNamed && when?.isNamed !== false,
      clause,
      isJudged:
        !rule.reads.some((field) => changed.has(field)) &&
        !rule.footprint.some((source) => source.entity === entity.name),
    };
  });
  return {
    ways: transitionAllowancesOf(entity, transition).map(wayOf),
    from: {
      states: transition.from,
      isTold: readableOf(model, entity.name, reader).has(state),
      sights: isShown(model, entity, reader, state) ? [] : [state],
    },
    musts: [...guard, ...rules],
  };
};

/**
 * Whether somebody who reads the record may know whether a condition holds on it: each field that it reads is one that
 * they read, there and on every other record that it looks at.
 */
export const toldFrom = (
  model: Model,
  entity: Entity,
  reader: Person,
  condition: Expr,
): Pick<Need, "isTold" | "sights"> => {
  const reads = readsOf(condition);
  const readable = readableOf(model, entity.name, reader);
  const isTold = [...reads.fields].every((field) => readable.has(field) || !entity.fields.has(field));
  const others = reads.footprint.every((source) => {
    const other = model.entities.get(source.entity);
    return (
      other !== undefined &&
      isOpen(gatesOf(model, other, "read", reader)) &&
      [...source.fields].every((field) => isShown(model, other, reader, field))
    );
  });
  return {
    isTold: isTold && others,
    sights: [...reads.fields].filter((field) => !isShown(model, entity, reader, field)),
  };
};

/** The same, on a record of which the reader sees these fields. */
export const seenOn = (considered: Considered, sees: (field: string) => boolean): Considered => {
  const seen = <T extends Pick<Need, "isTold" | "sights">>(one: T): T => ({
    ...one,
    isTold: one.isTold && one.sights.every(sees),
  });
  return {
    ways: considered.ways.map((way) => ({ ...way, needs: way.needs.map(seen) })),
    from: considered.from === null ? null : seen(considered.from),
    musts: considered.musts.map(seen),
  };
};

/** Whether somebody knows each field that a condition reads by its name. */
export const mayBeNamed = (model: Model, entity: Entity, reader: Person, condition: Expr): boolean => {
  if (isAdministrator(reader)) return true;
  const reads = readsOf(condition);
  const knows = (of: Entity | undefined, fields: ReadonlySet<string>): boolean => {
    if (of === undefined) return false;
    const known = fieldsKnownTo(model, of, reader);
    return [...fields].every((field) => known.has(field) || !of.fields.has(field));
  };
  return (
    knows(entity, reads.fields) &&
    reads.footprint.every((source) => knows(model.entities.get(source.entity), source.fields))
  );
};

/** Whether a field is shown wherever the record is. */
const isShown = (model: Model, entity: Entity, reader: Person, field: string): boolean => {
  const gates = gatesOf(model, entity, "read", reader);
  if (!entity.fields.has(field)) return true;
  if (!fieldsThrough(entity, gates).has(field)) return false;
  const showing = gates.filter((gate) => gate.fields === null || gate.fields.has(field));
  return showing.length === gates.length || isOpen(showing);
};

/**
 * Whether somebody may ask about it: to others, not even that there is such a thing is told. Who can do nothing with an
 * entity's records knows nothing of it; a transition is known to who reads the state or holds a role that makes it.
 */
export const isKnownTo = (model: Model, entity: Entity, doing: Doing, person: Person): boolean => {
  if (isAdministrator(person)) return true;
  if (actions.every((action) => gatesOf(model, entity, action, person).length === 0)) return false;
  return (
    doing.kind === "action" ||
    transitionGatesOf(model, entity, doing.transition, person).length > 0 ||
    readableOf(model, entity.name, person).has(entity.states?.field ?? "")
  );
};

/**
 * What somebody who is refused may know of a clause beside its role: its conditions, where they hold the role as far as that is
 * known before any record is read and know what is read by its name, and in which states it is open, where they read these.
 */
export const knowsOf =
  (model: Model, entity: Entity, reader: Person): Knows =>
  (opening) => {
    const isOwn = opening.held !== null || holdsRole(model, opening.role, reader) || isAdministrator(reader);
    const conditions = [opening.held, opening.when].filter((one) => one !== null);
    return {
      condition: isOwn && conditions.every((one) => mayBeNamed(model, entity, reader, one)),
      state: isOwn && readableOf(model, entity.name, reader).has(entity.states?.field ?? ""),
    };
  };
