/** Who may do what, and which clauses decide it. */

/**
 * `GET /api/why?do=Request.grant&record=…`: the clauses that decide whether a person may do something with a record, what
 * each needs, and what was found. `as=…` asks for somebody else, which administrators may.
 */
export interface WhyJson {
  /** `unseen`: it is not there, or not for who asks to see. `depends`: on what is given, or on the record that was not named. */
  readonly answer: "yes" | "no" | "unseen" | "depends";
  /** Whole sentences. */
  readonly because: string;
  /** Who could: roles in the document's words; null where the answer is yes, or nobody could. */
  readonly could: string | null;
  /** Nobody decided it yet: one may ask for that, with `POST /_/questions`. */
  readonly undecided?: true;
  /** One open way is enough. */
  readonly ways: readonly WayJson[];
  /** What has to hold whichever way is open: the state, the guard, the rules. */
  readonly musts: readonly StepJson[];
}

export interface WayJson {
  readonly clause: string;
  readonly role: string;
  /** What the reader reads for its name. */
  readonly title: string;
  /** Null where that is not for who asks to know. */
  readonly open: boolean | null;
  /** Whether the role is held at all, before any record is looked at. */
  readonly held: boolean;
  readonly needs: readonly StepJson[];
}

export interface StepJson {
  readonly clause: string;
  /** A phrase: "you are the employee's manager". */
  readonly says: string;
  /** Null where that is not for who asks to know. */
  readonly holds: boolean | null;
  /** What is given with it decides: it is not known before. */
  readonly later?: true;
  /** The values that it reads of the record, in words, as who asks may see them. */
  readonly found: readonly { readonly field: string; readonly value: string }[];
}

/** `GET /_/permissions?of=Request&record=…`: everything that somebody may or may not do with an entity's records, or with one. */
export interface PermissionsJson {
  readonly items: readonly PermissionJson[];
}

export interface PermissionJson extends WhyJson {
  /** `Request.grant` */
  readonly do: string;
  /** A transition's title; null for reading, making, changing and deleting. */
  readonly transition: string | null;
}
