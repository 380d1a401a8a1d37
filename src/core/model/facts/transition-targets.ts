import type { States, Transition } from "../entity.ts";

/** True if a transition leaves the record in its state, whichever it is. */
export const staysInState = ({ field }: Pick<States, "field">, { previous }: Pick<Transition, "previous">): boolean =>
  previous === field;

/** The states that a transition can lead to from one state. */
export const listTargets = (
  states: Pick<States, "field">,
  transition: Pick<Transition, "to" | "previous">,
  from: string,
): readonly string[] => (staysInState(states, transition) ? [from] : transition.to);
