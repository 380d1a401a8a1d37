/** Explanations of permissions. */

import type { ReferenceJson } from "./records.ts";

/**
 * `GET /api/why?do=Request.grant&record=…`: the clauses that decide whether a person can do something with a record,
 * their conditions, and the values found. Administrators can ask for somebody else with `as=…`.
 */
export interface WhyJson {
  /**
   * `unseen`: the record does not exist, or the caller cannot see it. `depends`: on the input, or on a record that was
   * not named.
   */
  readonly answer: "yes" | "no" | "unseen" | "depends";
  /** Complete sentences. */
  readonly because: string;
  /** Roles that have the permission, by their titles in the document; null if the answer is yes or nobody has it. */
  readonly could: string | null;
  /** The permission is undecided: the caller can ask for it with `POST /_/questions`. */
  readonly undecided?: true;
  /** Alternative grants; one is enough. */
  readonly ways: readonly WayJson[];
  /** Requirements of every grant: the state, the guard, the rules. */
  readonly musts: readonly StepJson[];
}

export interface WayJson {
  readonly clause: string;
  readonly role: string;
  /** Title of the role. */
  readonly title: string;
  /** Null if the caller cannot know. */
  readonly open: boolean | null;
  /** True if the person holds the role, regardless of the record. */
  readonly held: boolean;
  readonly needs: readonly StepJson[];
}

export interface StepJson {
  readonly clause: string;
  /** A phrase: "you are the employee's manager". */
  readonly says: string;
  /** Null if the caller cannot know. */
  readonly holds: boolean | null;
  /** True if it depends on the input, so that it is unknown before. */
  readonly later?: true;
  /** The values of the record that it reads, formatted, as far as the caller can see them. */
  readonly found: readonly { readonly field: string; readonly value: string }[];
  /** The other records that a rule selects, those that the caller can find: the loan of a thing that is lent already. */
  readonly records?: SelectedRecordsJson;
}

export interface SelectedRecordsJson {
  readonly entity: string;
  /** At most three. */
  readonly items: readonly ReferenceJson[];
  /** How many there are beyond them. */
  readonly more: number;
}

/**
 * `GET /_/permissions?of=Request&record=…`: all actions on an entity or a record, with whether the person can do them.
 */
export interface PermissionsJson {
  readonly items: readonly PermissionJson[];
}

export interface PermissionJson extends WhyJson {
  /** `Request.grant` */
  readonly do: string;
  /** Title of a transition; null for read, create, update and delete. */
  readonly transition: string | null;
}
