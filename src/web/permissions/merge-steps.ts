import type { StepJson, WayJson, WhyJson } from "../../core/wire/why.ts";

/** A condition, and every clause that asks for it. */
export interface MergedStep extends StepJson {
  readonly clauses: readonly string[];
}

export interface MergedWay extends Omit<WayJson, "needs"> {
  readonly needs: readonly MergedStep[];
}

const isSame = (one: StepJson, other: StepJson): boolean => one.says === other.says && one.holds === other.holds;

const mergeEqual = (steps: readonly StepJson[]): readonly MergedStep[] =>
  steps
    .filter((step, at) => steps.findIndex((other) => isSame(step, other)) === at)
    .map((step) => ({
      ...step,
      clauses: [...new Set(steps.filter((other) => isSame(step, other)).map(({ clause }) => clause))],
    }));

/**
 * The steps of an explanation, with each condition once. One that is always required and also part of a grant is only
 * among the requirements, with the clauses of both.
 */
export const mergeSteps = ({
  ways,
  musts,
}: Pick<WhyJson, "ways" | "musts">): { readonly ways: readonly MergedWay[]; readonly musts: readonly MergedStep[] } => {
  const needs = ways.flatMap((way) => way.needs);
  return {
    ways: ways.map((way) => ({
      ...way,
      needs: mergeEqual(way.needs.filter((need) => !musts.some((must) => isSame(must, need)))),
    })),
    musts: mergeEqual([...musts, ...needs]).filter((step) => musts.some((must) => isSame(must, step))),
  };
};
