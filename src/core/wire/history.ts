/** The history of a record, and how much of it the user has seen. */

import type { Json } from "./json.ts";
import type { ReferenceJson } from "./records.ts";

export interface HistoryJson {
  readonly items: readonly HistoryLine[];
}

/** A line of a record's history. Lists are sorted newest first. Anything that the reader cannot read is left out. */
export interface HistoryLine {
  readonly at?: string;
  /** Null if no user did it. */
  readonly person?: ReferenceJson | null;
  /** The person in whose name a deputy acted. */
  readonly for?: ReferenceJson;
  /** `create`, `update`, `delete` or the name of a transition. */
  readonly action?: string;
  readonly clause?: string;
  /** Version of the document at the time. */
  readonly document?: number;
  readonly changes: readonly FieldChange[];
  /** The change of another record that led to this one; absent if there is none or the reader cannot see it. */
  readonly cause?: LineCause;
  /** The file of the import that wrote the line; absent if there was none. */
  readonly imported?: string;
  /** Set if the person did it from a mail. */
  readonly via?: "mail";
  /** The parts that changed in the same request; absent if there were none. */
  readonly parts?: readonly PartLine[];
}

/** A change of a field. `before` is absent if the reader could not read the field at that time. */
export interface FieldChange {
  readonly field: string;
  readonly before?: Json;
  readonly after: Json;
}

/** A change of another record. */
export interface LineCause {
  readonly entity: string;
  readonly id: string;
  readonly label: string;
  readonly action: string;
}

/** A change of a part of the record in the same request. */
export interface PartLine {
  /** The list field, and the entity of the part. */
  readonly list: string;
  readonly entity: string;
  readonly action: "create" | "update" | "delete";
  readonly label: string;
  readonly changes: readonly FieldChange[];
}

/** `GET /_/visits?of=&record=`: the user's previous visit to a record, and the time of the newest change shown then. */
export interface VisitJson {
  readonly at: string | null;
  readonly seen: string | null;
}
