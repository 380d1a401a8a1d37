import { every, not } from "../expression/boolean-exprs.ts";
import type { Expr } from "../expression/expr.ts";
import { type Example, enumerateAssignments } from "./assignments.ts";
import { countNodes, structuralKey } from "./structural-key.ts";
import { canTriviallyHold, trivialTruth } from "./trivial-cases.ts";
import type { Entities } from "./value-ranges.ts";

/** `always` and `never` are certain. `sometimes` is also the answer if there are too many cases to try. */
export type Truth = "always" | "never" | "sometimes";

/**
 * Queries about conditions in one document. Several conditions are taken together as a conjunction; an empty one always
 * holds.
 */
export interface Decider {
  readonly truthOf: (...conditions: readonly Expr[]) => Truth;
  readonly canHold: (...conditions: readonly Expr[]) => boolean;
  /**
   * True if the facts imply the condition. The same question is asked for many roles and fields with equal expressions,
   * so answers are memoized by structure.
   */
  readonly follows: (facts: readonly Expr[], condition: Expr) => boolean;
  /** Values for which the conditions hold whatever the calculated terms yield; undefined if none was found. */
  readonly exampleOf: (...conditions: readonly Expr[]) => Example | undefined;
}

/** Budget per document, in evaluated nodes: a fraction of a second. */
const MOST_STEPS = 40_000_000;

/** The remaining budget of a document. */
export interface Budget {
  left: number;
}

export const createBudget = (): Budget => ({ left: MOST_STEPS });

/** Cached answers for a list of conditions, as a trie. */
interface Known {
  next?: Map<Expr, Known>;
  truth?: Truth;
  canHold?: boolean;
  example?: Example | undefined;
}

const assumeAll = (known: Known, conditions: readonly Expr[]): Known => {
  let at = known;
  for (const condition of conditions) {
    at.next ??= new Map();
    const next = at.next.get(condition) ?? {};
    at.next.set(condition, next);
    at = next;
  }
  return at;
};

export const createDecider = (entities: Entities, budget: Budget = createBudget()): Decider => {
  /** Several analyses ask about the same conditions. */
  const known: Known = {};

  const enumerate = (condition: Expr): Truth => {
    const plain = trivialTruth(condition, entities);
    if (plain !== undefined) return plain === "both" ? "sometimes" : plain ? "always" : "never";
    const worlds = budget.left > 0 ? enumerateAssignments(condition, "every", entities) : undefined;
    if (worlds === undefined) return "sometimes";
    let holds = false;
    let fails = false;
    let at = 0;
    for (; at < worlds.count && !(holds && fails); at++) {
      const outcome = worlds.holdsIn(at);
      holds ||= outcome === true;
      fails ||= outcome === false;
    }
    budget.left -= at * countNodes(condition);
    if (!holds) return "never";
    return fails ? "sometimes" : "always";
  };

  const truthOf = (...conditions: readonly Expr[]): Truth => {
    const before = assumeAll(known, conditions);
    if (before.truth !== undefined) return before.truth;
    const condition = every(conditions);
    const truth = condition === undefined ? "always" : enumerate(condition);
    before.truth = truth;
    return truth;
  };

  const canHold = (...conditions: readonly Expr[]): boolean => {
    const before = assumeAll(known, conditions);
    before.canHold ??= before.truth === undefined && canTriviallyHold(conditions, entities);
    return before.canHold || truthOf(...conditions) !== "never";
  };

  const exampleOf = (...conditions: readonly Expr[]): Example | undefined => {
    const before = assumeAll(known, conditions);
    if ("example" in before) return before.example;
    const example = exampleFor(conditions);
    before.example = example;
    return example;
  };

  const exampleFor = (conditions: readonly Expr[]): Example | undefined => {
    const condition = every(conditions);
    if (condition === undefined) return [];
    if (trivialTruth(condition, entities) === false) return undefined;
    const worlds = budget.left > 0 ? enumerateAssignments(condition, "some", entities) : undefined;
    if (worlds === undefined) return undefined;
    budget.left -= worlds.count * countNodes(condition);
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

  const followed = new Map<string, boolean>();
  const follows = (facts: readonly Expr[], condition: Expr): boolean => {
    const key = [...facts, condition].map(structuralKey).join(" ; ");
    const before = followed.get(key);
    if (before !== undefined) return before;
    const against = every([...facts, not(condition)]);
    const answer = against !== undefined && enumerate(against) === "never";
    followed.set(key, answer);
    return answer;
  };

  return { truthOf, canHold, follows, exampleOf };
};
