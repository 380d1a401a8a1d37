import { actShapes } from "../../expression/values/act-shapes.ts";
import type { FieldShape } from "../../expression/values/type.ts";
import { type Finding, finding } from "../../findings.ts";
import type { NotExecuted } from "../../model/not-executed.ts";
import type { Span } from "../../source-text.ts";
import { reportNotExecuted } from "../linking/link-context.ts";
import type { CallContext } from "./call-context.ts";
import type { StepVerb } from "./step-verb.ts";

/** A step of a call while its parts are linked. */
export interface StepContext extends CallContext, Pick<StepVerb, "entity" | "kind"> {
  /** The fields of the entity, and the values that only the transition of the step asks for. */
  readonly fields: ReadonlyMap<string, FieldShape> | undefined;
  /** True if the call has several steps. */
  readonly several: boolean;
  readonly report: (found: Finding) => void;
  /** Reports a key without which the step has no meaning. */
  readonly reportMissingKey: (span: Span, message: string, hint: string) => void;
  /** Reports a part that is understood but not executed. */
  readonly notExecuted: (kind: NotExecuted, span: Span) => undefined;
  /** False after any of these reports: the step is then not served. */
  readonly isComplete: () => boolean;
}

export const createStepContext = (
  context: CallContext,
  { entity, kind, transition }: StepVerb,
  several: boolean,
): StepContext => {
  const { clause, linking, scope } = context;
  const fields = scope.entities.get(entity)?.fields;
  const acts = actShapes(scope, entity, transition ?? "");
  let isComplete = true;
  const report = (found: Finding): void => {
    isComplete = false;
    linking.report(found);
  };
  return {
    ...context,
    entity,
    kind,
    fields: fields === undefined || acts.size === 0 ? fields : new Map([...fields, ...acts]),
    several,
    report,
    reportMissingKey: (span, message, hint) => report(finding("MISSING_KEY", span, message, hint, { clause })),
    notExecuted: (kind, span) => {
      isComplete = false;
      reportNotExecuted(linking, kind, span, clause);
    },
    isComplete: () => isComplete,
  };
};
