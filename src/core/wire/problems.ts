/** What a refused request is answered with. */

/** A problem detail (RFC 9457) as Ninefold answers it. `clause` is absent only where no document decides (a fault, a bad address). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  /** A whole sentence for the person. */
  readonly detail: string;
  readonly clause?: string;
  /** What to do about it, where the document or the program knows. */
  readonly help?: string;
  readonly errors?: readonly ProblemAt[];
  /** What an operator finds this request by in the log. */
  readonly reference?: string;
  /** What on the record stands against it, as far as who asks may know: "You are not the employee's manager." */
  readonly because?: string;
  /** Who could: roles in the document's words. */
  readonly could?: string;
  /** What nobody decided yet, `Box.read`: one may ask for that, with `POST /_/questions`. */
  readonly undecided?: string;
}

/** One thing to put right. `at` is a JSON pointer into what was sent: `/due_day`. */
export interface ProblemAt {
  readonly at: string;
  readonly code: string;
  readonly clause: string;
  readonly message: string;
  readonly help?: string;
}
