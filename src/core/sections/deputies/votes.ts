import type { Spanned } from "../../document/shape.ts";
import type { EntityStates, TransitionSyntax } from "../states/states-syntax.ts";
import type { Expansion } from "./deputy-conditions.ts";

/** A transition that needs several people, some of whom may be deputies. A person and their deputy never both count. */
export interface Vote {
  /** The field with the people who made it. */
  readonly field: Spanned<string>;
}

export const readVote = (
  { needs, by, "recorded in": field }: TransitionSyntax,
  { delegated }: Expansion,
): Vote | undefined =>
  needs !== undefined &&
  field !== undefined &&
  by !== "none" &&
  by?.some(({ role }) => delegated.has(role.value)) === true
    ? { field }
    : undefined;

export const findVotes = ({ transitions = [] }: EntityStates, expansion: Expansion): readonly Vote[] => {
  const votes = transitions.flatMap(({ value }) => readVote(value, expansion) ?? []);
  return [...new Map(votes.map((vote) => [vote.field.value, vote])).values()];
};
