import type { States, Tone } from "../../model/entity.ts";
import { listTargets } from "../../model/facts/transition-targets.ts";
import type { StateMarkJson } from "../../wire/entities.ts";

const leftHues = ["blue", "amber", "violet", "olive"] as const;
const endHues = ["teal", "plum", "bronze", "indigo"] as const;
const cuts = ["none", "bar", "slash", "dot"] as const;
const toneHues: { readonly [T in Tone]: StateMarkJson["hue"] } = {
  good: "green",
  bad: "red",
  warning: "amber",
  neutral: "neutral",
};

/** The minimum number of transitions from the initial state; unreachable states are absent. */
const getDistances = (states: States): ReadonlyMap<string, number> => {
  const distances = new Map([[states.initial, 0]]);
  for (const [state, distance] of distances)
    for (const transition of states.transitions.values())
      if (transition.from.includes(state))
        for (const to of listTargets(states, transition, state))
          if (!distances.has(to)) distances.set(to, distance + 1);
  return distances;
};

/**
 * The icon of each state, derived only from the order of states and the transitions. Names are ignored, and red and
 * green are never guessed. The initial state is a dashed ring. A state with outgoing transitions is a pie that fills
 * with the distance from the start. A final state is a disc with a cut. An unreachable state is a square.
 */
export const stateIcons = (states: States): ReadonlyMap<string, StateMarkJson> => {
  const distances = getDistances(states);
  const farthest = Math.max(1, ...distances.values());
  const statesWithExit = new Set([...states.transitions.values()].flatMap((transition) => transition.from));
  const marks = new Map<string, StateMarkJson>();
  let ends = 0;
  let between = 0;
  for (const { name, tone } of states.states) {
    const distance = distances.get(name);
    const hue = (own: StateMarkJson["hue"]) => (tone === null ? own : toneHues[tone]);
    if (distance === undefined) marks.set(name, { hue: hue("neutral"), shape: { kind: "square" }, ring: false });
    else if (name === states.initial) marks.set(name, { hue: hue("neutral"), shape: { kind: "dashed" }, ring: false });
    else if (statesWithExit.has(name)) {
      const part = Math.min(distance / farthest, 7 / 8);
      marks.set(name, { hue: hue(leftHues[between % 4] ?? "blue"), shape: { kind: "pie", part }, ring: between >= 4 });
      between++;
    } else {
      marks.set(name, {
        hue: hue(endHues[ends % 4] ?? "teal"),
        shape: { kind: "disc", cut: cuts[ends % 4] ?? "none" },
        ring: ends >= 4,
      });
      ends++;
    }
  }
  return marks;
};
