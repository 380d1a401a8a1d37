import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { toFailureOf } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient, useEntity } from "../../app/app-context.tsx";
import { candidateQuery, findCandidates } from "./reference-candidates.ts";

/** The records of an entity whose label matches the input. */
export const useCandidates = (
  entity: string | undefined,
  typed: string,
  enabled: boolean,
  limits: readonly (readonly [string, string])[] = [],
) => {
  const { calls } = useClient();
  const { screens } = useApplication();
  const of = useEntity(entity ?? "");
  const path = of?.calls ?? null;
  // Parts of one record come in their order. Of several records, their positions say nothing.
  const isOfOne = limits.some(([by]) =>
    of?.fields.some(({ name, type, optional }) => name === by && type === "reference" && !optional),
  );
  const place = isOfOne ? of?.fields.find(({ type }) => type === "position")?.name : undefined;
  const [searched, setSearched] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSearched(typed), 150);
    return () => clearTimeout(timer);
  }, [typed]);
  const query = useQuery({
    queryKey: keys.candidates(
      path ?? "",
      searched.trim(),
      new URLSearchParams(limits.map(([...one]) => one)).toString(),
    ),
    queryFn: ({ signal }) => calls.list(path ?? "", candidateQuery(screens, searched, limits, place), signal),
    enabled: enabled && path !== null,
    placeholderData: (before) => before,
  });
  return {
    ...query,
    readable: path !== null,
    // Until the search for the current input has ended, nothing can be said about its results.
    isFetching: query.isFetching || (enabled && searched !== typed),
    failure: toFailureOf(query),
    found: findCandidates(query.data?.items ?? [], typed, of),
  };
};
