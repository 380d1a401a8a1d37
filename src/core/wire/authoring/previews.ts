/** Copies of the data in which a draft is tried. */

import type { ReferenceJson } from "../records.ts";

/** One preview. */
export interface PreviewJson {
  readonly id: string;
  /** Identifies the text of the draft, like the hash of a version. */
  readonly hash: string;
  /** The version that was live when the copy was made. */
  readonly base: number;
  /** The person who started it; null for the command line. */
  readonly by: ReferenceJson | null;
  readonly masked: boolean;
  /** False if the database does not allow a copy, so that the preview has sample data. */
  readonly hasData: boolean;
  readonly endsAt: string;
  /** Null while the data is copied. */
  readonly address: string | null;
  /** Bytes copied so far. */
  readonly copied: number;
}

/** `GET /_/previews`, for administrators: oldest first. */
export interface PreviewsJson {
  readonly items: readonly PreviewJson[];
  /** The reason why the last preview that this person started failed, in their language; null if it did not. */
  readonly failed: string | null;
}

/**
 * The work that is lost when a preview ends, for administrators: `GET /_/previews/:id/use`, and `GET /_/preview` in the
 * preview.
 */
export interface PreviewUseJson {
  /** The names of other people who are signed in to it, at most 20. */
  readonly people: readonly string[];
  /** The number of further people. */
  readonly more: number;
  /** Changes that people made in it; null if another process keeps its data. */
  readonly changes: number | null;
}

/** The description of a preview for everybody who opens its address. */
export interface InPreviewJson {
  /** The version that was live when the copy was made. */
  readonly base: number;
  readonly endsAt: string;
  readonly masked: boolean;
  readonly hasData: boolean;
  /** The address of the original; null if it is not known. */
  readonly original: string | null;
}
