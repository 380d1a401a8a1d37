import type { Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { ShownFact } from "../../model/entity.ts";
import { type Linking, linkExpression } from "../linking/link-context.ts";

/** The values that the dialog of a transition shows: `net`, or `department.remaining_budget` through a reference. */
export const linkShownFacts = (
  shows: readonly Scalar[] | "none",
  asks: readonly string[],
  { scope, linking, clause }: { readonly scope: Scope; readonly linking: Linking; readonly clause: string },
): readonly ShownFact[] => {
  const report = (at: Scalar, message: string, hint: string) =>
    linking.report(finding("BAD_VALUE", at.span, message, hint, { clause }));
  const seen = new Set<string>();
  return (shows === "none" ? [] : shows).flatMap((at): readonly ShownFact[] => {
    const expr = linkExpression(at, scope, undefined, linking, clause);
    if (expr === undefined) return [];
    const fact = toFact(expr);
    if (fact === undefined) {
      report(
        at,
        `A dialog shows fields, but “${at.text}” is none.`,
        "Name a field of the record, or one of a record that it refers to, such as “department.budget”.",
      );
      return [];
    }
    if (fact.of === undefined && asks.includes(fact.field)) {
      report(at, `The dialog asks for ${fact.field} already.`, "Remove it here, or from “asks:”.");
      return [];
    }
    const path = `${fact.of?.reference ?? ""}.${fact.field}`;
    if (seen.has(path)) {
      linking.report(finding("NAME_TWICE", at.span, `“${at.text}” occurs twice.`, "Remove one.", { clause }));
      return [];
    }
    seen.add(path);
    return [fact];
  });
};

/** A field of the record, or of one that it refers to; undefined for anything else. */
const toFact = (expr: Expr): ShownFact | undefined => {
  if (expr.kind !== "field" || expr.field.type.kind === "list") return undefined;
  const { of, field } = expr;
  if (of.kind === "this") return { field: field.name };
  if (of.kind !== "field" || of.of.kind !== "this") return undefined;
  return { field: field.name, of: { reference: of.field.name, entity: expr.entity.name } };
};
