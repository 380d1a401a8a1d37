import type { Principal } from "../../derive/authorization/grants.ts";
import type { Expr } from "../../expression/expr.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Entity, States, Transition } from "../../model/entity.ts";
import { entityWords } from "../../model/inflection.ts";
import { ADMINISTRATOR } from "../../model/permissions.ts";
import { inState } from "../../satisfiability/assume-state.ts";
import type { Truth } from "../../satisfiability/satisfiability.ts";
import type { CheckedEntity, EntityAnalyzer } from "../analyzer.ts";
import { analyzeRecordVisibility, type RecordVisibility } from "../permissions/record-visibility.ts";
import { roleConditions } from "../principals.ts";
import { entityWithArticle, orList, recordWords, type WitnessRecord, witnessRecord } from "../witness-text.ts";
import { findShortestPaths } from "./states.ts";

/**
 * Checks that somebody can make each transition from each of its states: `when` can hold there, some role can be held
 * there, and its holder can see the record. Another analyzer reports unreachable states.
 */
export const analyzeTransitions: EntityAnalyzer = (checked, entity) => {
  const { states } = entity;
  if (states === null) return [];
  const reached = findShortestPaths(states);
  return [...states.transitions.values()].flatMap((transition) => {
    const { guardAndPreconditions: guard } = transition;
    const guards = transition.from
      .filter((state) => reached.has(state))
      .map((state) => ({
        state,
        truth: checked.decide.truthOf(...inState(guard === null ? [] : [guard], entity, state)),
      }));
    const about: About = { ...checked, entity, states, transition, guards };
    return [...checkGuard(about), ...checkDefaultRole(about), ...checkRoles(about), ...checkFields(about)];
  });
};

interface About extends CheckedEntity {
  readonly entity: Entity;
  readonly states: States;
  readonly transition: Transition;
  /** The truth of the transition's own condition in each reachable source state. */
  readonly guards: readonly { readonly state: string; readonly truth: Truth }[];
}

const getGuard = ({ transition: { guardAndPreconditions: guard } }: About): readonly Expr[] =>
  guard === null ? [] : [guard];

const checkGuard = ({ transition, guards }: About): readonly Finding[] => {
  const { guardAndPreconditions: guard, clause, name } = transition;
  if (guard === null || guards.length === 0) return [];
  const closed = guards.flatMap(({ state, truth }) => (truth === "never" ? [state] : []));
  const report = (code: "NEVER_TRUE" | "ALWAYS_TRUE", message: string, hint: string) => [
    finding(code, guard.span, message, hint, { clause: clause.id }),
  ];
  if (closed.length === guards.length)
    return report(
      "NEVER_TRUE",
      `This condition is never true in the state ${orList(closed)}, so no one can ${name}.`,
      "Change the condition, or “from:”.",
    );
  if (closed.length > 0)
    return report(
      "NEVER_TRUE",
      `This condition is never true in the state ${orList(closed)}, although ${name} starts there.`,
      `Remove ${orList(closed)} from “from:”, or change the condition.`,
    );
  if (guards.some(({ truth }) => truth !== "always")) return [];
  const states = orList(guards.map(({ state }) => state));
  return report(
    "ALWAYS_TRUE",
    `This condition is always true in the state ${states}.`,
    "Correct or remove the condition.",
  );
};

/** Finds a transition without “by:” that its default, administrators, cannot make because they cannot see the record. */
const checkDefaultRole = (about: About): readonly Finding[] => {
  const { transition, entity, people, guards } = about;
  const open = guards.flatMap(({ state, truth }) => (truth === "never" ? [] : [state]));
  if (transition.by !== null || open.length === 0) return [];
  const administrator = people.holderOf(entity, ADMINISTRATOR);
  if (open.some((state) => mayMake(about, ADMINISTRATOR, state, administrator))) return [];
  return [
    finding(
      "NOBODY_MAY",
      transition.clause.span,
      `The specification does not say who can make the transition ${transition.name}. Then only administrators can, but they can’t see any ${entity.name} that is ${orList(open)}.`,
      "Name a role after “by:”, or let administrators read such a record.",
      { clause: transition.clause.id },
    ),
  ];
};

const checkRoles = (about: About): readonly Finding[] => {
  const { transition, people, states, guards } = about;
  const by = transition.by ?? [];
  const open = guards.flatMap(({ state, truth }) => (truth === "never" ? [] : [state]));
  if (by.length === 0 || open.length === 0) return [];
  const shut = open.filter((state) => !by.some((role) => mayMake(about, role, state, people.ofAll)));
  if (shut.length > 0) {
    const reasons = by.map((role) => getReason(about, role, shut).says).join(", and ");
    const where = shut.length === guards.length ? "" : ` from ${orList(shut)}`;
    return [
      finding(
        "NOBODY_MAY",
        transition.clause.span,
        `No one can make the transition ${transition.name}${where}: ${reasons}.`,
        "Name another role after “by:”, or let one of these roles read such a record.",
        { clause: transition.clause.id, witness: { steps: findShortestPaths(states).get(shut[0] ?? "") ?? [] } },
      ),
    ];
  }
  return by.flatMap((role) => checkRole(about, role, open));
};

/** Finds a role that can never make the transition although another role can. */
const checkRole = (about: About, role: string, states: readonly string[]): readonly Finding[] => {
  const { transition, entity, people, placeIn } = about;
  const holder = people.holderOf(entity, role);
  const report = (code: "CANNOT_SEE" | "NEVER_TRUE", message: string, hint: string, record?: WitnessRecord) =>
    finding(code, placeIn(transition.clause, { of: "role", entity: entity.name, name: role }), message, hint, {
      clause: transition.clause.id,
      witness: { role, ...(record === undefined ? {} : { record }) },
    });
  if (!states.some((state) => mayMake(about, role, state, holder))) {
    const { code, says } = getReason(about, role, states);
    const hint = code === "CANNOT_SEE" ? `Let ${role} read it, or remove the role.` : "Remove the role.";
    return [report(code, `${role} can never make the transition ${transition.name}: ${says}.`, hint)];
  }
  for (const state of states) {
    const visibility = getSight(about, role, state, holder);
    if (visibility.sees !== "not all") continue;
    const record = witnessRecord(visibility.example);
    return [
      report(
        "CANNOT_SEE",
        `${role} can make the transition ${transition.name}, but can’t see the ${entityWords(entity.name)} if ${recordWords(record)}.`,
        `Let ${role} read it, or remove the role.`,
        record,
      ),
    ];
  }
  return [];
};

const getReason = (about: About, role: string, states: readonly string[]) => {
  const { entity } = about;
  return states.some((state) => canHoldIn(about, role, state))
    ? ({ code: "CANNOT_SEE", says: `${role} can’t see any ${entity.name} that is ${orList(states)}` } as const)
    : ({
        code: "NEVER_TRUE",
        says: `no one is ${role} of ${entityWithArticle(entity)} that is ${orList(states)}`,
      } as const);
};

/**
 * Conditions on a record under which the role can make the transition: those of the role itself and of the transition
 * for this role.
 */
const heldBy = ({ entity, transition }: About, role: string): readonly Expr[] => {
  const only = transition.conditions.get(role);
  return only === undefined ? roleConditions(entity, role) : [...roleConditions(entity, role), only];
};

/** True if a person can hold the role in the state while the (satisfiable) condition of the transition holds. */
const canHoldIn = (about: About, role: string, state: string): boolean => {
  const { entity, decide, unsettled } = about;
  const conditions = heldBy(about, role);
  if (conditions.length === 0 || unsettled(`6.roles.${entity.name}.${role}`)) return true;
  return decide.canHold(...inState([...conditions, ...getGuard(about)], entity, state));
};

/** True if that person can also see the record; an invisible record counts as not found. */
const mayMake = (about: About, role: string, state: string, person: Principal): boolean =>
  canHoldIn(about, role, state) && getSight(about, role, state, person).sees !== "none";

const getSight = (about: About, role: string, state: string, person: Principal): RecordVisibility => {
  const conditions = [...heldBy(about, role), ...getGuard(about)];
  return analyzeRecordVisibility(about, about.entity, person, role, conditions, (all) =>
    inState(all, about.entity, state),
  );
};

const checkFields = (about: About): readonly Finding[] => {
  const { transition, entity, placeIn } = about;
  return transition.asks.flatMap((name) => {
    const isSet = transition.set.has(name);
    if (!isSet && entity.fields.get(name)?.set == null) return [];
    return [
      finding(
        "SET_AND_ASKED",
        placeIn(transition.clause, { of: "field", entity: entity.name, name }),
        isSet
          ? `${transition.name} both asks for ${name} and sets it.`
          : `${transition.name} asks for ${name}, which is generated when the record is created.`,
        "Keep only one of them.",
        { clause: transition.clause.id },
      ),
    ];
  });
};
