import {
  expression,
  flag,
  keyed,
  list,
  listOrOne,
  name,
  optional,
  type Read,
  record,
  required,
  word,
} from "../document/shape.ts";

/** Keys of a rule in point 5. */
export const rule = record("a rule", {
  rule: optional(expression),
  "no overlap": optional(list(name("field"))),
  unique: optional(listOrOne(name("field"))),
  within: optional(listOrOne(name("field"))),
  where: optional(expression),
  missing: optional(word("same")),
  with: optional(keyed("a mapping from names to expressions", expression)),
  when: optional(expression),
  during: optional(listOrOne(name("field"))),
  before: optional(listOrOne(name("field"))),
  always: optional(flag),
  discloses: optional(flag),
  name: optional(name("field")),
  else: required(name("error")),
});

export type RuleSyntax = Read<typeof rule>;
