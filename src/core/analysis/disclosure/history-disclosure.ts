import {
  type Grant,
  grantsFor,
  type PermissionRule,
  type Principal,
  permissionRulesFor,
  transitionRulesFor,
} from "../../derive/authorization/grants.ts";
import { splitConjuncts } from "../../expression/boolean-exprs.ts";
import { type Expr, subexpressions } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import { isActValue } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { BRING_BACK } from "../../model/write-actions.ts";
import { createDecider } from "../../satisfiability/satisfiability.ts";
import { findHiddenRead, nothingWritten } from "./information-flow.ts";
import { type Reader, readerBy } from "./reader.ts";

/**
 * The parts of a history line that a reader with a given read grant may see. A line reveals more than its content: the
 * name of a transition reveals that its guard held, and the author reveals the holder of a role.
 */
export interface LineDisclosure {
  /** True if a reader who saw the record before may see the name and clause of the operation. */
  readonly action: boolean;
  /**
   * True if another reader can see them too, because the earlier states that the line implies are known to that reader.
   */
  readonly actionFromUnseen: boolean;
  readonly person: boolean;
  readonly time: boolean;
}

const everything: LineDisclosure = { action: true, actionFromUnseen: true, person: true, time: true };
const nothing: LineDisclosure = { action: false, actionFromUnseen: false, person: false, time: false };

/**
 * Disclosure of an entity's history lines to a person: for each operation, one entry per read grant, in the order of
 * those grants.
 */
export const discloseLines = (
  model: Model,
  entity: Entity,
  person: Principal,
): ((action: string) => readonly LineDisclosure[]) => {
  const reader = readerBy((entity) => grantsFor(model, entity, "read", person), createDecider(model.entities));
  const grants = grantsFor(model, entity, "read", person).map((grant) => disclosureUnder(model, entity, reader, grant));
  const known = new Map<string, readonly LineDisclosure[]>();
  return (action) => {
    const before = known.get(action);
    if (before !== undefined) return before;
    const found = grants.map((tell) => tell(action));
    known.set(action, found);
    return found;
  };
};

const showsThrough =
  ({ fields }: Grant) =>
  (field: string): boolean =>
    fields === null || fields.has(field);

const disclosureUnder = (
  model: Model,
  entity: Entity,
  reader: Reader,
  grant: Grant,
): ((action: string) => LineDisclosure) => {
  const reading = { entities: model.entities, reader, entity, facts: grant.conditions, written: nothingWritten };
  const shows = showsThrough(grant);
  const isKnown = (condition: Expr): boolean => findHiddenRead(condition, reading) === undefined;
  const transitions = [...(entity.states?.transitions.values() ?? [])];
  const state = entity.states?.field ?? "";

  /** The author can be shown if a visible field contains them. Otherwise the name must not reveal a hidden field. */
  const disclosesPerson = (
    set: ReadonlyMap<string, Expr>,
    permissionRules: readonly PermissionRule[],
    when: Expr | null,
  ): boolean => {
    const named = [...set].filter(([, value]) => value.kind === "user").map(([field]) => field);
    if (named.some(shows)) return true;
    const conditions = permissionRules.flatMap((rule) => [rule.roleCondition, rule.when]);
    return named.length === 0 && [...conditions, when].flatMap(parts).filter(readsUser).every(isKnown);
  };
  const tellsWhen = (set: ReadonlyMap<string, Expr>): boolean => {
    const stamped = [...set].filter(([, value]) => isTime(value)).map(([field]) => field);
    return stamped.length === 0 || stamped.some(shows);
  };

  /** True if the name of a transition reveals nothing hidden: neither by its guard nor by the values that it sets. */
  const isDisclosed = (transition: Transition): boolean => {
    const conditions = transitionRulesFor(entity, transition).flatMap((rule) => [rule.roleCondition, rule.when]);
    const asks = [...conditions, transition.guardAndPreconditions, transition.once].flatMap(parts);
    return (
      shows(state) &&
      asks.filter((expr) => !readsUser(expr)).every(isKnown) &&
      [...transition.set].every(([field, value]) => shows(field) || value.kind === "user" || isTime(value))
    );
  };
  const changesState = ({ from, to }: Transition): boolean => from.some((item) => !to.includes(item));
  /**
   * Transitions to a state. If one of them is hidden, showing another would reveal by elimination which one was made.
   */
  const into = (to: string): readonly Transition[] =>
    transitions.filter((transition) => transition.to.includes(to) && changesState(transition));
  /** True if passing through these states reveals nothing hidden. */
  const arePassed = (states: readonly string[], seen: ReadonlySet<string>): boolean =>
    states.every(
      (state) =>
        state === entity.states?.initial ||
        seen.has(state) ||
        into(state).every(
          (transition) => isDisclosed(transition) && arePassed(transition.from, new Set([...seen, state])),
        ),
    );

  const ofTransition = (transition: Transition): LineDisclosure => {
    const all = changesState(transition) ? [...new Set(transition.to.flatMap(into))] : [transition];
    const alike = all.filter(({ from }) => from.some((item) => transition.from.includes(item)));
    const { set, guardAndPreconditions: guard } = transition;
    return {
      action: alike.every(isDisclosed),
      actionFromUnseen: all.every((transition) => isDisclosed(transition) && arePassed(transition.from, new Set())),
      person: disclosesPerson(set, transitionRulesFor(entity, transition), guard),
      time: tellsWhen(set),
    };
  };

  return (action) => {
    if (action === "create") {
      const set = new Map(
        [...entity.fields].flatMap(([name, field]) =>
          isActValue(field) ? [] : setAtFirst(name, field.set ?? field.default),
        ),
      );
      // The creation time is a field of the record.
      return { ...everything, person: disclosesPerson(set, permissionRulesFor(entity, action), null) };
    }
    if (action === "update" || action === "delete" || action === BRING_BACK) {
      const rules = permissionRulesFor(entity, action === "update" ? action : "delete");
      return { ...everything, person: disclosesPerson(new Map(), rules, null) };
    }
    const transition = entity.states?.transitions.get(action);
    if (transition !== undefined) return ofTransition(transition);
    // An operation that the document no longer defines might reveal anything.
    return grant.fields === null ? everything : nothing;
  };
};

/** The parts of a cause that a history line may show: the write of another record that triggered it. */
export interface CauseDisclosure {
  /** For each read grant of the other record: the parts of the cause that can be shown. */
  readonly ofOtherRecord: (action: string) => readonly LineDisclosure[];
  /** For each read grant of the line's own record: the parts of the cause that reveal nothing hidden there. */
  readonly ofOwnRecord: (action: string) => readonly LineDisclosure[];
}

export const discloseCauses = (model: Model, other: Entity, entity: Entity, person: Principal): CauseDisclosure => {
  const reader = readerBy((entity) => grantsFor(model, entity, "read", person), createDecider(model.entities));
  const lines = discloseLines(model, other, person);
  const following = (action: string) =>
    (other.after.get(action) ?? []).filter((effect) => "entity" in effect && effect.entity === entity.name);
  const gatesThere = grantsFor(model, other, "read", person);
  return {
    ofOtherRecord: (action) =>
      lines(action).map((line, i) => {
        const facts = gatesThere[i]?.conditions ?? [];
        const reading = { entities: model.entities, reader, entity: other, facts, written: nothingWritten };
        const isKnown = following(action)
          .flatMap(({ when, each }) => [...parts(when), ...each.map(({ list }) => list)])
          .every((expr) => findHiddenRead(expr, reading) === undefined);
        return isKnown && line.actionFromUnseen ? line : nothing;
      }),
    ofOwnRecord: (action) =>
      grantsFor(model, entity, "read", person).map((grant) => {
        const shows = showsThrough(grant);
        const effects = following(action);
        const chosenBy = effects.flatMap((effect) =>
          "of" in effect && effect.of !== null
            ? collectReadSet(effect.of).recordReads.flatMap((read) =>
                read.entity === entity.name ? [...read.fields] : [],
              )
            : [],
        );
        const assignments = effects.flatMap((effect) => ("set" in effect ? [...effect.set] : []));
        const hidden = assignments.filter(([field]) => !shows(field)).map(([, value]) => value);
        if (!chosenBy.every(shows) || !hidden.every((value) => value.kind === "user" || isTime(value))) return nothing;
        return {
          ...everything,
          person: !hidden.some(({ kind }) => kind === "user"),
          time: !hidden.some(isTime),
        };
      }),
  };
};

const setAtFirst = (name: string, value: Expr | null): readonly (readonly [string, Expr])[] =>
  value === null ? [] : [[name, value]];

const parts = (condition: Expr | null): readonly Expr[] => (condition === null ? [] : splitConjuncts(condition));

const readsUser = (expr: Expr): boolean => expr.kind === "user" || subexpressions(expr).some(readsUser);

const isTime = (value: Expr): boolean => value.kind === "now" || value.kind === "today";
