import type { FieldJson } from "../../../core/wire/entities.ts";
import type { FormNode } from "./form-node.ts";

/** The changes of an open form by a new version of the document, by the labels of its fields and lists. */
export interface FormChanges {
  readonly added: readonly string[];
  /** Fields that were optional. */
  readonly required: readonly string[];
  readonly removed: readonly string[];
}

/** The parts of a form that somebody fills in. */
export interface FormShape {
  readonly fields: readonly FieldJson[];
  readonly lists: readonly { readonly parts: { readonly field: string; readonly label: string } }[];
}

export const getShape = ({ fields, lists }: FormNode): FormShape => ({
  fields,
  lists: lists.filter(({ open }) => open).map(({ parts: { field, label } }) => ({ parts: { field, label } })),
});

/** A field can have another name meanwhile. One of another type is a new one, since it cannot keep its input. */
export const isSameField = (one: FieldJson, other: FieldJson): boolean =>
  one.type === other.type &&
  (one.name === other.name || other.was?.includes(one.name) === true || one.was?.includes(other.name) === true);

/** Compares the form that somebody began with the one that is open now. */
export const compareForms = (before: FormShape, now: FormShape): FormChanges => {
  const missing = (from: FormShape, other: FormShape): readonly string[] => [
    ...from.fields.filter((field) => !other.fields.some((one) => isSameField(one, field))).map(({ label }) => label),
    ...from.lists
      .filter(({ parts }) => !other.lists.some((list) => list.parts.field === parts.field))
      .map(({ parts }) => parts.label),
  ];
  return {
    added: missing(now, before),
    required: now.fields
      .filter((field) => !field.optional && before.fields.some((one) => isSameField(one, field) && one.optional))
      .map(({ label }) => label),
    removed: missing(before, now),
  };
};
