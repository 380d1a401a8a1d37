import {
  byKind,
  expression,
  flag,
  keyed,
  list,
  listOrOne,
  map,
  type Named,
  name,
  named,
  openAs,
  optional,
  plainText,
  type Read,
  record,
  type Said,
  single,
  word,
} from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { Span } from "../../source-text.ts";

const choiceKeys = record("a choice's value", { was: optional(listOrOne(name("field"))) });

/** `holiday`, or `holiday: { was: vacation }`. */
const choice = byKind<{ readonly name: Said<string>; readonly was?: readonly Said<string>[] | undefined }>(
  "a choice's name, or a name with its keys",
  {
    scalar: map(name("field"), (said) => ({ name: said })),
    mapping: map(single("one choice's name with its keys", "field", choiceKeys), (only) => ({
      name: { value: only.name, span: only.key },
      was: only.value.was,
    })),
  },
);

const field = record(
  "a field",
  {
    type: optional(plainText),
    title: optional(plainText),
    help: optional(plainText),
    unit: optional(plainText),
    examples: optional(list(plainText)),
    values: optional(list(choice)),
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
    kept: optional(flag),
    list: optional(plainText),
    "part of": optional(flag),
    among: optional(expression),
    required: optional(expression),
    pattern: optional(plainText),
    gapless: optional(name("field")),
    from: optional(name("field")),
    currency: optional(plainText),
    was: optional(name("field")),
    fill: optional(expression),
    discloses: optional(flag),
  },
  "type",
);

/** A field that is `not shown` has an undecided type; other clauses can still name it. */
const unsaid = (span: Span): FieldSyntax | undefined => {
  const empty = field.read({ kind: "mapping", entries: [], span, written: undefined }, () => undefined);
  return empty === undefined ? undefined : { ...empty, keys: { type: span } };
};

export const fieldsShape = named("field", openAs("FIELD_WITHOUT_COLUMN", field, unsaid));

export type FieldSyntax = Read<typeof field>;

/** The type name as written, without the `?` for optional. */
export const writtenType = (syntax: FieldSyntax): string | undefined => syntax.type?.value.replace(/\?$/u, "").trim();
