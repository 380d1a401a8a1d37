import { useQueries } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient } from "../../app/app-context.tsx";
import { mayQuery } from "../filter/list-search.ts";
import { type LoadedPages, MOST_SELECTED } from "../table/loaded-pages.ts";

/** The rows between two rows, inclusive, in either direction. */
const rowsBetween = (ids: readonly string[], from: string, to: string): readonly string[] => {
  const [one, other] = [ids.indexOf(from), ids.indexOf(to)];
  return one < 0 || other < 0 ? [to] : ids.slice(Math.min(one, other), Math.max(one, other) + 1);
};

/** The selected rows; rows that disappear are deselected. */
export const useSelection = (ids: readonly string[]) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const lastOne = useRef<string | null>(null);
  const selected = useMemo(() => {
    if (chosen.size === 0) return chosen;
    return new Set(ids.filter((id) => chosen.has(id)));
  }, [ids, chosen]);
  const keep = useCallback((next: readonly string[]) => {
    if (next.length === 0) lastOne.current = null;
    setChosen(new Set(next));
  }, []);
  const all = useRef(ids);
  all.current = ids;
  const select = useCallback((id: string, extend: boolean) => {
    const from = extend ? lastOne.current : null;
    lastOne.current = id;
    setChosen((now) => {
      const next = new Set(now);
      if (from !== null) for (const one of rowsBetween(all.current, from, id)) next.add(one);
      else if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const selectAll = useCallback((on: boolean) => keep(on ? all.current : []), [keep]);
  const add = useCallback(
    (others: readonly string[]) => setChosen((now) => new Set([...now, ...others].slice(0, MOST_SELECTED))),
    [],
  );
  return {
    selected,
    select,
    selectAll,
    keep,
    add,
    /** The row that was turned last, from which Shift selects; null if none is selected. */
    last: () => (selected.size === 0 ? null : lastOne.current),
  };
};

/**
 * The selected rows with their permissions, loaded by page once something is selected, so that merely reading a list
 * does not wait for them. Rows that come with permissions have no need of that.
 */
export const useSelectedRecords = (
  { screen, entity }: { screen: ListScreenJson; entity: EntityJson },
  loaded: readonly LoadedPages[],
  selected: ReadonlySet<string>,
): { readonly records: readonly RecordJson[]; readonly pending: boolean } => {
  const { calls } = useClient();
  const pages = selected.size === 0 ? [] : loaded.flatMap((one) => one.pages);
  const haveMay = screen.capabilities === true;
  const touched = (selected.size === 0 || haveMay ? [] : loaded).flatMap(({ search, pages, params }) =>
    pages.flatMap((page, at) => {
      const param = params[at];
      return param && page.items.some(({ id }) => selected.has(id)) ? [mayQuery(search, screen, param)] : [];
    }),
  );
  const answers = useQueries({
    queries: touched.map((query) => ({
      queryKey: keys.drawn(entity.calls, query.toString()),
      queryFn: ({ signal }: { signal: AbortSignal }) => calls.list(entity.calls, query, signal),
    })),
  });
  // While rows move from one group to another, both can have them.
  const rows = [
    ...new Map(
      pages.flatMap(({ items }) => items.flatMap((row) => (selected.has(row.id) ? [[row.id, row]] : []))),
    ).values(),
  ];
  const known = pickCurrent(rows, haveMay ? rows : answers.flatMap(({ data }) => data?.items ?? []));
  const unknown = rows.filter(({ id }) => !known.has(id));
  const isLoading = unknown.length > 0 && answers.some(({ isFetching }) => isFetching);
  // A row that has moved to another page is loaded individually.
  const strays = isLoading ? [] : unknown;
  const { found, pending } = useWholeRecords(entity, strays);
  return {
    records: rows.map((row) => known.get(row.id) ?? found.get(row.id) ?? row),
    pending: isLoading || pending,
  };
};

/** Some rows with their permissions, loaded individually. */
export const useWholeRecords = (
  entity: EntityJson,
  rows: readonly RecordJson[],
): { readonly found: ReadonlyMap<string, RecordJson>; readonly pending: boolean } => {
  const { calls } = useClient();
  const answers = useQueries({
    queries: rows.map(({ id }) => ({
      queryKey: keys.record(entity.calls, id),
      queryFn: ({ signal }: { signal: AbortSignal }) => calls.record(entity.calls, id, signal),
    })),
  });
  const records = answers.flatMap(({ data }) => data ?? []);
  return { found: pickCurrent(rows, records), pending: answers.some(({ isPending }) => isPending) };
};

/**
 * The loaded records of some rows, by id. Those that were loaded before the row last changed are left out: their
 * permissions and their version no longer apply.
 */
const pickCurrent = (rows: readonly RecordJson[], loaded: readonly RecordJson[]): ReadonlyMap<string, RecordJson> => {
  const versions = new Map(rows.map(({ id, version }) => [id, version]));
  return new Map(
    loaded.filter(({ id, version }) => version >= (versions.get(id) ?? Infinity)).map((record) => [record.id, record]),
  );
};
