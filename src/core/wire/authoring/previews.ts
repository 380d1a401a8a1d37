/** Copies of the data in which a draft is tried. */

/** The description that everybody gets who opens the address of a preview. */
export interface InPreviewJson {
  /** The version that was live when the copy was made. */
  readonly base: number;
  readonly endsAt: string;
  readonly masked: boolean;
  readonly hasData: boolean;
  /** The address of the original; null if it is not known. */
  readonly original: string | null;
}
