import type { Expr } from "../expression/expr.ts";
import type { Span } from "../source-text.ts";

/** The clause that decides a behaviour, `5.Loan.DUE_BEFORE_START`, and its location. */
export interface Clause {
  readonly id: string;
  readonly span: Span;
}

/** A condition on a record, and the fields that it reads. */
export interface Condition {
  readonly holds: Expr;
  readonly reads: ReadonlySet<string>;
}
