import type { SelectedRecordsJson, StepJson, WayJson, WhyJson } from "../../core/wire/why.ts";

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

/**
 * The records for which an action is refused: those of the deciding clause before others. A rule that only a trial decides is
 * known by its clause alone.
 */
export const findRecordsInTheWay = (
  { musts }: Pick<WhyJson, "musts">,
  deciding: string,
): SelectedRecordsJson | undefined => {
  const inTheWay = musts.filter(
    ({ clause, holds, records }) =>
      records !== undefined && (holds === false || (holds === null && clause === deciding)),
  );
  return (inTheWay.find(({ clause }) => clause === deciding) ?? inTheWay[0])?.records;
};
