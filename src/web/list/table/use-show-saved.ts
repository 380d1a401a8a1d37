import type { InfiniteData } from "@tanstack/react-query";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ListJson } from "../../../core/wire/lists.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient } from "../../app/app-context.tsx";

/** Shows records as they were just saved in all loaded lists, before these are loaded again. */
export const useShowSaved = ({ calls }: EntityJson): ((written: readonly RecordJson[]) => void) => {
  const { queries } = useClient();
  return (written) => {
    const saved = new Map(written.map((record) => [record.id, record]));
    queries.setQueriesData<InfiniteData<ListJson>>({ queryKey: [...keys.of(calls), "list"] }, (now) =>
      now === undefined
        ? now
        : {
            ...now,
            pages: now.pages.map((page) => ({
              ...page,
              items: page.items.map((item) => (saved.has(item.id) ? { ...item, ...saved.get(item.id) } : item)),
            })),
          },
    );
  };
};
