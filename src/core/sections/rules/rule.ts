import { keyed, list, listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { expression, flag, word } from "../../document/shape/scalar.ts";
import type { ShapeValue } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Scope } from "../../expression/values/type.ts";
import type { Clause } from "../../model/clause.ts";
import { clauseAt } from "../linking/link-context.ts";

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

export type RuleSyntax = ShapeValue<typeof rule>;

/** A rule of an entity with the message of its error. */
export interface EntityRule {
  readonly syntax: RuleSyntax;
  readonly entity: string;
  readonly message: Scalar | undefined;
  /** The names that its expressions can use. */
  readonly scope: Scope;
}

export const ruleClause = ({ syntax, entity }: Pick<EntityRule, "syntax" | "entity">): Clause =>
  clauseAt(`5.${entity}.${syntax.name?.value ?? syntax.else.value}`, syntax.span);
