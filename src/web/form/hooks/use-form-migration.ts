import { useState } from "react";
import type { LocaleContext } from "../../format/locale-context.ts";
import { type Form, isChanged } from "../state/form-node.ts";
import { type DraftLoss, migrateForm } from "../state/restore-draft.ts";

/**
 * Adapts a form to changed fields and keeps the input. Returns the input for removed fields, or null if nothing
 * changed.
 */
export const useFormMigration = (
  fields: unknown,
  form: Form,
  open: () => Form,
  context: LocaleContext,
  onForm: (form: Form) => void,
): readonly DraftLoss[] | null => {
  const [fitted, setFitted] = useState(fields);
  const [left, setLeft] = useState<readonly DraftLoss[] | null>(null);
  if (fitted === fields) return left;
  setFitted(fields);
  if (!isChanged(form) && (left ?? []).length === 0) {
    onForm(open());
    return left;
  }
  const refit = migrateForm(form, open(), context, left ?? []);
  onForm(refit.form);
  setLeft(refit.left);
  return refit.left;
};
