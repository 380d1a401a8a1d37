import { byKind, map, withDefault } from "../../document/shape/combinators.ts";
import { keyed, list, listOrOne, named, single } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record } from "../../document/shape/record.ts";
import { expression, flag, plainText, word } from "../../document/shape/scalar.ts";
import type { Named, ShapeValue, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Span } from "../../source-text.ts";
import { keptShape } from "./kept-syntax.ts";

const choiceKeys = record("a choice's value", { was: optional(listOrOne(name("value"))) });

export interface ChoiceSyntax {
  readonly name: Spanned<string>;
  readonly was?: readonly Spanned<string>[] | undefined;
}

/** `holiday`, or `holiday: { was: vacation }`. */
const choice = byKind<ChoiceSyntax>("a choice's name, or a name with its keys", {
  scalar: map(name("value"), (name) => ({ name })),
  mapping: map(single("one choice's name with its keys", "value", choiceKeys), (only) => ({
    name: { value: only.name, span: only.key },
    was: only.value.was,
  })),
});

/** `[low, high]`, or another field that has the same values: `Repair.urgency`, whose choices are filled in later. */
const choices = byKind<{ readonly of?: Spanned<string>; readonly choices: readonly ChoiceSyntax[] }>(
  "a list of values, or another field that lists them",
  {
    scalar: map(plainText, (of) => ({ of, choices: [] })),
    list: map(list(choice), (values) => ({ choices: values })),
  },
);

/** The type of a former field: `text`, or `[text]` for one with several values. */
export interface FormerTypeSyntax {
  readonly type: Spanned<string>;
  readonly many: boolean;
}

/** A former name, or former fields with their types, from which `fill` computes the value. */
export type FormerSyntax = Spanned<string> | readonly Named<FormerTypeSyntax>[];

const formerType = byKind<FormerTypeSyntax>("a field's type", {
  scalar: map(plainText, (type) => ({ type, many: false })),
  list: map(list(plainText), ([type]) => ({ type: type ?? { value: "", span: unplaced }, many: true })),
});
const unplaced: Span = { file: "", start: 0, end: 0 };

const former = byKind<FormerSyntax>("a former name, or former fields with their types", {
  scalar: name("field"),
  mapping: named("field", formerType),
});

const field = record(
  "a field",
  {
    type: optional(plainText),
    title: optional(plainText),
    help: optional(plainText),
    unit: optional(plainText),
    examples: optional(list(plainText)),
    values: optional(choices),
    min: optional(plainText),
    max: optional(plainText),
    unique: optional(flag),
    missing: optional(word("same")),
    once: optional(flag),
    many: optional(flag),
    default: optional(expression),
    set: optional(expression),
    computed: optional(
      byKind<Scalar | readonly Named<Scalar>[]>("an expression, or choices with their conditions", {
        scalar: expression,
        mapping: keyed("choices with their conditions", expression),
      }),
    ),
    kept: optional(keptShape),
    list: optional(plainText),
    "part of": optional(flag),
    among: optional(expression),
    required: optional(expression),
    pattern: optional(plainText),
    gapless: optional(name("field")),
    from: optional(name("field")),
    currency: optional(plainText),
    was: optional(former),
    fill: optional(expression),
    discloses: optional(flag),
    personal: optional(flag),
  },
  "type",
);

/** A field that is `not shown` has an undecided type; other clauses can still name it. */
const unsaid = (span: Span): FieldSyntax | undefined => {
  const empty = field.read({ kind: "mapping", entries: [], span, written: undefined }, () => undefined);
  return empty === undefined ? undefined : { ...empty, keys: { type: span } };
};

export const fieldsShape = named("field", withDefault("FIELD_WITHOUT_COLUMN", field, unsaid));

export type FieldSyntax = ShapeValue<typeof field>;

/** The former name of a field, unless its values are computed from former fields. */
export const formerName = ({ was }: Pick<FieldSyntax, "was">): Spanned<string> | undefined =>
  was !== undefined && "value" in was ? was : undefined;

/** The former fields from which `fill` computes the value. */
export const formerFields = ({ was }: Pick<FieldSyntax, "was">): readonly Named<FormerTypeSyntax>[] =>
  was === undefined || "value" in was ? [] : was;

/** The type name as written, without the `?` for optional. */
export const writtenType = (syntax: FieldSyntax): string | undefined => syntax.type?.value.replace(/\?$/u, "").trim();
