import { listOrOne } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { expression } from "../../document/shape/scalar.ts";
import type { ShapeValue } from "../../document/shape.ts";

/** Point 6: the roles that people can hand to a deputy, and the maximum period. */
export const deputiesShape = record("who can have a deputy", {
  for: required(listOrOne(name("role"))),
  "up to": required(expression),
  among: optional(expression),
});

export type DeputiesSyntax = ShapeValue<typeof deputiesShape>;
