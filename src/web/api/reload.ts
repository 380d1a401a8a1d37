import { type InvalidateQueryFilters, matchQuery, type QueryClient } from "@tanstack/react-query";
import { keys } from "./query-keys.ts";

/**
 * Loads data again, and resolves when it has arrived. It does not wait for a server that does not answer: queries try again
 * until that does, and until then nobody would learn what became of an action.
 */
export const reload = (queries: QueryClient, filters: InvalidateQueryFilters = {}): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      unsubscribe();
      resolve();
    };
    const unsubscribe = queries.getQueryCache().subscribe((event) => {
      const hasFailed = event.type === "updated" && event.action.type === "failed";
      if (hasFailed && matchQuery(filters, event.query)) end();
    });
    void queries.invalidateQueries(filters).then(end, end);
  });

/** Loads the records of an entity again after an act, and the overviews that show them. `path` is that of its calls. */
export const reloadRecords = async (queries: QueryClient, path: string): Promise<void> => {
  await Promise.all([reload(queries, { queryKey: keys.of(path) }), reload(queries, { queryKey: keys.overviews })]);
};
