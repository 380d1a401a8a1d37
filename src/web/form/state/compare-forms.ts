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

type Named = Pick<FieldJson, "name" | "was">;

/**
 * The names of fields with the names that they had before. As in the database, a field takes over a former name only if
 * there was no field with its own name, and a new field with that name begins empty.
 */
export const findFormerNames = (before: readonly Named[], now: readonly Named[]): ReadonlyMap<string, string> => {
  const isIn = (fields: readonly Named[], name: string) => fields.some((field) => field.name === name);
  const renamed = now
    .filter(({ name }) => !isIn(before, name))
    .flatMap(({ name, was = [] }) => {
      const former =
        before.find((one) => was.includes(one.name)) ??
        // An earlier version of the document is in force again.
        before.find((one) => one.was?.includes(name) === true && !isIn(now, one.name));
      return former === undefined ? [] : [[name, former.name] as const];
    });
  const taken = new Set(renamed.map(([, former]) => former));
  const same = now.filter(({ name }) => isIn(before, name) && !taken.has(name));
  return new Map([...renamed, ...same.map(({ name }) => [name, name] as const)]);
};

/** The fields by the present names, as they were before. One of another type is a new one, since it cannot keep its input. */
export const findFormerFields = (
  before: readonly FieldJson[],
  now: readonly FieldJson[],
): ReadonlyMap<string, FieldJson> =>
  new Map(
    [...findFormerNames(before, now)].flatMap(([name, former]) => {
      const [one, other] = [before.find((field) => field.name === former), now.find((field) => field.name === name)];
      return one !== undefined && one.type === other?.type ? [[name, one] as const] : [];
    }),
  );

/** Compares the form that somebody began with the one that is open now. */
export const compareForms = (before: FormShape, now: FormShape): FormChanges => {
  const former = findFormerFields(before.fields, now.fields);
  const remaining = new Set(former.values());
  const missingLists = (from: FormShape, other: FormShape): readonly string[] =>
    from.lists
      .filter(({ parts }) => !other.lists.some((list) => list.parts.field === parts.field))
      .map(({ parts }) => parts.label);
  const labelsOf = (fields: readonly FieldJson[]) => fields.map(({ label }) => label);
  return {
    added: [...labelsOf(now.fields.filter(({ name }) => !former.has(name))), ...missingLists(now, before)],
    required: labelsOf(now.fields.filter(({ name, optional }) => !optional && former.get(name)?.optional)),
    removed: [...labelsOf(before.fields.filter((field) => !remaining.has(field))), ...missingLists(before, now)],
  };
};
