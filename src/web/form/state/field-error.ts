import type { FieldJson } from "../../../core/wire/entities.ts";
import type { FormValues } from "../../field/form-values.ts";

/** An error of the input. Without a field it appears in the summary only. */
export type FormFieldError = {
  /** For an error in a list of parts, the row numbers from the outermost list inwards, from 1. */
  readonly rows?: readonly number[];
} & (
  | {
      readonly kind: "refused";
      readonly field: string | null;
      readonly clause: string | null;
      readonly message: string;
      readonly help: string | null;
    }
  /** Found before sending. `min`, `max`: beyond that bound. `cell`: the field of a part, if `field` is the list. */
  | {
      readonly kind: "unreadable" | "missing" | "min" | "max";
      readonly field: string;
      readonly clause: string;
      readonly cell?: FieldJson;
      /** The text that could not be read, if it is still there. */
      readonly entered?: string;
      /** The values beside that text: the end of a period counts from its begin. */
      readonly beside?: FormValues;
    }
);
