/** Points that nobody has decided, and the defaults in force. */

/** `GET /_/open-points`, for administrators: everything that nobody has decided. */
export interface OpenPointsJson {
  readonly document: { readonly name: string; readonly file: string; readonly hash: string; readonly version: number };
  readonly open: readonly OpenPointJson[];
  /** Every default in force. */
  readonly defaults: readonly DefaultJson[];
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    /** The file, if the document has several. */
    readonly file: string | null;
    readonly line: number;
    readonly column: number;
    readonly message: string;
    readonly hint: string;
    readonly clause: string | null;
  }[];
}

/** A statement that something is not shown, or a point without a block. `point` 0 is the introduction. */
export interface OpenPointJson {
  readonly point: number;
  /** The file, if the document has several. */
  readonly file: string | null;
  readonly line: number;
  /** The author's words; empty for a point without content. */
  readonly statement: string;
  readonly default: DefaultJson;
}

export interface DefaultJson {
  readonly code: string;
  readonly point: number;
  /** An omission of the document: "point 6 shows no roles". */
  readonly silent: string;
  /** The default in force, as a sentence. */
  readonly inForce: string;
}
