import type { FieldJson } from "../../core/wire/entities.ts";
import { useLocale } from "../app/app-context.tsx";
import type { LocaleContext } from "../format/locale-context.ts";
import { type FieldBinding, FormField } from "./form-field.tsx";
import { enterValue, leaveField } from "./state/edit-form.ts";
import type { FormFieldError } from "./state/field-error.ts";
import { type FormNode, isFieldChanged, type NodeChange, shownSuggestion } from "./state/form-node.ts";
import { findErrors } from "./state/send-form.ts";

/** Binds a field to a record in a form. `broken`: violated rules of the document. */
export const bindField = (
  node: FormNode,
  name: string,
  context: LocaleContext,
  onNode: (change: NodeChange) => void,
  broken?: readonly FormFieldError[],
): FieldBinding => ({
  entered: node.entered[name] ?? null,
  errors: findErrors(node, name, broken),
  onEnter: (entered) => onNode((now) => enterValue(now, name, entered, context)),
  onLeave: () => onNode((now) => leaveField(now, name, context)),
});

interface BoundFieldProps {
  readonly node: FormNode;
  readonly field: FieldJson;
  /** True to mark fields that differ from the saved record. */
  readonly marked?: boolean;
  /** Violated rules of the document. */
  readonly broken?: readonly FormFieldError[];
  readonly onNode: (change: NodeChange) => void;
}

/** A field of a record in a form, with its label. */
export const BoundField = ({ node, field, marked = false, broken, onNode }: BoundFieldProps) => (
  <FormField
    field={field}
    changed={marked && isFieldChanged(node, field.name)}
    suggestion={shownSuggestion(node, field)}
    {...bindField(node, field.name, useLocale(), onNode, broken)}
  />
);
