/** A record as one person reads it, and what they may do with it. What they may not read is absent. */

import type { Json } from "./json.ts";

/** A record: flat, its fields by name. What the person may not read is absent. */
export interface RecordJson {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Its label in words, when asked for with `label=true`. No field can bear this name. */
  readonly _label?: string;
  /** The fields that the screen it was asked for with does not show on this record. */
  readonly _hidden?: readonly string[];
  /**
   * When the clock makes which of its transitions, as far as that is known: a moment or a day, by the transition's name.
   * With `_label`, on a single record.
   */
  readonly _ahead?: { readonly [transition: string]: string };
  /** What the person may do with it: always on a single record, in lists when asked for with `may=true`. */
  readonly may?: May;
  readonly [field: string]: Json | May | undefined;
}

/** Money as it is read; it may be written so, or as the amount alone. */
export interface MoneyJson {
  /** With the decimal places of its currency: `12.50`. */
  readonly amount: string;
  readonly currency: string;
}

/** A file as it is read, and as sending it is answered; it is written as the id alone. */
export interface FileJson {
  readonly id: string;
  readonly name: string;
  /** A media type, as the bytes show it. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
}

/** A reference as it is read. It is written as the id alone. */
export interface ReferenceJson {
  readonly id: string;
  readonly label: string;
}

export interface May {
  /** The fields that may be changed now. */
  readonly update: readonly string[];
  readonly delete: boolean;
  /** The transitions that may be made now, in document order. */
  readonly transitions: readonly string[];
  /** Why each other transition may not be made now. Those that no state would open to this person are absent. */
  readonly refused: { readonly [transition: string]: WhyNot };
  /** Why nothing may be changed, or it may not be deleted, where that is open to this person on other records. */
  readonly updateRefused?: WhyNot;
  readonly deleteRefused?: WhyNot;
  /** Why nothing may be added to a list of the record now, such as `Line.order`, where that is open on other records. */
  readonly addRefused?: { readonly [list: string]: WhyNot };
}

export interface WhyNot {
  readonly code: string;
  readonly clause: string;
  /** A whole sentence. */
  readonly because: string;
}
