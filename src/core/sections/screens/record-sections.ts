import { byKind, map } from "../../document/shape/combinators.ts";
import { list } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { expression, plainText, word } from "../../document/shape/scalar.ts";
import type { ShapeValue, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { Section } from "../../model/screen.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import { type Linking, linkExpression } from "../linking/link-context.ts";
import { type ScreenContext, shownName } from "./screen-fields.ts";

const shownField = byKind<{ readonly field: Spanned<string>; readonly when?: Scalar }>(
  "a field, or a field with its condition",
  {
    scalar: map(name("field"), (field) => ({ field })),
    mapping: map(record("a field", { field: required(name("field")), when: required(expression) }), (keys) => ({
      field: keys.field,
      when: keys.when,
    })),
  },
);

export const sectionShape = byKind<SectionSyntax>("“history”, { fields: [name] } or { list: comments }", {
  scalar: map(word("history"), (): SectionSyntax => ({ kind: "history" })),
  mapping: map(
    record("a section", {
      title: optional(plainText),
      fields: optional(list(shownField)),
      list: optional(name("field")),
    }),
    (keys): SectionSyntax => {
      const title = keys.title === undefined ? {} : { title: keys.title };
      return keys.list === undefined
        ? { kind: "fields", ...title, fields: keys.fields ?? [] }
        : { kind: "list", ...title, list: keys.list };
    },
  ),
});

type SectionSyntax =
  | { readonly kind: "history" }
  | { readonly kind: "list"; readonly title?: Spanned<string>; readonly list: Spanned<string> }
  | {
      readonly kind: "fields";
      readonly title?: Spanned<string>;
      readonly fields: readonly ShapeValue<typeof shownField>[];
    };

export const linkSection = (
  syntax: SectionSyntax,
  linked: LinkedEntity,
  clause: Clause,
  context: ScreenContext,
): readonly Section[] => {
  const { linking } = context;
  const scope: Scope = { ...context.scope, entity: linked.name };
  if (syntax.kind === "history") return [{ kind: "history" }];
  if (syntax.kind === "list") return linkList(linked, syntax.list, syntax.title, linking);
  const when = new Map<string, Expr>();
  const lists: Section[] = [];
  const fields = syntax.fields.flatMap((field) => {
    if (linked.fields.get(field.field.value)?.storage.as === "inverse") {
      lists.push(...linkList(linked, field.field, undefined, linking));
      return [];
    }
    const known = shownName(linked, field.field, linking);
    if (field.when === undefined) return known;
    const condition = linkExpression(field.when, scope, { kind: "boolean" }, linking, clause.id);
    // A condition that is not executable hides its field.
    if (condition === undefined) return [];
    for (const name of known) when.set(name, condition);
    return known;
  });
  // Lists among the fields move below them.
  return [{ kind: "fields", title: syntax.title?.value ?? null, fields, when }, ...lists];
};

/** A section with the records of an inverse reference. */
const linkList = (
  linked: LinkedEntity,
  name: Spanned<string>,
  title: Spanned<string> | undefined,
  linking: Linking,
): readonly Section[] => {
  const field = resolveField(linked, name, linking);
  if (field?.storage.as === "inverse") return [{ kind: "list", title: title?.value ?? null, field: field.name }];
  if (field !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        name.span,
        `${name.value} is not a list of other records.`,
        `Show it as a field: “{ fields: [${name.value}] }”.`,
      ),
    );
  return [];
};
