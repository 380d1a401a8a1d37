import { type Phrases, withQuotedTitles } from "../../explain/language.ts";
import { valueNoun } from "../../explain/phrase.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet, readsItsRecord } from "../../expression/inspect/read-set.ts";
import { serializeExpr } from "../../expression/rewrite/serialize.ts";
import { fieldKinds } from "../../field/kinds.ts";
import type { Entity } from "../../model/entity.ts";
import type { Field } from "../../model/field.ts";
import type { Format } from "../../model/format.ts";
import type { Model } from "../../model/model.ts";
import type { SuggestionJson } from "../../wire/entities.ts";
import type { Principal } from "../authorization/grants.ts";
import { findReferences } from "./form-computed-fields.ts";

/**
 * A default that reads the new record, for a form: it reads fields of the record, and of records that it refers to, that
 * the caller can know. Undefined if only the server can evaluate it.
 */
export const suggestionInForm = (
  model: Model,
  entity: Entity,
  field: Field,
  person: Principal,
  words: { readonly phrases: Phrases; readonly format: Format },
): SuggestionJson | undefined => {
  const { default: initial } = field;
  if (initial === null || !readsItsRecord(initial) || field.many) return undefined;
  if (!fieldKinds[field.type].fields.suggestions) return undefined;
  const loads = pathsToLoad(model, entity, initial, person);
  if (loads === undefined) return undefined;
  const says = valueNoun(initial, {
    model,
    format: words.format,
    phrases: withQuotedTitles(words.phrases),
    who: null,
  });
  return { suggested: serializeExpr(initial), loads, ...(says === undefined ? {} : { says }) };
};

/** The references on the paths of the expression; undefined if it reads something that a form does not have. */
const pathsToLoad = (model: Model, entity: Entity, expr: Expr, person: Principal): readonly string[] | undefined => {
  const { paths, user, old, names, recordReads } = collectReadSet(expr);
  const isPath = recordReads.every(({ by, key }) => by === "id" && key !== undefined);
  if (user || old || names.size > 0 || !isPath) return undefined;
  const loads = new Set<string>();
  for (const path of paths) {
    const references = findReferences(model, entity, path, person);
    if (references === undefined) return undefined;
    for (const reference of references) loads.add(reference);
  }
  return [...loads];
};
