import type { Message } from "../i18n/message.ts";
import type { Span } from "../source-text.ts";
import type { FiguresOfLine } from "../wire/authoring/replay.ts";

/** A point of the document. */
type Point = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/**
 * A minimal example that the two versions treat differently: the role of the person, and values of the record by path,
 * as in the document. Values that are left out do not matter.
 */
export interface LineWitness {
  readonly role: string | null;
  readonly record: { readonly [path: string]: string };
}

/** One difference in behaviour between two versions of a document. Plain JSON. */
export interface BehaviourLine {
  readonly point: Point;
  /** Its subject, by its current name: `Loan.due_day`, `keeper`, `POST /api/loans`. */
  readonly subject: string;
  readonly effect: "allows" | "forbids" | "adds" | "removes" | "changes";
  /** The deciding clause in the earlier version, under its name there; null if there is none. */
  readonly before: string | null;
  /** The deciding clause in the later version; null if there is none. */
  readonly after: string | null;
  /** The spans of both clauses, if other clauses have the same id: rules with one error, permissions of one action. */
  readonly spans?: { readonly before: Span | null; readonly after: Span | null };
  /** `decided`: the difference is certain. `possible`: it could not be decided. */
  readonly certainty: "decided" | "possible";
  readonly witness: LineWitness | null;
  /**
   * The loss, if any: a person can no longer do something, stored values are retired, or a program that worked can
   * fail.
   */
  readonly loses: "access" | "data" | "compatibility" | null;
  /** One sentence, in English. It identifies the line among those with its subject. */
  readonly text: string;
  /** The sentence as data, for other languages. */
  readonly message: Message;
  /** Of a line about several calls: one sentence for each. */
  readonly parts?: readonly { readonly text: string; readonly message: Message }[];
  /** Only in plans that were compared with a database. */
  readonly figures?: FiguresOfLine["figures"];
}
