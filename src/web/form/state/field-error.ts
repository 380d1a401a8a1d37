/** One thing to put right. Without a field it stands in the summary alone. */
export type ToMend =
  | {
      readonly kind: "refused";
      readonly field: string | null;
      readonly clause: string | null;
      readonly message: string;
      readonly help: string | null;
      /** Of a list of parts, the row, from 1; behind it the row of the list that this one bears. */
      readonly rows?: readonly number[];
    }
  | { readonly kind: "unreadable"; readonly field: string; readonly clause: string };
