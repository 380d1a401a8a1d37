import type { FindingCode } from "../../findings.ts";
import { nearest, type Span } from "../../source-text.ts";
import type { Expr } from "../expr.ts";
import type { Stretch } from "../syntax/ast.ts";
import type { Scope, Type } from "../values/type.ts";
import type { Meant } from "./foreign-syntax.ts";

/** What reading a part of an expression needs to know. */
export interface Reading {
  readonly scope: Scope;
  /** Where in the file a part of the text stands. */
  readonly at: (stretch: Stretch) => Span;
  readonly report: Report;
  /** Notes that a field is read of which nobody decided what it is. */
  readonly undecided: (field: Expr) => void;
  /** The variables of the lists around, each with the number of lists around its own. */
  readonly variables: ReadonlyMap<string, { readonly type: Type; readonly level: number }>;
  /** The paths that what stands before has made sure of; see `given.ts`. */
  readonly given: ReadonlySet<string>;
}

export type Report = (
  code: FindingCode,
  stretch: Stretch,
  message: string,
  hint: string,
  more?: { readonly nearest?: string },
) => void;

export const boolean: Type = { kind: "boolean" };
export const unknown: Type = { kind: "unknown" };

/** What stands where a mistake was reported: it fits everywhere, so that one mistake gives one finding. */
export const mistaken = (stretch: Stretch, { at }: Reading): Expr => ({
  kind: "constant",
  value: null,
  type: unknown,
  missing: false,
  span: at(stretch),
});

/** Reports a name that nothing declares, with the one that was probably meant. */
export const reportUnknown = (
  name: string,
  message: string,
  known: Iterable<string>,
  stretch: Stretch,
  { report }: Reading,
  meant?: Meant,
): void => {
  if (meant !== undefined && "hint" in meant) {
    report("UNKNOWN_NAME", stretch, message, meant.hint);
    return;
  }
  const near = meant?.name ?? nearest(name, known);
  if (near === undefined) report("UNKNOWN_NAME", stretch, message, "Write a name that exists.");
  else report("UNKNOWN_NAME", stretch, message, `Did you mean “${near}”?`, { nearest: near });
};
