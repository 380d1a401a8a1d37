import type { Problem } from "../../core/wire/problems.ts";

/** The reason why a call failed. */
export type Failure =
  /** The session has ended. */
  | { readonly kind: "signed out" }
  /** Refused by a rule or permission; see the problem. */
  | { readonly kind: "refused"; readonly problem: Problem }
  /** The database is unavailable; retry after this many seconds. */
  | { readonly kind: "away"; readonly seconds: number }
  /** The server gave up or is busy; `says` explains it and states that nothing was done. */
  | { readonly kind: "put off"; readonly seconds: number; readonly says: string }
  /**
   * No server answered, or a proxy in front of it said that it did not: perhaps to this call alone. `isUnsent`: there was no
   * network, so that nothing has left the device.
   */
  | { readonly kind: "unreachable"; readonly byProxy?: true; readonly isUnsent?: true }
  /** A fault of the program, with a reference for the operator. */
  | { readonly kind: "broken"; readonly reference: string | null };

/** Thrown by every failed call. */
export class CallFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, cause?: unknown) {
    super(`The call failed: ${failure.kind}.`, { cause });
    this.name = "CallFailed";
    this.failure = failure;
  }
}

/** Converts an exception; an error of our own code is a fault without a reference. */
export const toFailure = (thrown: unknown): Failure =>
  thrown instanceof CallFailed ? thrown.failure : { kind: "broken", reference: null };

/** True if nobody has refused it: the server did not answer, had no time, or has failed. */
export const canBeRetried = (thrown: unknown): boolean => {
  const { kind } = toFailure(thrown);
  return kind === "unreachable" || kind === "away" || kind === "put off" || kind === "broken";
};

/** The failure of a query that is not tried again. A proxy has then given up on this call alone. */
export const toLastFailure = (error: unknown): Failure => {
  const failure = toFailure(error);
  return failure.kind === "unreachable" && failure.byProxy ? { kind: "broken", reference: null } : failure;
};

/** The failure of a query, also while it is tried again; null if there is none. */
export const toFailureOf = ({
  error,
  failureReason,
}: {
  readonly error: unknown;
  readonly failureReason: unknown;
}): Failure | null => {
  if (error != null) return toLastFailure(error);
  return failureReason == null ? null : toFailure(failureReason);
};

const isProblem = (value: unknown): value is Problem =>
  typeof value === "object" && value !== null && "code" in value && "detail" in value && "status" in value;

const readProblem = async (response: Response): Promise<Problem | null> => {
  try {
    const body: unknown = await response.json();
    return isProblem(body) ? body : null;
  } catch {
    return null;
  }
};

/** The responses of a proxy whose server does not answer. They have a page of the proxy in place of a problem. */
const ofProxy: readonly number[] = [502, 503, 504];

/** Reads an error response. While `signingIn`, a 401 means wrong credentials. */
export const readFailure = async (response: Response, signingIn: boolean): Promise<Failure> => {
  // Also that of a 401 is read: for the browser, an unread response goes on until its time is over.
  const problem = await readProblem(response);
  if (response.status === 401 && !signingIn) return { kind: "signed out" };
  if (problem === null && ofProxy.includes(response.status)) return { kind: "unreachable", byProxy: true };
  if (response.status === 503) {
    const after = Number(response.headers.get("Retry-After"));
    const seconds = after > 0 ? Math.min(after, 60) : 3;
    return problem?.code === "TOO_BUSY" || problem?.code === "TOOK_TOO_LONG"
      ? { kind: "put off", seconds, says: problem.detail }
      : { kind: "away", seconds };
  }
  if (problem && response.status < 500) return { kind: "refused", problem };
  return { kind: "broken", reference: problem?.reference ?? null };
};
