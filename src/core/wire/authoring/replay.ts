/** Past acts, and stored data, under a draft. */

/** `POST /_/document/replay`, for administrators. Counts and links only: no value of a record. */
export interface ReplayJson extends ReplayedActs {
  /** The lines of behaviour with figures of stored data, as far as the author can read it. */
  readonly figures: readonly FiguresOfLine[];
}

/** The figures of the line of behaviour with this subject and this English text. */
export interface FiguresOfLine {
  readonly subject: string;
  readonly text: string;
  readonly figures: {
    /** The records that the two versions treat differently; 10,001 stands for more than 10,000. Null if not countable. */
    readonly records: number | null;
    /** The people with the role concerned; null if the line is not about holders of a role. */
    readonly people: number | null;
    /** The role of these people in the live version; null for everybody. */
    readonly role: string | null;
    /** The id of one of these records. */
    readonly example: string | null;
    /** The ids of these records, 20 at most. */
    readonly ids: readonly string[];
  };
}

/** Past acts, checked under a draft. */
export interface ReplayedActs {
  /** The number of days that the replay covers. */
  readonly days: number;
  /**
   * Set if not all acts of these days were checked, because enough of each kind were checked or because of the time
   * limit in `seconds`. `at` is the time of the oldest act that was checked.
   */
  readonly cut: { readonly by: "acts" | "time"; readonly at: string; readonly seconds: number } | null;
  /** The kinds of acts that were not all checked. */
  readonly kinds: readonly ReplayedKindJson[];
  /** Acts of people that were checked under both versions. One act is one request that wrote something. */
  readonly acts: number;
  /** Acts that the live version allows and the draft refuses, by the deciding clause of the draft. */
  readonly refused: readonly ReplayCountJson[];
  /**
   * Refused requests that were checked again, for permission and state only, because refusals are stored without
   * content.
   */
  readonly refusals: number;
  /** Refused requests that the draft would not refuse for permission or state, by the clause that refused them. */
  readonly allowed: readonly ReplayCountJson[];
  /** Effects and automatic transitions that would have differed, by their clause. */
  readonly effects: readonly ReplayCountJson[];
  /** Acts that were not checked, or only in part, with the reason. */
  readonly left: readonly ReplayGapJson[];
}

/** A kind of act of which only the newest were checked, under its names at the time. */
export interface ReplayedKindJson {
  readonly entity: string;
  /** `create`, `update`, `delete` or the name of a transition. */
  readonly action: string;
  /** Changes of records that were checked; 0 if the replay did not reach any. */
  readonly judged: number;
  /** Changes of records in the period. */
  readonly changes: number;
}

/** Acts with the same deciding clause. */
export interface ReplayCountJson {
  readonly clause: string;
  /** The code of the refusal; `EFFECT` or `TIMER` for effects. */
  readonly code: string;
  /** The message of the error, as point 8 has it; null for a built-in error and for effects. */
  readonly message: string | null;
  readonly acts: number;
  /** The newest 20 at most. */
  readonly examples: readonly ReplayExampleJson[];
}

/** An act, identified by its record. */
export interface ReplayExampleJson {
  readonly at: string;
  /** By its name in the live version. */
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
 * | `refused before` | the live version refuses them too: they belong to an earlier version |
 * | `many records` | the clause reads records of the entity in `reads`, and a replay reads only a limited number of records |
 * | `changed type` | the value of the field in `reads` was entered while the field had another type |
 * | `no history` | the clause reads `reads`, which the history does not contain: derived rows, or the time of the last change |
 * | `person` | the person's record at that time is not known |
 * | `record` | the record has no trace in the history, or exceeds the number of records that a replay reads |
 * | `no entity` | the live version no longer has the entity or the transition |
 * | `other values` | the draft sets other values in the transition; rules were checked with the former ones |
 * | `other records` | the draft changes a rule that other records must still meet after the act; only its own record was checked |
 * | `content` | a refused creation whose permission depends on its content |
 */
export interface ReplayGapJson {
  readonly why:
    | "refused before"
    | "many records"
    | "changed type"
    | "no history"
    | "person"
    | "record"
    | "no entity"
    | "other values"
    | "other records"
    | "content";
  /** The clause that could not be checked; null if there is none. */
  readonly clause: string | null;
  /** The entity or field whose past value is missing, such as `Ticket` or `Ticket.cost`; null for other reasons. */
  readonly reads: string | null;
  readonly acts: number;
}
