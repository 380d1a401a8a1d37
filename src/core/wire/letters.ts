/** A letter about one record, as its reader can read it, in one language. */
export interface LetterJson {
  readonly title: string;
  /** The name of the record. */
  readonly label: string;
  /** `de-CH` */
  readonly language: string;
  /** The languages in which it can be read. */
  readonly languages: readonly string[];
  readonly parts: readonly LetterPartJson[];
}

export type LetterPartJson =
  | { readonly kind: "paragraph" | "heading"; readonly lines: readonly string[] }
  | {
      readonly kind: "table";
      readonly columns: readonly { readonly title: string; readonly isNumber: boolean }[];
      readonly rows: readonly (readonly string[])[];
      /** One for each column, "" without a total; null if no column has one. */
      readonly totals: readonly string[] | null;
    };
