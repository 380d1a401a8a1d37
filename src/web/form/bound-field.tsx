import type { FieldJson } from "../../core/wire/entities.ts";
import { useHere } from "../app/app-context.tsx";
import { FormField } from "./form-field.tsx";
import type { FormFieldError } from "./state/field-error.ts";
import { changed, enter, errorsAt, type Form, leave } from "./state/form-state.ts";

interface FieldInFormProps {
  readonly form: Form;
  readonly field: FieldJson;
  /** True to mark fields that differ from the saved record. */
  readonly marked?: boolean;
  /** Violated rules of the document. */
  readonly broken?: readonly FormFieldError[];
  readonly onForm: (next: (form: Form) => Form) => void;
}

/** A field bound to the state of a form. */
export const FieldInForm = ({ form, field, marked = false, broken = [], onForm }: FieldInFormProps) => {
  const here = useHere();
  return (
    <FormField
      field={field}
      entered={form.entered[field.name] ?? null}
      changed={marked && changed(form, field.name)}
      toMend={errorsAt(form, field.name, broken)}
      onEnter={(entered) => onForm((now) => enter(now, field.name, entered, here))}
      onLeave={() => onForm((now) => leave(now, field.name, here))}
    />
  );
};
