import type { Problem } from "./problems.ts";
/** A record as one person can read it, and what they can do with it. */

import type { Json } from "./json.ts";

/** A record: flat, with its fields by name. Fields that the person cannot read are left out. */
export interface RecordJson {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** The record's label, if requested with `label=true`. No field can have this name. */
  readonly _label?: string;
  /** Fields and lists that the requested screen hides for this record. */
  readonly _hidden?: readonly string[];
  /**
   * Time or date of automatic transitions by name, and of reminders by their action, as far as known. With `_label`, on a
   * single record.
   */
  readonly _ahead?: { readonly [transition: string]: string };
  /** Why the record does not have some letters now, by their addresses, if it is requested for a screen. */
  readonly _letters?: { readonly [path: string]: WhyNot };
  /** The caller's capabilities: always on a single record, in lists if requested with `may=true`. */
  readonly may?: Capabilities;
  readonly [field: string]: Json | Capabilities | { readonly [path: string]: WhyNot } | undefined;
}

/** Money in responses. In requests it may also be the amount alone. */
export interface MoneyJson {
  /** With the decimal places of its currency: `12.50`. */
  readonly amount: string;
  readonly currency: string;
}

/** A file in responses, including that of an upload. In requests it is the id alone. */
export interface FileJson {
  readonly id: string;
  readonly name: string;
  /** Media type, detected from the content. */
  readonly type: string;
  /** Size in bytes. */
  readonly size: number;
}

/** A reference in responses. In requests it is the id alone. */
export interface ReferenceJson {
  readonly id: string;
  readonly label: string;
}

export interface Capabilities {
  /** The fields that can be changed now. */
  readonly update: readonly string[];
  readonly delete: boolean;
  /** The transitions that can be made now, in document order. */
  readonly transitions: readonly string[];
  /**
   * Why the other transitions cannot be made now. Transitions that are closed to this person in every state are left
   * out.
   */
  readonly refused: { readonly [transition: string]: WhyNot };
  /** How many people must make a transition, if that depends on the record and is known. */
  readonly needed?: { readonly [transition: string]: number };
  /** Why the record cannot be changed or deleted, if the person can do so with other records. */
  readonly updateRefused?: WhyNot;
  readonly deleteRefused?: WhyNot;
  /** Why nothing may be added to a list of the record, such as `Line.order`, if that is allowed on other records. */
  readonly addRefused?: { readonly [list: string]: WhyNot };
}

export interface WhyNot {
  readonly code: string;
  readonly clause: string;
  /** A complete sentence. */
  readonly because: string;
}

/** Maximum number of records about which one trial, of a transition or a deletion, is asked. */
export const MOST_TRIED = 50;

/** A transition of a record that would be refused now whatever it is given, as far as the record alone does not tell. */
export interface TransitionRefusalJson {
  readonly record: string;
  readonly transition: string;
  readonly refused: Problem;
  /** The fields that the broken rules read, or whose values are missing, and that the caller can change, on some records. */
  readonly mendable: readonly string[];
}

/** `GET /_/transitions`. Records that the caller cannot read are left out like those of which nothing is refused. */
export interface TransitionTrialJson {
  readonly items: readonly TransitionRefusalJson[];
}
