import { type Finding, finding } from "../../findings.ts";
import type { Entity, State, States } from "../../model/entity.ts";
import { listTargets } from "../../model/facts/transition-targets.ts";
import type { EntityAnalyzer } from "../analyzer.ts";

/** Finds unreachable states, non-final states without outgoing transitions, and initial states that are also final. */
export const analyzeStates: EntityAnalyzer = (_, entity) =>
  entity.states === null ? [] : checkStates(entity, entity.states);

const checkStates = (entity: Entity, states: States): readonly Finding[] => {
  const reached = findShortestPaths(states);
  const statesWithExit = new Set([...states.transitions.values()].flatMap((transition) => transition.from));
  return states.states.flatMap((state): readonly Finding[] => {
    const steps = reached.get(state.name);
    if (steps === undefined) return [unreachable(entity, state)];
    const isFinal = states.final.has(state.name);
    if (isFinal && state.name === states.initial && states.states.length > 1) return [overAtOnce(state)];
    return isFinal || statesWithExit.has(state.name) ? [] : [deadEnd(state, steps)];
  });
};

/** The shortest path of transitions to each reachable state. */
export const findShortestPaths = (states: States): ReadonlyMap<string, readonly string[]> => {
  const before = known.get(states);
  if (before !== undefined) return before;
  const paths = findPaths(states);
  known.set(states, paths);
  return paths;
};

/** Several analyses ask for those of the same entity. */
const known = new WeakMap<States, ReadonlyMap<string, readonly string[]>>();

const findPaths = (states: States): ReadonlyMap<string, readonly string[]> => {
  const { initial, transitions } = states;
  const leaving = new Map<string, { readonly name: string; readonly to: string }[]>();
  for (const transition of transitions.values())
    for (const state of transition.from) {
      const targets = listTargets(states, transition, state).map((to) => ({ name: transition.name, to }));
      leaving.set(state, [...(leaving.get(state) ?? []), ...targets]);
    }
  const steps = new Map<string, readonly string[]>([[initial, []]]);
  // Iterating over a growing map visits nearer states first.
  for (const [state, path] of steps)
    for (const { name, to } of leaving.get(state) ?? []) if (!steps.has(to)) steps.set(to, [...path, name]);
  return steps;
};

const unreachable = (entity: Entity, { name, clause }: State): Finding =>
  finding(
    "UNREACHABLE_STATE",
    clause.span,
    `No ${entity.name} can ever be ${name}.`,
    "Add a transition that leads to it, or remove the state.",
    { clause: clause.id },
  );

const deadEnd = ({ name, clause }: State, steps: readonly string[]): Finding =>
  finding(
    "DEAD_END",
    clause.span,
    `No transition leaves the state ${name}, and it is not final.`,
    "Name it under “final:”, or add a transition from it.",
    { clause: clause.id, witness: { steps } },
  );

const overAtOnce = ({ name, clause }: State): Finding =>
  finding(
    "INITIAL_IS_FINAL",
    clause.span,
    `The state ${name} is both initial and final.`,
    "Remove it from “final:”, or choose another initial state.",
    { clause: clause.id },
  );
