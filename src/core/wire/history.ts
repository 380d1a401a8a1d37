/** What became of a record, and what of that one has seen. */

import type { Json } from "./json.ts";
import type { ReferenceJson } from "./records.ts";

export interface HistoryJson {
  readonly items: readonly HistoryLine[];
}

/** One line of a record's history, newest first. Anything that would tell its reader what they may not read is absent. */
export interface HistoryLine {
  readonly at?: string;
  /** Null where nobody did it. */
  readonly person?: ReferenceJson | null;
  /** `create`, `update`, `delete` or a transition's name. */
  readonly action?: string;
  readonly clause?: string;
  /** The document's version under which it happened. */
  readonly document?: number;
  readonly changes: readonly FieldChange[];
  /** What was done to another record, from which this followed; absent where nothing was, or not for who reads to see. */
  readonly cause?: LineCause;
  /** The parts that were given with it; absent where there were none. */
  readonly parts?: readonly PartLine[];
}

/** What became of a field. `before` is absent where the reader could not read it then. */
export interface FieldChange {
  readonly field: string;
  readonly before?: Json;
  readonly after: Json;
}

/** A write of another record. */
export interface LineCause {
  readonly entity: string;
  readonly id: string;
  readonly label: string;
  readonly action: string;
}

/** What came of a part of the record in the same step. */
export interface PartLine {
  /** The list that it stands in, and the entity that it is of. */
  readonly list: string;
  readonly entity: string;
  readonly action: "create" | "update" | "delete";
  readonly label: string;
  readonly changes: readonly FieldChange[];
}

/** `GET /_/visits?of=&record=`: when one looked at a record last, and the moment of the newest write that one was shown. */
export interface VisitJson {
  readonly at: string | null;
  readonly seen: string | null;
}
