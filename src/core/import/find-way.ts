import type { Transition } from "../model/entity.ts";

/** True for transitions that one person makes by hand, and that lead to one state. */
export const isByHand = ({ timeout, once, by, needs, to }: Transition): boolean =>
  timeout === null && once === null && by?.length !== 0 && needs === undefined && to.length === 1;

/**
 * The transitions with which the shortest ways from a state to another one begin, in document order. Empty if no way
 * leads there. `from`: undefined if it is not known; then the last transitions of all ways.
 */
export const findFirstSteps = (
  transitions: readonly Transition[],
  from: string | undefined,
  to: string,
): readonly Transition[] => {
  if (from === undefined) return transitions.filter((transition) => transition.to.includes(to));
  const distances = new Map([[to, 0]]);
  for (let length = 1, isLonger = true; isLonger; length++) {
    isLonger = false;
    for (const transition of transitions)
      if (transition.to.some((state) => distances.get(state) === length - 1))
        for (const state of transition.from)
          if (!distances.has(state)) {
            distances.set(state, length);
            isLonger = true;
          }
  }
  const distance = distances.get(from);
  if (distance === undefined) return [];
  return transitions.filter(
    (transition) =>
      transition.from.includes(from) && transition.to.some((state) => distances.get(state) === distance - 1),
  );
};
