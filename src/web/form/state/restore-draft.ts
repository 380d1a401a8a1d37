import type { FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { Draft } from "../../app/draft-store.ts";
import type { EnteredValues } from "../../format/input-value.ts";
import { type Entered, sameEntered } from "../../format/input-value.ts";
import type { Here } from "../../format/locale-context.ts";
import { type Form, rebaseOnServerVersion } from "./form-state.ts";
import { draftsOf, restoreLists } from "./parts-merge.ts";

/** The part of a form that is stored as a draft. */
export const toDraft = ({ version, base, entered, lists }: Form, at: string): Draft => ({
  at,
  version,
  base,
  entered,
  lists: draftsOf(lists),
});

/** The input for fields that still exist. */
const taken = (
  fresh: Form,
  { version, base, entered, lists }: Pick<Draft, "version" | "base" | "entered" | "lists">,
  here: Here,
): Form => {
  const known = (values: Draft["entered"]) =>
    Object.fromEntries(
      fresh.fields.map(({ name }) => [name, (name in values ? values[name] : fresh.base[name]) ?? null]),
    );
  return {
    ...fresh,
    version,
    base: known(base),
    entered: known(entered),
    lists: restoreLists(fresh.lists, lists, here),
  };
};

/** Continues from a draft; if the record has changed since, both are merged as when saving. */
export const resumeForm = (fresh: Form, record: RecordJson | null, draft: Draft | null, here: Here): Form => {
  if (!draft) return fresh;
  const restored = taken(fresh, draft, here);
  return record && record.version !== draft.version ? rebaseOnServerVersion(restored, record, here) : restored;
};

/** Input for a removed field. */
export interface Left {
  readonly field: FieldJson;
  readonly entered: Entered;
}

/** Adapts a form to a new version of the document: keeps the input of existing fields and returns the rest. */
export const refitForm = (
  form: Form,
  fresh: Form,
  here: Here,
): { readonly form: Form; readonly left: readonly Left[] } => {
  const asked = new Map(fresh.fields.map(({ name, type }) => [name, type]));
  const [kept, gone] = [
    form.fields.filter(({ name, type }) => asked.get(name) === type),
    form.fields.filter(({ name, type }) => asked.get(name) !== type),
  ];
  const of = (values: EnteredValues) => Object.fromEntries(kept.map(({ name }) => [name, values[name] ?? null]));
  const left = gone.flatMap((field): readonly Left[] => {
    const entered = form.entered[field.name] ?? null;
    return sameEntered(entered, form.base[field.name] ?? null) ? [] : [{ field, entered }];
  });
  const draft = { ...form, base: of(form.base), entered: of(form.entered), lists: draftsOf(form.lists) };
  return { form: taken(fresh, draft, here), left };
};
