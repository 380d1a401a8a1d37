import type { EnteredValues } from "../format/input-value.ts";

/** What someone typed and has not saved. It never leaves the browser. */
export interface Draft {
  /** When it was kept. */
  readonly at: string;
  /** The version that the entries began from; null for a record that is yet to be made. */
  readonly version: number | null;
  readonly base: EnteredValues;
  readonly entered: EnteredValues;
  /** The lists of parts, by their fields. */
  readonly lists?: { readonly [field: string]: PartsDraft };
}

/** The unsaved rows of a list of parts. */
export interface PartsDraft {
  /** The number of rows that have been added so far: new rows get their keys from it. */
  readonly begun: number;
  readonly rows: readonly RowDraft[];
}

interface RowDraft {
  readonly key: string;
  readonly base: EnteredValues;
  readonly entered: EnteredValues;
  readonly isNew: boolean;
  /** The lists of its own parts, by their fields. */
  readonly lists?: { readonly [field: string]: PartsDraft };
}

/** The part of `localStorage` that drafts need; it may be full, or forbidden. */
export type Shelf = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface Drafts {
  /** Whether it was kept: the shelf may be full or closed. */
  keep(person: string, path: string, draft: Draft): boolean;
  find(person: string, path: string): Draft | null;
  drop(person: string, path: string): void;
}

const keyOf = (person: string, path: string) => `ninefold draft ${person} ${path}`;

const isDraft = (value: unknown): value is Draft =>
  typeof value === "object" && value !== null && "at" in value && "entered" in value && "base" in value;

export const createDrafts = (shelf: () => Shelf): Drafts => ({
  keep: (person, path, draft) => {
    try {
      shelf().setItem(keyOf(person, path), JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  },
  find: (person, path) => {
    try {
      const kept: unknown = JSON.parse(shelf().getItem(keyOf(person, path)) ?? "null");
      return isDraft(kept) ? kept : null;
    } catch {
      return null;
    }
  },
  drop: (person, path) => {
    try {
      shelf().removeItem(keyOf(person, path));
    } catch {
      // A shelf that cannot be opened holds nothing to drop.
    }
  },
});
