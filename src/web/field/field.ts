import type { ReactNode } from "react";
import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { Entered } from "../format/input-value.ts";

export interface ShownProps {
  readonly field: FieldJson;
  /** Never null: what is empty is drawn alike for every type. */
  readonly value: Json;
  /** In a table's cell: one line, cut at its end, no controls of its own. */
  readonly cell: boolean;
}

export interface InputProps {
  readonly field: FieldJson;
  /** Of the control, for its label and for the links that lead to it. */
  readonly id: string;
  readonly labelId: string;
  readonly entered: Entered;
  readonly onEnter: (entered: Entered) => void;
  readonly onLeave: () => void;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
  /** In an empty box that has no label beside it. */
  readonly placeholder?: string;
}

/** How one type of field is drawn and asked for. */
export interface FieldView {
  readonly Shown: (props: ShownProps) => ReactNode;
  readonly Input: (props: InputProps) => ReactNode;
  /** Takes both columns of a record or a form. */
  readonly wide: boolean;
  /** Figures stand at the end of a table's column. */
  readonly end: boolean;
  /** Several controls under one label: named by `aria-labelledby`, not by `for`. */
  readonly group: (field: FieldJson) => boolean;
}

/** The part of a control's attributes that every type has. */
export const controlProps = ({ id, describedBy, invalid, field, onLeave, placeholder }: InputProps) => ({
  id,
  placeholder,
  "aria-describedby": describedBy,
  "aria-invalid": invalid || undefined,
  "aria-required": field.optional ? undefined : true,
  onBlur: onLeave,
});

export const textOf = (entered: Entered): string => (typeof entered === "string" ? entered : "");
export const never = (): boolean => false;
export const always = (): boolean => true;
