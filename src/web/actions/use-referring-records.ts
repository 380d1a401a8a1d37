import { useQueries } from "@tanstack/react-query";
import type { EntityJson } from "../../core/wire/entities.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findListScreen } from "../routing/routes.ts";

/** The records of one entity that refer to a record: "2 notes use it as “Folder”", and the list of them. */
export interface RecordUse {
  readonly key: string;
  readonly words: string;
  /** Null if no screen lists them. */
  readonly href: string | null;
}

/**
 * How many records refer to a record, as far as this person sees them; null while they are counted. Counts only if
 * `enabled`.
 */
export const useReferringRecords = (entity: EntityJson, id: string, enabled: boolean): readonly RecordUse[] | null => {
  const { calls } = useClient();
  const { entities, screens } = useApplication();
  const { say } = useWords();
  const references = Object.values(entities).flatMap((other) =>
    other.fields
      .filter((field) => field.entity === entity.name && field.filters === "values")
      .map((field) => ({ other, field })),
  );
  const counts = useQueries({
    queries: references.map(({ other, field }) => {
      const query = new URLSearchParams({ [field.name]: id, limit: "1", count: "exact" });
      return {
        queryKey: keys.drawn(other.calls, query.toString()),
        queryFn: ({ signal }: { signal: AbortSignal }) => calls.list(other.calls, query, signal),
        enabled,
        retry: false,
      };
    }),
    combine: (results) => ({
      isPending: results.some(({ isPending }) => isPending),
      counts: results.map(({ data }) => data?.count),
    }),
  });
  if (counts.isPending) return null;
  return references.flatMap(({ other, field }, i) => {
    const count = counts.counts[i];
    if (typeof count !== "number" || count === 0) return [];
    const words = say("delete.used", { count, thing: other.one, things: other.many, field: field.label });
    const path = findListScreen(screens, other.name)?.path;
    const href = path === undefined ? null : `${path}?${new URLSearchParams({ [field.name]: id })}`;
    return [{ key: `${other.name}.${field.name}`, words, href }];
  });
};
