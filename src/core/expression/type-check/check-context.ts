import type { FindingCode } from "../../findings.ts";
import { nearest, type Span } from "../../source-text.ts";
import type { Expr } from "../expr.ts";
import type { TextRange } from "../syntax/ast.ts";
import type { Scope, Type } from "../values/type.ts";
import type { Counterpart } from "./foreign-syntax.ts";

/** The context for type-checking a subexpression. */
export interface CheckContext {
  readonly scope: Scope;
  /** The expression as written. */
  readonly text: string;
  /** Maps a range of the expression to its span in the file. */
  readonly at: (range: TextRange) => Span;
  readonly report: Report;
  /** Records that the expression reads a field whose type is an open point. */
  readonly undecided: (field: Expr) => void;
  /** Variables of the enclosing list operations; `level` counts the list operations around each. */
  readonly variables: ReadonlyMap<string, { readonly type: Type; readonly level: number }>;
  /** Paths that an earlier condition proved to exist; see `null-narrowing.ts`. */
  readonly nonNull: ReadonlySet<string>;
}

export type Report = (
  code: FindingCode,
  range: TextRange,
  message: string,
  hint: string,
  more?: { readonly nearest?: string },
) => void;

export const booleanType: Type = { kind: "boolean" };
export const unknown: Type = { kind: "unknown" };

/** Placeholder after a reported mistake. It fits every type, so one mistake gives one finding. */
export const mistakePlaceholder = (range: TextRange, { at }: CheckContext): Expr => ({
  kind: "constant",
  value: null,
  type: unknown,
  missing: false,
  span: at(range),
});

/** Reports an undeclared name and suggests the most similar declared one. */
export const reportUnknown = (
  name: string,
  message: string,
  known: Iterable<string>,
  range: TextRange,
  { report }: CheckContext,
  counterpart?: Counterpart,
): void => {
  if (counterpart !== undefined && "hint" in counterpart) {
    report("UNKNOWN_NAME", range, message, counterpart.hint);
    return;
  }
  const near = counterpart?.name ?? nearest(name, known);
  if (near === undefined) report("UNKNOWN_NAME", range, message, "Use a name that exists.");
  else report("UNKNOWN_NAME", range, message, `Did you mean “${near}”?`, { nearest: near });
};
