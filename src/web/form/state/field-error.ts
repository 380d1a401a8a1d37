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
  | { readonly kind: "unreadable"; readonly field: string; readonly clause: string }
);
