import type { Expr } from "../../expression/expr.ts";
import type { States, Transition } from "../entity.ts";
import { listTargets } from "./transition-targets.ts";

/**
 * The conditional automatic transitions (`once`) that can lead a record back to where they start, directly or through
 * others of them. Each happens at most once to a record in a transaction.
 */
export const recurringTransitions = (states: Pick<States, "field" | "transitions">): ReadonlySet<Transition> => {
  const { transitions } = states;
  const automatic = [...transitions.values()].filter(
    (transition) => transition.once !== null && !waitsForPeople(transition, transitions),
  );
  return new Set(
    automatic.filter((transition) => {
      const reached = new Set(transition.to);
      for (const state of reached)
        for (const next of automatic)
          if (next.from.includes(state)) for (const to of listTargets(states, next, state)) reached.add(to);
      return transition.from.some((state) => reached.has(state));
    }),
  );
};

/** The minimum of a count of people; 0 if it is not obvious. */
const leastCount = (count: Expr): number => {
  if (count.kind === "constant") return Number(count.value);
  const [first, second, third] = count.kind === "call" ? count.args : [];
  if (count.kind !== "call" || first === undefined || second === undefined) return 0;
  if (third !== undefined) return Math.min(leastCount(second), leastCount(third));
  return count.row === "integer + integer" ? leastCount(first) + leastCount(second) : 0;
};

/**
 * True if people have to make the transition each time. The list of an approval is empty when the record enters its
 * state, so a completion ends each chain of automatic transitions.
 */
const waitsForPeople = (transition: Transition, transitions: ReadonlyMap<string, Transition>): boolean =>
  !transition.to.some((state) => transition.from.includes(state)) &&
  [...transitions.values()].some(
    ({ needs }) => needs !== undefined && needs.completion === transition.name && leastCount(needs.count) > 0,
  );
