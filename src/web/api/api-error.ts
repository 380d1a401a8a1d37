import type { Problem } from "../../core/wire/problems.ts";

/** Why a call gave no answer to work with. */
export type Failure =
  /** Nobody is signed in any more. */
  | { readonly kind: "signed out" }
  /** A rule or a permission said no; the problem says which. */
  | { readonly kind: "refused"; readonly problem: Problem }
  /** The store is away for a moment; worth asking again after so many seconds. */
  | { readonly kind: "away"; readonly seconds: number }
  /** It is there, and gave this up or cannot take it up just now; `says`: why, and that nothing was done. */
  | { readonly kind: "put off"; readonly seconds: number; readonly says: string }
  /** No server answered at all. */
  | { readonly kind: "unreachable" }
  /** A fault of ours; an operator finds it by its reference. */
  | { readonly kind: "broken"; readonly reference: string | null };

/** Thrown by every call that gave no answer. */
export class CallFailed extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, cause?: unknown) {
    super(`The call failed: ${failure.kind}.`, { cause });
    this.name = "CallFailed";
    this.failure = failure;
  }
}

/** What anything thrown comes to; a mistake of our own code is a fault without a reference. */
export const failureOf = (thrown: unknown): Failure =>
  thrown instanceof CallFailed ? thrown.failure : { kind: "broken", reference: null };

const isProblem = (value: unknown): value is Problem =>
  typeof value === "object" && value !== null && "code" in value && "detail" in value && "status" in value;

const problemIn = async (response: Response): Promise<Problem | null> => {
  try {
    const body: unknown = await response.json();
    return isProblem(body) ? body : null;
  } catch {
    return null;
  }
};

/** Reads an answer that is not a success. A 401 is a refusal where `signingIn`: the words given were wrong. */
export const failureIn = async (response: Response, signingIn: boolean): Promise<Failure> => {
  if (response.status === 401 && !signingIn) return { kind: "signed out" };
  const problem = await problemIn(response);
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
