import { byKind, map } from "../../document/shape/combinators.ts";
import { listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { record, required } from "../../document/shape/record.ts";
import { word } from "../../document/shape/scalar.ts";
import type { Spanned } from "../../document/shape.ts";
import type { KeptUntil } from "../../model/field.ts";

const until = record("what a value is kept until", { until: required(listOrOne(name("field"))) });

/** `true`, `for good`, or `{ until: [product, submit] }`. */
type KeptSyntax =
  | { readonly kind: "word"; readonly isKept: boolean; readonly isForGood: boolean }
  | { readonly kind: "until"; readonly names: readonly Spanned<string>[] };

export const keptShape = byKind<KeptSyntax>("true, “for good”, or “until” with fields or transitions", {
  scalar: map(word("true", "false", "for good"), ({ value }) => ({
    kind: "word" as const,
    isKept: value !== "false",
    isForGood: value === "for good",
  })),
  mapping: map(until, (syntax) => ({ kind: "until" as const, names: syntax.until })),
});

export const asksToKeep = (syntax: KeptSyntax | undefined): syntax is KeptSyntax =>
  syntax !== undefined && (syntax.kind === "until" || syntax.isKept);

/** The names after `until`; empty for values that are kept in another way. */
export const untilNames = (syntax: KeptSyntax | undefined): readonly Spanned<string>[] =>
  syntax?.kind === "until" ? syntax.names : [];

/** When a kept value is computed again; null for every write. A name that is not a field is that of a transition. */
export const toKeptUntil = (syntax: KeptSyntax, isField: (name: string) => boolean): KeptUntil | null => {
  if (syntax.kind === "word" && !syntax.isForGood) return null;
  const names = untilNames(syntax).map(({ value }) => value);
  return { fields: names.filter(isField), transitions: names.filter((name) => !isField(name)) };
};
