import type { InfiniteData, Query, QueryClient } from "@tanstack/react-query";
import type { ListJson } from "../../core/wire/lists.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { keys } from "./query-keys.ts";

/** Some values of a record. */
export type RecordValues = Pick<RecordJson, "id"> & Partial<RecordJson>;

/**
 * Shows values of records in all loaded lists and groups, before these are loaded again; `path` is that of the entity's
 * calls.
 */
export const showInLists = (queries: QueryClient, path: string, records: readonly RecordValues[]): void => {
  const shown = new Map(records.map((record) => [record.id, record]));
  const predicate = ({ queryKey: [, , what] }: Query): boolean => what === "list" || what === "drawn";
  // Boards and calendars have all their rows on one page.
  queries.setQueriesData<InfiniteData<ListJson> | ListJson>({ queryKey: keys.of(path), predicate }, (now) =>
    now === undefined || !("pages" in now)
      ? now
      : {
          ...now,
          pages: now.pages.map((page) => ({
            ...page,
            items: page.items.map((item) => (shown.has(item.id) ? { ...item, ...shown.get(item.id) } : item)),
          })),
        },
  );
};
