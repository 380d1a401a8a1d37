import type { BehaviourLine } from "./behaviour-line.ts";

/**
 * The lines that matter most to people, and the number of the others. The second one is about a permission that became
 * wider, so that a loss does not hide it. No line: the version changed nothing for them.
 */
export interface SummarizedVersion {
  readonly lines: readonly BehaviourLine[];
  readonly more: number;
}

/** Losses come first, then what people can no longer do. Translations and programs come last. */
const weights: { readonly [E in BehaviourLine["effect"]]: number } = {
  forbids: 1,
  removes: 2,
  allows: 3,
  adds: 4,
  changes: 5,
};

const weigh = ({ loses, effect, message }: BehaviourLine): number => {
  if (loses === "compatibility") return 7;
  if (message.id === "language.texts") return 6;
  return loses === null ? weights[effect] : 0;
};

/** True if people can now do something that their roles did not allow. */
const isWider = ({ effect, message: { id } }: BehaviourLine): boolean =>
  effect === "allows" && (id === "can" || id.startsWith("can."));

/** Sums up the lines of a version. */
export const summarizeVersion = (all: readonly BehaviourLine[]): SummarizedVersion => {
  const [first, ...others] = all.toSorted((a, b) => weigh(a) - weigh(b));
  if (first === undefined) return { lines: [], more: 0 };
  const wider = isWider(first) ? undefined : others.find(isWider);
  const lines = wider === undefined ? [first] : [first, wider];
  return { lines, more: all.length - lines.length };
};

/**
 * The points of the document in the order in which a plan shows them. Permissions come first, so that a role that can do
 * more than intended is not below many lines about screens and fields.
 */
export const planOrder = [6, 1, 2, 3, 4, 5, 7, 8, 9] as const satisfies readonly BehaviourLine["point"][];
