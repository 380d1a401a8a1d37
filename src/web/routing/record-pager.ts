import { createStore, type Store } from "../util/store.ts";

/** The loaded part of the list that the user came from, for the way back and for neighbouring records. */
export interface PagerSource {
  readonly entity: string;
  readonly title: string;
  /** Includes filters and order. */
  readonly address: string;
  readonly ids: readonly string[];
  readonly count: number | "10,000+" | null;
  /** The clause of the tile, if it is one of an overview. */
  readonly tile?: string;
}

export const createPagerSource = (): Store<PagerSource | null> => createStore<PagerSource | null>(null);

export interface Neighbours {
  /** From 1. */
  readonly position: number;
  readonly count: number | "10,000+";
  readonly previous: string | null;
  readonly next: string | null;
}

export const findNeighbours = (trail: PagerSource | null, entity: string, id: string): Neighbours | null => {
  const at = trail?.entity === entity ? trail.ids.indexOf(id) : -1;
  if (!trail || at < 0) return null;
  return {
    position: at + 1,
    count: trail.count ?? trail.ids.length,
    previous: trail.ids[at - 1] ?? null,
    next: trail.ids[at + 1] ?? null,
  };
};

/** The other records of the list that the user came from: first those after a record, then those before it. */
export const listFollowing = (trail: PagerSource | null, entity: string, id: string): readonly string[] => {
  const at = trail?.entity === entity ? trail.ids.indexOf(id) : -1;
  return trail && at >= 0 ? [...trail.ids.slice(at + 1), ...trail.ids.slice(0, at)] : [];
};
