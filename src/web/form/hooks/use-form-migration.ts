import { useState } from "react";
import type { Here } from "../../format/locale-context.ts";
import { changedFields, type Form } from "../state/form-state.ts";
import { type Left, refitForm } from "../state/restore-draft.ts";

/**
 * Fits a form to what is asked now: what was typed stays. Answers what was typed for fields that are asked no more, or null
 * where it was not asked otherwise while somebody typed.
 */
export const useRefit = (
  asked: unknown,
  form: Form,
  open: () => Form,
  here: Here,
  onForm: (form: Form) => void,
): readonly Left[] | null => {
  const [fitted, setFitted] = useState(asked);
  const [left, setLeft] = useState<readonly Left[] | null>(null);
  if (fitted === asked) return left;
  setFitted(asked);
  if (changedFields(form).length === 0) {
    onForm(open());
    return left;
  }
  const refit = refitForm(form, open(), here);
  const all = [...(left ?? []), ...refit.left];
  onForm(refit.form);
  setLeft(all);
  return all;
};
