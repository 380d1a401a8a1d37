import { type Grant, type Principal, transitionRulesFor } from "../../derive/authorization/grants.ts";
import { splitConjuncts } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import type { Permission } from "../../model/permissions.ts";
import { inState } from "../../satisfiability/assume-state.ts";
import type { CheckedEntity } from "../analyzer.ts";
import { conditionsBy } from "../principals.ts";
import { findHiddenRead, nothingWritten } from "./information-flow.ts";
import type { FlowQuestion } from "./reached-records.ts";
import type { Reader } from "./reader.ts";
import { buildStateCondition } from "./writers.ts";

/** Information that a state reveals to its readers: the guards of all transitions that may have led to it held. */
export interface StateDisclosure {
  readonly transition: Transition;
  readonly role: string;
  readonly hidden: string;
}

export interface StateDisclosureContext extends Pick<CheckedEntity, "model" | "decide" | "people" | "uses"> {
  readonly entity: Entity;
  readonly readerOf: (person: Principal) => Reader;
}

/**
 * The states that reveal hidden data: all transitions to them have guards on data that a reader of the state cannot
 * read. A reader who also sees the state before can narrow the transitions down.
 */
export const findRevealingStates = (context: StateDisclosureContext): readonly StateDisclosure[] => {
  const { entity, people, readerOf } = context;
  const { states, permissions } = entity;
  if (states === null || permissions === null) return [];
  const transitions = [...states.transitions.values()]
    .filter(({ from, to }) => from.some((item) => !to.includes(item)))
    .map((transition): ConditionedTransition => ({ transition, conditions: listReadConditions(entity, transition) }));
  if (transitions.every(({ conditions }) => conditions.some((alternative) => alternative.length === 0))) return [];
  const shows = createVisibility(context);
  const reading = permissions.actions.read.filter(({ fields }) => fields === null || fields.has(states.field));
  return reading.flatMap((permission) => {
    const own = reading.filter(({ role }) => role === permission.role);
    const isDisclosed = (reader: Reader) =>
      getStateTellings(context, { permission, own, reader, transitions, shows, initial: states.initial });
    return people.holdersOf(entity, permission.role).flatMap((person) => isDisclosed(readerOf(person)));
  });
};

/** A transition to another state, and the conditions on the record that it implies, for each role or trigger. */
interface ConditionedTransition {
  readonly transition: Transition;
  readonly conditions: readonly (readonly Expr[])[];
}

/** True if a permission covers some record in the state. */
type Visibility = (permission: Permission, state: string) => boolean;

/** Remembers its answers: it is asked about a permission and a state for many readers and transitions. */
const createVisibility = ({ entity, decide }: StateDisclosureContext): Visibility => {
  const known = new Map<Permission, Map<string, boolean>>();
  const isShown: Visibility = (permission, state) => {
    const conditions = inState(conditionsBy(permission), entity, state);
    return conditions.every((condition) => decide.canHold(condition)) && decide.canHold(...conditions);
  };
  return (permission, state) => {
    const byState = known.get(permission) ?? new Map<string, boolean>();
    known.set(permission, byState);
    const shown = byState.get(state) ?? isShown(permission, state);
    byState.set(state, shown);
    return shown;
  };
};

interface Reading {
  readonly permission: Permission;
  /** All permissions by which the role reads the state. */
  readonly own: readonly Permission[];
  readonly reader: Reader;
  readonly transitions: readonly ConditionedTransition[];
  readonly shows: Visibility;
  readonly initial: string;
}

const getStateTellings = (
  { model, entity, uses }: StateDisclosureContext,
  { permission, own, reader, transitions, shows, initial }: Reading,
): readonly StateDisclosure[] => {
  const isSeen = (state: string): boolean => own.some((permission) => shows(permission, state));
  return [...new Set(transitions.flatMap(({ transition }) => transition.to))].flatMap((to) => {
    if (!shows(permission, to)) return [];
    const facts = [...conditionsBy(permission), ...buildStateCondition(entity, [to], permission.clause.span)];
    const into = transitions.filter(({ transition }) => transition.to.includes(to));
    const before = [...new Set(into.flatMap(({ transition }) => transition.from))].filter((item) => item !== to);
    const unseen = before.filter((item) => !isSeen(item));
    // The initial state needs no transition.
    const sequences = [...before.filter(isSeen).map((item) => [item]), ...(to === initial ? [] : [unseen])];
    return sequences.flatMap((froms) => {
      const group = into.filter(({ transition }) => froms.some((other) => transition.from.includes(other)));
      if (group.some(({ transition }) => uses.disclosed.has(transition.clause.id))) return [];
      const asks = group.flatMap((item) => item.conditions);
      // One alternative without hidden data is enough, such as one without conditions.
      if (asks.some((all) => all.length === 0)) return [];
      const reading = { entities: model.entities, entity, reader, facts, written: nothingWritten };
      const isUnknown = (expr: Expr): boolean => !isKnown(reader, facts, expr);
      const transition = group[0]?.transition;
      let first: string | undefined;
      for (const all of asks) {
        const hidden = findHiddenAmong(all, reading, isUnknown);
        if (hidden === undefined) return [];
        first ??= hidden;
      }
      if (transition === undefined || first === undefined) return [];
      // An alternative that holds for every record reveals nothing.
      if (
        reader.isOpenOn(
          facts,
          asks.map((all) => asGrant(all.filter(isUnknown))),
        )
      )
        return [];
      return [{ transition, role: permission.role, hidden: first }];
    });
  });
};

/** The hidden data that the first of the conditions reveals; a condition whose result is known reveals nothing. */
const findHiddenAmong = (
  conditions: readonly Expr[],
  reading: FlowQuestion,
  isUnknown: (condition: Expr) => boolean,
): string | undefined => {
  for (const condition of conditions) {
    const hidden = findHiddenRead(condition, reading);
    if (hidden !== undefined && isUnknown(condition)) return hidden;
  }
  return undefined;
};

const asGrant = (conditions: readonly Expr[]): Grant => ({ clause: "", conditions, fields: null });

/** True for a condition that holds on every visible record and so reveals nothing. */
const isKnown = (reader: Reader, facts: readonly Expr[], condition: Expr): boolean =>
  reader.isOpenOn(facts, [asGrant([condition])]);

/**
 * The conditions of a transition on the record, for each role or trigger. The state does not reveal who made the
 * transition.
 */
const listReadConditions = (entity: Entity, transition: Transition): readonly (readonly Expr[])[] => {
  const { by, guardAndPreconditions: guard, once, timeout } = transition;
  const rules = by?.length === 0 ? [] : transitionRulesFor(entity, transition);
  const alternatives = [
    ...rules.map((rule) => [guard, rule.when]),
    ...(once === null ? [] : [[guard, once]]),
    ...(timeout === null && rules.length + (once === null ? 0 : 1) > 0 ? [] : [[guard]]),
  ];
  return alternatives.map((all) =>
    all.flatMap((item) => (item === null ? [] : splitConjuncts(item))).filter(isOfRecords),
  );
};

/** True if the condition reads records but not the acting user. */
const isOfRecords = (condition: Expr): boolean => {
  const { fields, recordReads, user } = collectReadSet(condition);
  return !user && fields.size + recordReads.length > 0;
};
