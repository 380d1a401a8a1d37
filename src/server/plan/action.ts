import type { Query, Row } from "../../postgres/database.ts";
import type { Refusal } from "../refusal.ts";
import type { Steps } from "./steps.ts";

/** What a request's plan answers: statements for the store and what to make of their rows. Nothing has happened yet. */
export interface Plan {
  readonly kind: "action";
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
  readonly decode: (results: readonly (readonly Row[])[]) => Reply | Refusal | Fallback;
  /**
   * What follows a write that was made: more steps of the same transaction, which is undone where they refuse, or where
   * nothing has changed after all.
   */
  readonly afterWrite?: (row: Row, settled: Reply) => Steps<Reply | Refusal | "unchanged">;
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
  readonly unchanged?: () => Plan | Refusal;
  /** The answer where there is more to read from than each by itself. */
  readonly wide?: () => Plan | Refusal;
  /** The same as a write that tells why it is refused, where it was tried without that and nothing was written. */
  readonly judged?: () => Plan;
  /** Where this very request was carried out before: what it made, and how to answer with that. */
  readonly repeated?: { readonly query: Query; readonly answer: (row: Row) => Plan | Refusal };
}

/**
 * Nothing was written, and the answer is had otherwise: the request was carried out before, all is as it asks for, it is to
 * be read in another way, or it has to be judged.
 */
export type Fallback = "repeated" | "unchanged" | "wide" | "judged";

export interface Reply {
  readonly kind: "reply";
  readonly status: number;
  /** What goes out as JSON, or a `JsonText`. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A body that is written already. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export const reply = (
  status: Reply["status"],
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply => ({ kind: "reply", status, body, headers });
