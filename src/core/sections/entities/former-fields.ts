import type { ContextName, EntityShape, Type } from "../../expression/values/type.ts";
import { specless } from "../../field/kind.ts";
import { fieldKinds } from "../../field/kinds.ts";
import type { FormerField } from "../../model/field.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import { type Linking, reportUnknownName } from "../linking/link-context.ts";
import type { FieldDraft } from "./field-drafts.ts";
import { type FieldSyntax, formerFields } from "./field-syntax.ts";

/** The former fields of `was: { pages: text }`, with their types. Unknown types are reported. */
export const readFormerFields = (
  syntax: FieldSyntax,
  { clause }: FieldDraft,
  entities: ReadonlyMap<string, EntityShape>,
  linking: Linking,
): readonly FormerField[] =>
  formerFields(syntax).flatMap(({ name, value: { type, many } }): readonly FormerField[] => {
    const word = type.value.replace(/\?$/u, "").trim();
    if (entities.has(word)) return [{ name, type: "reference", many, entity: word }];
    if (word !== "reference" && isFieldType(word)) return [{ name, type: word, many, entity: null }];
    const known = [...Object.keys(fieldKinds), ...entities.keys()];
    reportUnknownName(linking, type.span, "type or entity", word, known, {
      hint: `Write the type that ${clause.id} had before.`,
    });
    return [];
  });

const isFieldType = (word: string): word is FieldTypeName => Object.hasOwn(fieldKinds, word);

/** The names by which `fill` reads former fields. Of a former choice, only the texts are known. */
export const namesOfFormer = (former: readonly FormerField[]): ReadonlyMap<string, ContextName> =>
  new Map(former.map((former) => [`was.${former.name}`, { type: typeOfFormer(former), optional: isOptional(former) }]));

const isOptional = ({ type, many }: FormerField): boolean => !many && type !== "boolean";

const typeOfFormer = ({ name, type, many, entity }: FormerField): Type => {
  const base: Type =
    type === "choice" || type === "state"
      ? { kind: "text" }
      : withoutCurrency(fieldKinds[type].type({ ...specless, name, entity, currency: "" }));
  return many ? { kind: "list", of: base } : base;
};

/** An amount as a number: a former amount has no currency in this document. */
export const withoutCurrency = (type: Type): Type => {
  if (type.kind === "list") return { kind: "list", of: withoutCurrency(type.of) };
  return type.kind === "money" ? { kind: "decimal" } : type;
};
