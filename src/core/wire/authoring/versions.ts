/** The versions of the document that this database has run. */

import type { ReferenceJson } from "../records.ts";
import type { SourceJson } from "./document.ts";

/** One version. */
export interface VersionJson {
  /** Counted from 1. */
  readonly number: number;
  /** The time at which it was applied. */
  readonly at: string;
  /** The author; null if `source` is not a person, or if the account was deleted. */
  readonly author: ReferenceJson | null;
  /**
   * The origin of the text: a person in the workbench, a proposal from a file or from the command line, or the server,
   * when the program started or a command published it.
   */
  readonly source: "person" | "file" | "command" | "server";
  /** The people who approved the proposal. Empty for a version that its author published alone. */
  readonly approvers: readonly ReferenceJson[];
  /** The number of the proposal that became this version; null if there was none. */
  readonly proposal: number | null;
  /** The author's words; empty if they wrote none. */
  readonly note: string;
  /** The earlier version whose text this is; null for a new text. */
  readonly restores: number | null;
  /** Identifies the text. Two versions with the same text have the same hash. */
  readonly hash: string;
  /** Its changes to the database, one sentence each. */
  readonly steps: readonly string[];
}

/** `GET /_/versions`, for administrators: newest first, 50 at most. */
export interface VersionsJson {
  readonly items: readonly VersionJson[];
  /** Pass as `before` to get the next page; null on the last. */
  readonly next: number | null;
}

/** `GET /_/versions/:number`, for administrators. */
export interface VersionTextJson extends VersionJson {
  readonly files: readonly SourceJson[];
}

/** Body of `POST /_/versions/:number/plan` and `POST /_/versions/:number/restore`. */
export interface RestoreJson {
  /** The hash of the live version. */
  readonly base: string;
  readonly note: string;
}
