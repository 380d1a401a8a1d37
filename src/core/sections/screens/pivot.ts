import { optional } from "../../document/shape/record.ts";
import { expression } from "../../document/shape/scalar.ts";
import type { Scalar } from "../../document/tree.ts";
import { finding } from "../../findings.ts";
import { parseGroupKey } from "../../model/facts/date-steps.ts";
import { isSummed } from "../../model/facts/grouping.ts";
import type { Pivot } from "../../model/screen.ts";
import type { Span } from "../../source-text.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import { type Linking, reportNotExecuted } from "../linking/link-context.ts";
import { linkGroupKey, spanOfField } from "./group-key.ts";

/** Point 2: a pivot as a layout of a list and as a tile: `{ pivot: status, by: priority, value: sum(cost) }`. */
export const pivotKeys = { pivot: optional(expression), by: optional(expression), value: optional(expression) };

interface PivotSyntax {
  readonly pivot?: Scalar | undefined;
  readonly by?: Scalar | undefined;
  readonly value?: Scalar | undefined;
  readonly span: Span;
  readonly keys: { readonly [key in keyof typeof pivotKeys]?: Span };
}

/** Links a pivot; undefined if it is not executable. */
export const linkPivot = (
  { pivot, by, value, span, keys }: PivotSyntax,
  linked: LinkedEntity,
  linking: Linking,
  clause: string,
): Pivot | undefined => {
  const wrong = (code: "BAD_VALUE" | "MISSING_KEY", at: Span, message: string, hint: string) =>
    linking.report(finding(code, at, message, hint, { clause }));
  const group = (at: Scalar) =>
    linkGroupKey(at, "A pivot can’t have a line for each value of", linked, linking, clause);
  if (!("by" in keys))
    wrong(
      "MISSING_KEY",
      span,
      "A pivot needs “by”.",
      "Add the field of its columns: “{ pivot: status, by: priority }”.",
    );
  const [rows, columns] = [pivot, by].map((field) => field && group(field));
  const [rowField, columnField] = [rows, columns].map((key) => key && parseGroupKey(key).field);
  if (by !== undefined && rowField !== undefined && rowField === columnField) {
    wrong("BAD_VALUE", by.span, "A pivot has two different fields.", "Choose another field for its columns.");
    return undefined;
  }
  const sum = value === undefined ? null : linkSum(value, linked, linking, clause);
  return rows === undefined || columns === undefined || sum === undefined ? undefined : { rows, columns, sum };
};

/** The field that is added up, and null for `count()`. Only these add up to totals whose records can be listed. */
const linkSum = (at: Scalar, linked: LinkedEntity, linking: Linking, clause: string): string | null | undefined => {
  const text = at.text.trim();
  if (text === "count()") return null;
  const [, named] = /^sum\(\s*(\w+)\s*\)$/u.exec(text) ?? [];
  const wrong = (message: string, hint: string) =>
    linking.report(finding("BAD_EXPRESSION", at.span, message, hint, { clause }));
  if (named === undefined) {
    wrong("A pivot counts records, or adds up one field.", "Write count() or sum(cost).");
    return undefined;
  }
  const field = resolveField(linked, spanOfField(at, named), linking);
  if (field !== undefined && isSummed(field)) return field.name;
  if (field !== undefined) wrong("sum() needs a number.", "Use a number, or write count().");
  else if (linked.named.has(named)) reportNotExecuted(linking, "reads what is not decided", at.span, clause);
  return undefined;
};
