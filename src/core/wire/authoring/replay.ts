/** Acts of the past, and stored data, under a draft. */

/** `POST /_/document/replay`, for administrators. Counts and links only: no value of a record. */
export interface ReplayJson extends ReplayedActs {
  /** The lines of behaviour that have figures of stored data, as far as the author can read it. */
  readonly figures: readonly FiguresOfLine[];
}

/** Figures of the line of behaviour with this subject and this text in English. */
export interface FiguresOfLine {
  readonly subject: string;
  readonly text: string;
  readonly figures: {
    /** The records that the two versions treat differently; 10,001 stands for more than 10,000. Null if not countable. */
    readonly records: number | null;
    /** The people with the role concerned; null if it is not about people who hold a role. */
    readonly people: number | null;
    /** The id of one of these records. */
    readonly example: string | null;
  };
}

/** Acts of the past, checked under a draft. */
export interface ReplayedActs {
  /** The number of days that the replay covers. */
  readonly days: number;
  /**
   * The oldest act that was checked, if not all of these days were: because enough acts of each kind were checked, or
   * because of the time limit in `seconds`.
   */
  readonly cut: { readonly by: "acts" | "time"; readonly at: string; readonly seconds: number } | null;
  /** The kinds of acts that were not all checked. */
  readonly kinds: readonly ReplayedKindJson[];
  /** Acts of people that were checked under both versions. One act is one request that wrote something. */
  readonly acts: number;
  /** Acts that the version in force allows and the draft refuses, by the deciding clause of the draft. */
  readonly refused: readonly ReplayCountJson[];
  /** Refused requests that were checked again: only permission and state, because a refusal keeps no content. */
  readonly refusals: number;
  /** Refused requests that the draft would not refuse for permission or state, by the clause that refused them. */
  readonly allowed: readonly ReplayCountJson[];
  /** Effects and automatic transitions that would have turned out differently, by their clause. */
  readonly effects: readonly ReplayCountJson[];
  /** Acts that were not checked, or not wholly, with the reason. */
  readonly left: readonly ReplayGapJson[];
}

/** A kind of acts of which only the newest were checked, under its names of the time. */
export interface ReplayedKindJson {
  readonly entity: string;
  /** `create`, `update`, `delete` or the name of a transition. */
  readonly action: string;
  /** Changes of records that were checked; 0 if the replay did not reach any. */
  readonly judged: number;
  /** Changes of records in the period. */
  readonly changes: number;
}

/** Acts with one deciding clause. */
export interface ReplayCountJson {
  readonly clause: string;
  /** The code of the refusal; `EFFECT` or `TIMER` for effects. */
  readonly code: string;
  readonly acts: number;
  /** The newest of them, 20 at most. */
  readonly examples: readonly ReplayExampleJson[];
}

/** An act, by the record in which it happened. */
export interface ReplayExampleJson {
  readonly at: string;
  /** By its name in the version in force. */
  readonly entity: string;
  /** Null for a creation that was refused. */
  readonly record: string | null;
  /** `create`, `update`, `delete` or the name of a transition. */
  readonly action: string;
  /** True if the record has been deleted since. */
  readonly isGone: boolean;
}

/**
 * Why acts were not checked:
 *
 * | reason | meaning |
 * |---|---|
 * | `refused before` | the version in force refuses them too: they belong to an earlier version |
 * | `unknown` | the clause reads something whose value at that time is not known, or too many records |
 * | `person` | the person's record of that time is not known |
 * | `record` | the record is gone without a trace in the history, or was not read because the replay reads no more |
 * | `no entity` | the version in force no longer has the entity or the transition |
 * | `other values` | the draft sets other values in the transition; rules were checked with those of the time |
 * | `other records` | the draft changes a rule that other records must still meet after the act; only its own record was checked |
 * | `content` | a refused creation whose permission depends on its content |
 */
export interface ReplayGapJson {
  readonly why:
    | "refused before"
    | "unknown"
    | "person"
    | "record"
    | "no entity"
    | "other values"
    | "other records"
    | "content";
  /** The clause that could not be checked; null where it is not about one. */
  readonly clause: string | null;
  readonly acts: number;
}
