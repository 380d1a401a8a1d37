import { useQueries } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type Failure, toFailureOf } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient } from "../../app/app-context.tsx";
import { candidateQuery, findCandidates } from "../../field/control/reference-candidates.ts";
import { findListScreen, recordAddress } from "../../routing/routes.ts";
import type { PaletteEntry } from "./palette-entry.ts";

const perEntity = 5;

/** The input once typing pauses. */
const useDebounced = (typed: string): string => {
  const [query, setDebounced] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(typed), 160);
    return () => clearTimeout(timer);
  }, [typed]);
  return query;
};

/** Records of every list whose labels, or other identifying texts, match the input. */
export const useFoundRecords = (
  typed: string,
): { readonly records: readonly PaletteEntry[]; readonly busy: boolean; readonly failure: Failure | null } => {
  const { calls, navigation } = useClient();
  const { screens, entities } = useApplication();
  const query = useDebounced(typed.trim());
  const listed = Object.values(entities).filter(({ name }) => findListScreen(screens, name) !== null);
  const found = useQueries({
    queries: listed.map((entity) => ({
      queryKey: keys.candidates(entity.calls, query),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        calls.list(entity.calls, candidateQuery(screens, query), signal),
      enabled: query.length > 1,
      staleTime: 10_000,
    })),
  });
  const failures = found.map(toFailureOf);
  const busy = typed.trim() !== query || found.some(({ isFetching }, at) => isFetching && !failures[at]);
  const records =
    query.length > 1
      ? listed.flatMap((entity, at): readonly PaletteEntry[] => {
          // Named after the list where it would be found.
          const kind = findListScreen(screens, entity.name)?.title ?? entity.many;
          return findCandidates(found[at]?.data?.items ?? [], typed, entity)
            .slice(0, perEntity)
            .flatMap(({ id, label, foundBy }) => {
              const to = recordAddress(screens, entity.name, id);
              if (to === null) return [];
              const entry = {
                id: `record ${id}`,
                label,
                icon: "record",
                isRecord: true,
                note: kind,
                run: () => navigation.go(to),
              } as const;
              return [foundBy === undefined ? entry : { ...entry, foundBy }];
            });
        })
      : [];
  return { records, busy, failure: failures.find((one) => one !== null) ?? null };
};
