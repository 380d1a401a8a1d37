import { type Refusal, type RefusalAt, refuseAt } from "../../refusal.ts";

/**
 * The outcome of a check: errors at places of the body, a refusal of the whole call, another ending of the write, or
 * nothing.
 */
export type Verdict<E extends string = never> = readonly RefusalAt[] | Refusal | E | undefined;

/** The verdict of each check, evaluated only when its turn comes. */
export type Verdicts<C extends string, E extends string = never> = { readonly [check in C]: () => Verdict<E> };

/** Returns the refusal of the first round of checks that finds something (`core/derive/consistency/call-checks.ts`). */
export const decideRefusal = <C extends string, E extends string = never>(
  rounds: readonly (readonly C[])[],
  verdicts: Verdicts<C, E>,
): Refusal | E | undefined => {
  for (const round of rounds) {
    const errors: RefusalAt[] = [];
    for (const check of round) {
      const verdict = verdicts[check]();
      if (verdict === undefined) continue;
      if (!isErrors(verdict)) return verdict;
      errors.push(...verdict);
    }
    if (errors.length > 0) return refuseAt(errors);
  }
  return undefined;
};

const isErrors = (verdict: readonly RefusalAt[] | Refusal | string): verdict is readonly RefusalAt[] =>
  Array.isArray(verdict);
