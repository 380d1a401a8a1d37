import type { Report } from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { type FindingCode, finding } from "../findings.ts";
import type { Clause } from "../model/model.ts";
import { type ReadOptions, readRule } from "../rule/check.ts";
import type { Expr } from "../rule/expr.ts";
import { readsOf } from "../rule/reads.ts";
import type { Scope, Type } from "../rule/type.ts";
import { nearest, type Span } from "../text.ts";

/** What linking the nine points shares: where findings go, and what was used, for the checks that see across points. */
export interface Linking {
  readonly report: Report;
  readonly limitsRead: Set<string>;
  readonly rolesUsed: Set<string>;
}

export const clauseAt = (id: string, span: Span): Clause => ({ id, span });

/** Reads and types an expression of the document at its exact place. */
export const linkExpression = (
  at: Scalar,
  scope: Scope,
  expected: Type,
  linking: Linking,
  options: ReadOptions = {},
): Expr | undefined => {
  const { value, findings } = readRule(at.text, { ...at.span, start: at.locate(0) }, scope, expected, {
    ...options,
    locate: at.locate,
  });
  for (const one of findings) linking.report(one);
  if (value !== undefined) for (const limit of readsOf(value).limits) linking.limitsRead.add(limit);
  return value;
};

/** "There is no field x in Loan." with the name that was probably meant. */
export const unknownName = (
  linking: Linking,
  span: Span,
  what: string,
  name: string,
  known: Iterable<string>,
  code: FindingCode = "UNKNOWN_NAME",
): void => {
  const near = nearest(name, known);
  linking.report(
    finding(
      code,
      span,
      `There is no ${what} “${name}”.`,
      near === undefined ? "Declare it, or name one that exists." : `Did you mean “${near}”?`,
      near === undefined ? {} : { nearest: near, fix: [{ span, text: near }] },
    ),
  );
};
