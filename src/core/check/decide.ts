import type { Expr } from "../rule/expr.ts";
import { plainTruth } from "./plain.ts";
import type { Entities } from "./ranges.ts";
import { every, sizeOf } from "./structure.ts";
import { type Example, worldsOf } from "./worlds.ts";

/** When conditions hold. `always` and `never` are certain; `sometimes` is said too where there is too much to try. */
export type Truth = "always" | "never" | "sometimes";

/** Questions about conditions of one document, which are asked together: all of them hold. Of none, they always do. */
export interface Deciding {
  readonly truthOf: (...conditions: readonly Expr[]) => Truth;
  readonly canHold: (...conditions: readonly Expr[]) => boolean;
  /** Values under which they surely hold, whatever the calculations in them give; undefined where none was found. */
  readonly exampleOf: (...conditions: readonly Expr[]) => Example | undefined;
}

/** How much is tried for a document, counted in parts of conditions that are evaluated: a fraction of a second. */
const MOST_STEPS = 40_000_000;

export const decidingOver = (entities: Entities): Deciding => {
  let left = MOST_STEPS;
  /** The same condition stands in several clauses. */
  const known = new Map<Expr, Truth>();

  const tried = (condition: Expr): Truth => {
    const plain = plainTruth(condition, entities);
    if (plain !== undefined) return plain === "both" ? "sometimes" : plain ? "always" : "never";
    const worlds = left > 0 ? worldsOf(condition, "every", entities) : undefined;
    if (worlds === undefined) return "sometimes";
    let holds = false;
    let fails = false;
    let at = 0;
    for (; at < worlds.count && !(holds && fails); at++) {
      const here = worlds.holdsIn(at);
      holds ||= here === true;
      fails ||= here === false;
    }
    left -= at * sizeOf(condition);
    if (!holds) return "never";
    return fails ? "sometimes" : "always";
  };

  const truthOf = (...conditions: readonly Expr[]): Truth => {
    const condition = every(conditions);
    if (condition === undefined) return "always";
    const before = known.get(condition);
    if (before !== undefined) return before;
    const truth = tried(condition);
    known.set(condition, truth);
    return truth;
  };

  const exampleOf = (...conditions: readonly Expr[]): Example | undefined => {
    const condition = every(conditions);
    if (condition === undefined) return [];
    const worlds = left > 0 ? worldsOf(condition, "some", entities) : undefined;
    if (worlds === undefined) return undefined;
    left -= worlds.count * sizeOf(condition);
    for (let first = 0; first < worlds.count; first += worlds.calculated) {
      let possible = false;
      let fails = false;
      for (let at = first; at < first + worlds.calculated && !fails; at++) {
        const holds = worlds.holdsIn(at);
        possible ||= holds === true;
        fails = holds === false;
      }
      if (possible && !fails) return worlds.exampleAt(first);
    }
    return undefined;
  };

  return { truthOf, canHold: (...conditions) => truthOf(...conditions) !== "never", exampleOf };
};
