import { localeAmong, type Phrases } from "../../explain/language.ts";
import type { Phrasing } from "../../explain/phrase.ts";
import { type Expr, mapParts } from "../../expression/expr.ts";
import { createFormatter, type Format } from "../../model/format.ts";
import type { Model } from "../../model/model.ts";

/** How conditions are phrased for people who do not read the document. */
export type Wording = Omit<Phrasing, "source">;

const formats = new WeakMap<Phrases, Format>();

export const toWording = (model: Model, phrases: Phrases): Wording => {
  return { model, ...formatIn(model, phrases), who: null };
};

/** The words and the format of values in a language. */
export const formatIn = (model: Model, phrases: Phrases): { readonly phrases: Phrases; readonly format: Format } => {
  const format =
    formats.get(phrases) ?? createFormatter(localeAmong(phrases, model.locale), model.timezone, phrases.booleans);
  formats.set(phrases, format);
  return { phrases, format };
};

/** Replaces named constants by their values, since their names are for readers of the document. */
export const withoutLimits = (expr: Expr): Expr => {
  if (expr.kind !== "constant") return mapParts(expr, withoutLimits);
  const { limit: _, ...value } = expr;
  return value;
};
