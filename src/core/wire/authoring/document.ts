/** The live document, and changes to it. */

/** `GET /_/document`, for administrators: the whole live document. The browser reads it with the same compiler. */
export interface DocumentJson {
  readonly version: number;
  /** Identifies this text. Send it as `base` with a change. */
  readonly hash: string;
  readonly files: readonly SourceJson[];
  /** The reason why the document cannot be changed here; null if it can. */
  readonly fixed: string | null;
}

export interface SourceJson {
  readonly file: string;
  readonly text: string;
}

/** `GET /_/document/states`, for administrators: number of records per state. Empty states are left out. */
export interface StateCountsJson {
  readonly entities: { readonly [entity: string]: { readonly [state: string]: number } };
}

/** Body of `POST /_/document/plan` and `POST /_/document`: all files, and the version they are based on. */
export interface DraftJson {
  readonly base: string;
  readonly files: readonly SourceJson[];
  /** Why the change is made, in the author's words: 2,000 characters at most. */
  readonly note?: string;
  /** Entities whose records the author brings along, so that a demonstration adds no samples to them. */
  readonly withoutSamples?: readonly string[];
}

/** The longest note of a version, in characters. */
export const LONGEST_NOTE = 2_000;

/** The effect of a change of the document on stored data. */
export interface ChangeJson {
  /** Changes of tables, one sentence each; empty if there are none. */
  readonly steps: readonly string[];
  /** The records that steps count, as far as they have a page; absent if there are none. */
  readonly records?: readonly StepRecords[];
  /** Reasons why the change cannot be made; empty if it can. */
  readonly refused: readonly {
    readonly clause: string;
    readonly says: string;
    readonly misfits?: CountedRecords;
    readonly missing?: MissingClause;
  }[];
}

/** Records that a plan counts. Their ids disclose nothing; each is read with the reader's own permissions. */
export interface CountedRecords {
  /** The entity, by its name in the live version. */
  readonly entity: string;
  readonly count: number;
  /** Names them in this plan, and in `POST /_/document/plan/records`: `5.Loan.1`. Absent outside of a plan. */
  readonly point?: string;
  /** The first 20 at most. */
  readonly ids: readonly string[];
  /** The records that contain them, if they are parts, which have no page of their own. */
  readonly inside?: readonly { readonly entity: string; readonly ids: readonly string[] }[];
}

/** `POST /_/document/plan/records`: a page of the records at one point of a plan, as far as the author can read them. */
export interface PlannedRecordsJson {
  /** The sentence of the plan that counts them; null if the plan counts none there. */
  readonly says: string | null;
  readonly clause: string | null;
  readonly count: number;
  /** For parts, the records that contain them. */
  readonly records: readonly { readonly entity: string; readonly id: string; readonly label: string }[];
  /** The number of counted records up to the end of this page that the author cannot read. */
  readonly unreadable: number;
  /** Send it as `after` for the next page; null on the last one. */
  readonly next: string | null;
}

/** The records that a step counts. `step` is its place in `steps`, from 0. */
export interface StepRecords extends CountedRecords {
  readonly step: number;
  /** A clause that would keep values that the step retires. */
  readonly missing?: MissingClause;
}

/** A clause that would make stored data fit, or keep its values. */
export type MissingClause =
  | {
      /** The value that replaces a removed one: `was` at one of the remaining values. */
      readonly kind: "was";
      readonly entity: string;
      readonly field: string;
      readonly value: string;
      readonly values: readonly string[];
    }
  | {
      /** The value of records that have none for a required field, or one outside a bound. */
      readonly kind: "fill";
      readonly entity: string;
      readonly field: string;
      /** The former type, if its values have to be converted: `text`, `[integer]`. */
      readonly was?: string;
      /** The expression that converts them, if there is only one. */
      readonly convert?: string;
    }
  | {
      /** The writes that check a rule, instead of all. */
      readonly kind: "during";
      readonly entity: string;
      /** The clause of the rule. */
      readonly rule: string;
    };

/** `POST /_/document`: the version that is live now. */
export interface AppliedJson {
  readonly version: number;
  readonly hash: string;
  readonly steps: readonly string[];
  /** Sample people and records that a demonstration got for what is new. */
  readonly samples?: SampleJson;
}

export interface SampleJson {
  readonly people: number;
  readonly records: number;
}
