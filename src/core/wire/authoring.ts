/** The document in force, a change of it, and what nobody decided. */

/** `GET /_/document`, for administrators: the document in force, whole. The browser reads it with the same compiler. */
export interface DocumentJson {
  readonly version: number;
  /** What names this text: hand it back as `base` with a change. */
  readonly hash: string;
  readonly files: readonly SourceJson[];
  /** Why it cannot be changed here; null where it can. */
  readonly fixed: string | null;
}

export interface SourceJson {
  readonly file: string;
  readonly text: string;
}

/** `GET /_/document/states`, for administrators: how many records are in each state. A state that no record is in is absent. */
export interface StateCountsJson {
  readonly entities: { readonly [entity: string]: { readonly [state: string]: number } };
}

/** What `POST /_/document/plan` and `POST /_/document` are sent: every file whole, and the text that they were made from. */
export interface DraftJson {
  readonly base: string;
  readonly files: readonly SourceJson[];
}

/** What a change of the document does to what is stored. */
export interface ChangeJson {
  /** What is done to the tables, a sentence each; empty where they stay as they are. */
  readonly steps: readonly string[];
  /** Why it cannot be made; empty where it can. */
  readonly refused: readonly { readonly clause: string; readonly says: string }[];
}

/** `POST /_/document`: the version that is in force from now on. */
export interface AppliedJson {
  readonly version: number;
  readonly hash: string;
  readonly steps: readonly string[];
}

/** `GET /_/open-points`, for administrators: what nobody decided. */
export interface OpenPointsJson {
  readonly document: { readonly name: string; readonly file: string; readonly hash: string; readonly version: number };
  readonly open: readonly OpenPointJson[];
  /** Every default in force, silent or said. */
  readonly defaults: readonly DefaultJson[];
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    /** Of a document of several files, the one that it stands in. */
    readonly file: string | null;
    readonly line: number;
    readonly column: number;
    readonly message: string;
    readonly hint: string;
    readonly clause: string | null;
  }[];
}

/** A statement that says something is not shown, or a point without a block. `point` 0 is the introduction. */
export interface OpenPointJson {
  readonly point: number;
  /** Of a document of several files, the one that it stands in. */
  readonly file: string | null;
  readonly line: number;
  /** The author's words; empty for a point that says nothing at all. */
  readonly statement: string;
  readonly default: DefaultJson;
}

export interface DefaultJson {
  readonly code: string;
  readonly point: number;
  /** What is silent: "point 6 shows no roles". */
  readonly silent: string;
  /** What is in force instead, as a sentence. */
  readonly inForce: string;
}
