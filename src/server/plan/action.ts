import type { Query, Row } from "../../postgres/database.ts";
import type { Refusal } from "../refusal.ts";
import type { Outcome, Tagged } from "./outcome.ts";
import type { Steps } from "./steps.ts";

/** The statements of a request, and how their rows become its result. Nothing has happened yet. */
export interface Plan<T extends Tagged = Outcome> {
  readonly kind: "plan";
  /** Several are one transaction, and each sees what others committed before it began. */
  readonly queries: readonly Query[];
  /** What a step of a call takes before its statements are sent: it throws if somebody else holds it. */
  readonly earlyLocks?: {
    readonly queries: readonly Query[];
    readonly require: (results: readonly (readonly Row[])[]) => void;
  };
  /** True if they may wait for what others write. */
  readonly writes?: true;
  /** Reads the rows, one list for each query; pure. */
  readonly decode: (results: readonly (readonly Row[])[]) => T | Refusal | Fallback;
  /**
   * What follows a write that was made: more steps of the same transaction, which is undone where they refuse, or where
   * nothing has changed after all.
   */
  afterWrite?(row: Row, outcome: T): Steps<T | Refusal | "unchanged">;
  /** What a constraint of the database means here, by its name; the server judged before, this is the last word. */
  readonly constraint: (name: string) => Refusal | undefined;
  /**
   * Whether a violated constraint means that something came meanwhile, or that what the statement drew was there: the
   * whole is tried again.
   */
  readonly isRetryable?: (constraint: string) => boolean;
  /** What it means that a column must hold something. */
  readonly needed?: (table: string, column: string) => Refusal | undefined;
  /** The answer where what was sent stands there already. */
  readonly unchanged?: () => Plan<T> | Refusal;
  /** The answer where there is more to read from than each by itself. */
  readonly wide?: () => Plan<T> | Refusal;
  /** The same as a write that tells why it is refused, where it was tried without that and nothing was written. */
  readonly judged?: () => Plan<T>;
  /** Where this very request was carried out before: what it made, and how to answer with that. */
  readonly repeated?: { readonly query: Query; readonly answer: (row: Row) => Plan<T> | Refusal };
}

/**
 * Nothing was written, and the answer is had otherwise: the request was carried out before, all is as it asks for, it is to
 * be read in another way, or it has to be judged.
 */
export type Fallback = "repeated" | "unchanged" | "wide" | "judged";

/** A plan whose result is another value. */
export const mapPlan = <T extends Tagged, U extends Tagged>(
  { queries, decode, constraint }: Plan<T>,
  map: (result: T | Refusal) => U | Refusal,
): Plan<U> => ({
  kind: "plan",
  queries,
  decode: (results) => {
    const result = decode(results);
    return typeof result === "string" ? result : map(result);
  },
  constraint,
});
