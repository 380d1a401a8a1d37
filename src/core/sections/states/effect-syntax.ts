import { orKeyName } from "../../document/shape/combinators.ts";
import { keyed, listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { expression, plainText, template } from "../../document/shape/scalar.ts";
import type { ShapeValue } from "../../document/shape.ts";

/** An effect: one main key for its kind, `when` for its condition, `for` for its iteration. */
export const effect = record("an effect", {
  notify: optional(expression),
  text: optional(template),
  call: optional(name("field")),
  create: optional(name("entity")),
  put: optional(name("entity")),
  key: optional(listOrOne(name("field"))),
  update: optional(expression),
  delete: optional(expression),
  make: optional(name("field")),
  of: optional(expression),
  for: optional(keyed("a name with a list", expression)),
  when: optional(expression),
  set: optional(keyed("a mapping from fields to expressions", orKeyName(expression))),
  attach: optional(plainText),
});

/** Effects by trigger: `create`, `update`, `delete` or the name of a transition. */
export const effectsShape = keyed("a mapping from transitions to effects", listOrOne(effect));

export type EffectSyntax = ShapeValue<typeof effect>;
export const mains = ["notify", "call", "create", "put", "update", "delete", "make"] as const;
