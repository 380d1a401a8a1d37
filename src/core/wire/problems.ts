/** Error responses. */

/** A problem detail (RFC 9457). `clause` is absent only if no document decides (a fault, an invalid address). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  /** A complete sentence for the user. */
  readonly detail: string;
  readonly clause?: string;
  /** Advice to the user, if there is any. */
  readonly help?: string;
  readonly errors?: readonly ProblemAt[];
  /** Identifies the request in the log. */
  readonly reference?: string;
  /** The reason on the record, if the caller can know it: "You are not the employee's manager." */
  readonly because?: string;
  /** Roles that have the permission, by their titles in the document. */
  readonly could?: string;
  /** An undecided permission, `Box.read`, which the user can ask for with `POST /_/questions`. */
  readonly undecided?: string;
}

/** One error of the input. `at` is a JSON pointer into the body, `/due_day`, or a query parameter of a call, `?day`. */
export interface ProblemAt {
  readonly at: string;
  readonly code: string;
  readonly clause: string;
  readonly message: string;
  readonly help?: string;
}
