import { useState } from "react";
import type { LocaleContext } from "../../format/locale-context.ts";
import { compareForms, type FormChanges, type FormShape, getShape } from "../state/compare-forms.ts";
import { type Form, isChanged } from "../state/form-node.ts";
import { type DraftLoss, migrateForm } from "../state/restore-draft.ts";

/** A form that a new version of the document has changed while it was open. */
export interface FormRenewal extends FormChanges {
  /** The input for removed fields. */
  readonly left: readonly DraftLoss[];
}

/**
 * Adapts a form to changed fields and keeps the input. Returns the changes since it was opened, or null if nothing
 * changed.
 */
export const useFormMigration = (
  fields: unknown,
  form: Form,
  open: () => Form,
  context: LocaleContext,
  onForm: (form: Form) => void,
): FormRenewal | null => {
  const [fitted, setFitted] = useState(fields);
  const [renewal, setRenewal] = useState<FormRenewal | null>(null);
  /** The form before the first of the versions that changed it. */
  const [began, setBegan] = useState<FormShape | null>(null);
  if (fitted === fields) return renewal;
  setFitted(fields);
  const before = began ?? getShape(form);
  if (!isChanged(form) && (renewal?.left ?? []).length === 0) {
    onForm(open());
    return renewal;
  }
  const refit = migrateForm(form, open(), context, renewal?.left ?? []);
  const renewed = { ...compareForms(before, getShape(refit.form)), left: refit.left };
  setBegan(before);
  onForm(refit.form);
  setRenewal(renewed);
  return renewed;
};
