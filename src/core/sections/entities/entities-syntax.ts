import { byKind, map, memoized, orNone } from "../../document/shape/combinators.ts";
import { keyed, named } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { expression, plainText, template } from "../../document/shape/scalar.ts";
import type { ShapeValue } from "../../document/shape.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import { pluralize } from "../../model/inflection.ts";
import { fieldsShape } from "./field-syntax.ts";
import { recordsShape } from "./seed-records.ts";

const oneAndMany = record("what one record is called, and several", {
  one: required(plainText),
  many: required(plainText),
});

/** `title: Machine` with a regular plural, or `title: { one: Child, many: Children }`. */
const titles = byKind<{ readonly one: string; readonly many: string }>("what a record is called", {
  scalar: map(plainText, ({ value }) => ({ one: value, many: pluralize(value) })),
  mapping: map(oneAndMany, ({ one, many }) => ({ one: one.value, many: many.value })),
});

const entity = record("an entity", {
  label: optional(template),
  title: optional(titles),
  path: optional(plainText),
  fields: optional(fieldsShape),
  "rows of": optional(keyed("a mapping from names to entities or lists", expression)),
  where: optional(expression),
  records: optional(recordsShape),
  was: optional(name("entity")),
});

export const entitiesShape = orNone(named("entity", memoized(entity)));

export type EntitiesSyntax = ShapeValue<typeof entitiesShape>;
export type EntitySyntax = ShapeValue<typeof entity>;
export type FieldsSyntax = NonNullable<EntitySyntax["fields"]>;

export const listEntityDefaults = (syntax: EntitiesSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === undefined) return ["NO_ENTITIES", "NO_FIELDS"];
  return syntax !== "none" && syntax.some((entry) => entry.value.label === undefined && entry.name !== "User")
    ? ["LABEL_FIRST_TEXT"]
    : [];
};
