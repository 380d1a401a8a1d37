import type { BehaviourLine } from "./behaviour-line.ts";

/** The line that matters most to people, and the number of the others. No line: the version changed nothing for them. */
export interface SummarizedVersion {
  readonly first: BehaviourLine | undefined;
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

/** Sums up the lines of a version. */
export const summarizeVersion = (lines: readonly BehaviourLine[]): SummarizedVersion => {
  const [first, ...more] = lines.toSorted((a, b) => weigh(a) - weigh(b));
  return { first, more: more.length };
};

/**
 * The points of the document in the order in which a plan shows them. Permissions come first, so that a role that can do
 * more than intended is not below many lines about screens and fields.
 */
export const planOrder = [6, 1, 2, 3, 4, 5, 7, 8, 9] as const satisfies readonly BehaviourLine["point"][];
