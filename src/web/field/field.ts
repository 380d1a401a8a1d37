import type { ReactNode } from "react";
import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { Entered } from "../format/input-value.ts";

export interface ShownProps {
  readonly field: FieldJson;
  /** Never null: missing values are rendered in the same way for all types. */
  readonly value: Json;
  /** In a table cell: one line, truncated, without controls. */
  readonly cell: boolean;
}

export interface InputProps {
  readonly field: FieldJson;
  /** Id of the control, for its label and links. */
  readonly id: string;
  readonly labelId: string;
  readonly entered: Entered;
  readonly onEnter: (entered: Entered) => void;
  readonly onLeave: () => void;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  /** For an input without a visible label. */
  readonly placeholder?: string;
}

export type FieldInput = (props: InputProps) => ReactNode;

/** How a field type is displayed. Its control is in `inputs.ts`, which pages without a form do not load. */
export interface FieldView {
  readonly Shown: (props: ShownProps) => ReactNode;
  /** True if it spans both columns of a record or form. */
  readonly wide: boolean;
  /** True if it is right-aligned in tables. */
  readonly end: boolean;
  /** True for several controls under one label, named by `aria-labelledby` instead of `for`. */
  readonly group: (field: FieldJson) => boolean;
}

/** Attributes shared by all controls. */
export const controlProps = ({ id, describedBy, invalid, field, onLeave, placeholder }: InputProps) => ({
  id,
  placeholder,
  "aria-describedby": describedBy,
  "aria-invalid": invalid || undefined,
  "aria-required": field.optional ? undefined : true,
  onBlur: onLeave,
});

export const enteredText = (entered: Entered): string => (typeof entered === "string" ? entered : "");
export const never = (): boolean => false;
export const always = (): boolean => true;
