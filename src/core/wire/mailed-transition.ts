/** The page behind a link in a mail that makes one transition of one record. */

import type { FieldJson } from "./entities.ts";
import type { Json } from "./json.ts";
import type { WhyNot } from "./records.ts";

/** `POST /_/mail/transition-link`: what the link of a mail can do now. */
export type MailedTransitionJson =
  /** Unknown, or no longer valid: the account is not active, has another address, or ended its links. */
  | { readonly state: "gone" }
  | { readonly state: "used"; readonly at: string; readonly transition: string; readonly path: string }
  | { readonly state: "expired"; readonly hours: number; readonly transition: string; readonly path: string }
  /** Somebody else is signed in in this browser. */
  | { readonly state: "other"; readonly path: string }
  /** The record was deleted, or the person can no longer read it. */
  | { readonly state: "hidden" }
  /** `last`: the newest transition that the person can see, such as the decision of somebody else; null if there is none. */
  | ({ readonly state: "refused"; readonly why: WhyNot; readonly last: LastTransitionJson | null } & MailedRecordJson)
  | ({ readonly state: "ready" } & ReadyTransitionJson);

/** The record as the person can read it now: no more of it than a mail shows. */
export interface MailedRecordJson {
  readonly transition: string;
  readonly path: string;
  readonly label: string;
  readonly facts: readonly (readonly [title: string, value: string])[];
}

/** A transition that was made. `person`: their name; null if the program made it, or if the reader cannot see who did. */
export interface LastTransitionJson {
  readonly transition: string;
  readonly person: string | null;
  readonly at: string;
}

interface ReadyTransitionJson extends MailedRecordJson {
  /** The name of the person in whose name the link acts. */
  readonly person: string;
  /** The id of the record. */
  readonly record: string;
  /** The title of the state that the record gets; null if it depends on the record. */
  readonly becomes: string | null;
  readonly version: number;
  /** The fields that the transition asks for, and their values on the record. */
  readonly asks: readonly FieldJson[];
  readonly values: { readonly [field: string]: Json };
  /** True if a field can only be filled in after signing in: it chooses records, or takes a file. */
  readonly signIn: boolean;
}
