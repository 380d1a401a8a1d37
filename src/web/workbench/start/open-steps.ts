import { useState } from "react";
import { type FirstStep, firstSteps } from "../../../core/draft/write-step.ts";
import type { CheckedText } from "../editor/editor-answers.ts";

/** The point of each step, and the clauses that it writes. */
const written: Readonly<Record<FirstStep, { readonly point: number; readonly clauses: RegExp | null }>> = {
  purpose: { point: 1, clauses: null },
  entity: { point: 3, clauses: /^3\.(?!User\b)[A-Z]\w*$/u },
  list: { point: 2, clauses: /^2\.\//u },
  roles: { point: 6, clauses: /^6\.roles\./u },
  states: { point: 4, clauses: /^4\.[A-Z]/u },
};

/** True if the document has what the step writes, or decides that there is none: `none`. */
export const isStepDone = (step: FirstStep, { open, clauses }: CheckedText): boolean => {
  const { point, clauses: pattern } = written[step];
  return !open.some((item) => item.point === point) || (pattern !== null && clauses.some(({ id }) => pattern.test(id)));
};

export const findOpenSteps = (checked: CheckedText): readonly FirstStep[] =>
  firstSteps.filter((step) => !isStepDone(step, checked));

/** The newest text without errors. A text with errors has no clauses, but its steps were done before. */
export const useNewestValidText = (latest: CheckedText): CheckedText => {
  const [last, setLast] = useState(latest);
  if (latest.isRunnable && latest !== last) setLast(latest);
  return latest.isRunnable ? latest : last;
};

/** The first steps that the document lacks. */
export const useOpenSteps = (latest: CheckedText): readonly FirstStep[] => findOpenSteps(useNewestValidText(latest));
