import type { Expr } from "../../expression/expr.ts";
import type { Effect } from "../../model/effect.ts";
import { mapEntries, mapValues, type Names } from "./names.ts";
import { renameExpr, renameOptional, renameTemplate } from "./rename-expr.ts";

export const renameEffect = (effect: Effect, names: Names): Effect => {
  const base = {
    each: effect.each.map(({ name, list }) => ({ name, list: renameExpr(list, names) })),
    when: renameOptional(effect.when, names),
  };
  const set = (entity: string, values: ReadonlyMap<string, Expr>): ReadonlyMap<string, Expr> =>
    mapEntries(
      values,
      (field) => names.field(entity, field),
      (value) => renameExpr(value, names),
    );
  switch (effect.kind) {
    case "notify":
      return {
        ...effect,
        ...base,
        to: renameExpr(effect.to, names),
        text: renameTemplate(effect.text, names),
        message: names.text(effect.message),
      };
    case "chat":
      return {
        ...effect,
        ...base,
        text: renameTemplate(effect.text, names),
        message: names.text(effect.message),
      };
    case "call":
      return { ...effect, ...base, sends: mapValues(effect.sends, (value) => renameExpr(value, names)) };
    case "create":
      return { ...effect, ...base, entity: names.entity(effect.entity), set: set(effect.entity, effect.set) };
    case "put":
      return {
        ...effect,
        ...base,
        entity: names.entity(effect.entity),
        key: effect.key.map((field) => names.field(effect.entity, field)),
        set: set(effect.entity, effect.set),
      };
    case "update":
      return {
        ...effect,
        ...base,
        entity: names.entity(effect.entity),
        of: renameExpr(effect.of, names),
        set: set(effect.entity, effect.set),
      };
    case "delete":
      return { ...effect, ...base, entity: names.entity(effect.entity), of: renameExpr(effect.of, names) };
    case "make":
      return {
        ...effect,
        ...base,
        entity: names.entity(effect.entity),
        transition: names.transition(effect.entity, effect.transition),
        of: renameOptional(effect.of, names),
        set: set(effect.entity, effect.set),
      };
  }
};
