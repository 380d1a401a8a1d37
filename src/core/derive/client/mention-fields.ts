import { type Expr, subexpressions } from "../../expression/expr.ts";
import type { Entity } from "../../model/entity.ts";

/**
 * The text fields in which mentioning a person notifies them: those that a notification searches for a property of a
 * user, such as `notify: "User.filter(u, contains(text, '@' + u.name))"`.
 */
export const findMentionFields = (entity: Entity): ReadonlySet<string> => {
  const fields = new Set<string>();
  for (const effects of entity.after.values())
    for (const effect of effects) if (effect.kind === "notify") searched(effect.to, fields);
  return fields;
};

const searched = (expr: Expr, fields: Set<string>): void => {
  if (expr.kind === "call" && expr.row === "contains(text, text)") {
    const [text] = expr.args;
    if (text?.kind === "field" && text.of.kind === "this") fields.add(text.field.name);
  }
  for (const part of subexpressions(expr)) searched(part, fields);
};
