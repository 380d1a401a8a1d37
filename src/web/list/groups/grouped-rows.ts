import { useCallback, useMemo, useRef, useState } from "react";
import type { LoadedPages } from "../table/loaded-pages.ts";

/** The rows of a group that are loaded. */
export interface LoadedGroup extends LoadedPages {
  /** Its place among all groups. */
  readonly place: number;
  /** True if no more rows of it can be loaded or selected. */
  readonly isComplete: boolean;
}

/** Groups that load their rows at the same time to be selected. */
const MOST_AT_ONCE = 4;

/**
 * The loaded rows of all groups, in order, and the groups that are still loading theirs to be selected. `asked`: the search,
 * without the order.
 */
export const useGroupedRows = (asked: string) => {
  const [loaded, setLoaded] = useState<ReadonlyMap<string, LoadedGroup>>(new Map());
  const [gathered, setGathered] = useState<readonly string[]>([]);
  const innermost = useRef<readonly string[]>([]);
  /** The rows that the reader asked for, by group: also after it was empty for a while, and has lost its pages. */
  const wanted = useRef(new Map<string, number>());
  // Under other filters, a group with the same path is another one.
  const wantedOf = useRef(asked);
  if (wantedOf.current !== asked) wanted.current = new Map();
  wantedOf.current = asked;
  /** Takes the rows of the group with a path; null if it shows none any more. */
  const report = useCallback((path: string, group: LoadedGroup | null) => {
    setLoaded((now) => {
      const next = new Map(now);
      if (group === null) next.delete(path);
      else next.set(path, group);
      return next;
    });
  }, []);
  /** Takes the paths of all innermost groups. Those that are gone are no longer waited for. */
  const setInnermost = useCallback((paths: readonly string[]) => {
    innermost.current = paths;
    setGathered((now) =>
      now.every((path) => paths.includes(path)) ? now : now.filter((path) => paths.includes(path)),
    );
  }, []);
  const groups = useMemo(() => [...loaded.values()].toSorted((one, other) => one.place - other.place), [loaded]);
  const items = useMemo(() => groups.flatMap(({ pages }) => pages.flatMap((page) => page.items)), [groups]);
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const isGathered = (path: string): boolean => gathered.includes(path);
  return {
    loaded,
    groups,
    items,
    ids,
    report,
    innermost,
    wanted,
    setInnermost,
    gathered,
    setGathered,
    isGathered,
    /** True if the group may load its rows now. */
    isNext: (path: string): boolean => gathered.slice(0, MOST_AT_ONCE).includes(path),
    idsIn: (path: string): readonly string[] =>
      loaded.get(path)?.pages.flatMap((page) => page.items.map(({ id }) => id)) ?? [],
  };
};

export type GroupedRows = ReturnType<typeof useGroupedRows>;
