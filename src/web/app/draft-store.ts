import type { EnteredValues } from "../format/input-value.ts";

/** Unsaved input. It never leaves the browser. */
export interface Draft {
  /** Time of saving the draft. */
  readonly at: string;
  /** The version that editing started from; null for a new record. */
  readonly version: number | null;
  readonly base: EnteredValues;
  readonly entered: EnteredValues;
  /** Lists of parts, by field. */
  readonly lists?: { readonly [field: string]: PartsDraft };
}

/** Unsaved rows of a list of parts. */
export interface PartsDraft {
  /** Number of rows added so far, from which keys of new rows are derived. Drafts in browsers have this name for it. */
  readonly begun: number;
  /** Keys of the parts that were saved, so that those added later by others are recognized. */
  readonly saved?: readonly string[];
  readonly rows: readonly RowDraft[];
}

interface RowDraft {
  readonly key: string;
  readonly base: EnteredValues;
  readonly entered: EnteredValues;
  readonly isNew: boolean;
  /** Lists of its own parts, by field. */
  readonly lists?: { readonly [field: string]: PartsDraft };
}

/** The part of `localStorage` that drafts need; it may be full or disabled. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface Drafts {
  /** Returns false if the draft could not be stored. */
  keep(person: string, path: string, draft: Draft): boolean;
  find(person: string, path: string): Draft | null;
  drop(person: string, path: string): void;
}

const buildDraftKey = (person: string, path: string) => `ninefold draft ${person} ${path}`;

const isDraft = (value: unknown): value is Draft =>
  typeof value === "object" && value !== null && "at" in value && "entered" in value && "base" in value;

export const createDrafts = (getStorage: () => DraftStorage): Drafts => ({
  keep: (person, path, draft) => {
    try {
      getStorage().setItem(buildDraftKey(person, path), JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  },
  find: (person, path) => {
    try {
      const stored: unknown = JSON.parse(getStorage().getItem(buildDraftKey(person, path)) ?? "null");
      return isDraft(stored) ? stored : null;
    } catch {
      return null;
    }
  },
  drop: (person, path) => {
    try {
      getStorage().removeItem(buildDraftKey(person, path));
    } catch {
      // Without storage there is nothing to delete.
    }
  },
});
