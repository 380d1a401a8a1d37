import { type Template, templateExpressions } from "../../expression/compile/template.ts";
import type { Expr } from "../../expression/expr.ts";
import { findBraces } from "../../expression/syntax/braces.ts";
import { toTitle } from "../inflection.ts";
import type { Model } from "../model.ts";

/**
 * The titles of the fields in the message of an error, by path: `{ "employee.allowance": "Allowance" }`. A title
 * replaces a value that the reader cannot see. A value that can be missing has none, because a message must not
 * distinguish a missing value from a hidden one.
 */
export const placeTitles = (model: Model, code: string): ReadonlyMap<string, string> => {
  const known = byModel.get(model) ?? new Map<string, ReadonlyMap<string, string>>();
  byModel.set(model, known);
  const titles = known.get(code) ?? findTitles(model, code);
  known.set(code, titles);
  return titles;
};

const byModel = new WeakMap<Model, Map<string, ReadonlyMap<string, string>>>();

/** The messages of an error in the clauses that refuse with it. */
const messagesOf = (model: Model, code: string): readonly Template[] =>
  [...model.entities.values()].flatMap(({ rules, uniquenessRules, states }) =>
    [
      ...rules,
      ...uniquenessRules,
      ...[...(states?.transitions.values() ?? [])].flatMap((transition) => transition.preconditions),
    ]
      .filter(({ error }) => error === code)
      .map(({ message }) => message),
  );

const findTitles = (model: Model, code: string): ReadonlyMap<string, string> => {
  const places = findBraces(model.errors.get(code)?.message ?? "");
  return new Map(
    messagesOf(model, code).flatMap((message) =>
      templateExpressions(message).flatMap((expr, i): [string, string][] => {
        const place = places[i];
        const title = place === undefined || expr.missing ? undefined : findTitle(model, expr, place.trim());
        return place === undefined || title === undefined ? [] : [[place, title]];
      }),
    ),
  );
};

/** True if each clause that refuses with the error fills this place of its message with a date. */
export const isDatePlace = (model: Model, code: string, place: string): boolean => {
  const at = findBraces(model.errors.get(code)?.message ?? "").indexOf(place);
  const messages = messagesOf(model, code);
  return messages.length > 0 && messages.every((message) => templateExpressions(message)[at]?.type.kind === "date");
};

/** The title of a field; of one in the label of a record, the title of the reference: `{device.name}` as “Device”. */
const findTitle = (model: Model, expr: Expr, place: string): string | undefined => {
  if (expr.kind !== "field") return /^[a-z]\w*$/u.test(place) ? toTitle(place) : undefined;
  const entity = model.entities.get(expr.entity.name);
  const isLabel =
    expr.of.kind === "field" &&
    entity !== undefined &&
    templateExpressions(entity.label).some((part) => part.kind === "field" && part.field.name === expr.field.name);
  if (isLabel) return findTitle(model, expr.of, place);
  return entity?.fields.get(expr.field.name)?.title;
};
