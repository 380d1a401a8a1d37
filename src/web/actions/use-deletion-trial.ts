import { useQuery } from "@tanstack/react-query";
import type { EntityJson } from "../../core/wire/entities.ts";
import { MOST_TRIED, type RecordJson } from "../../core/wire/records.ts";
import { CallFailed } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useClient } from "../app/app-context.tsx";
import type { ActOutcome } from "./for-each.ts";

interface DeletionTrial {
  readonly isPending: boolean;
  /** The records that can be deleted, in an order in which they can. */
  readonly able: readonly RecordJson[];
  readonly refused: readonly ActOutcome<RecordJson, unknown>[];
}

/**
 * Tries the deletion of records without deleting them, so that nobody is asked about one that is refused. A failure to
 * find out is no refusal: the deletion itself then fails. Without `enabled`, the result of the last trial stays. More
 * records than one request tries are deleted without a trial.
 */
export const useDeletionTrial = (
  entity: EntityJson,
  records: readonly RecordJson[],
  enabled: boolean,
): DeletionTrial => {
  const { calls } = useClient();
  const isTried = enabled && records.length <= MOST_TRIED;
  const ids = records.map(({ id }) => id);
  const { data, isPending } = useQuery({
    queryKey: keys.removal(entity.calls, ids),
    queryFn: ({ signal }) => calls.tryRemovals(entity.name, ids, signal),
    enabled: isTried,
    staleTime: 0,
    gcTime: 0,
  });
  const tried = (data?.items ?? []).flatMap(({ id, refused }) => {
    const record = records.find((one) => one.id === id);
    return record === undefined ? [] : [{ record, problem: refused }];
  });
  return {
    isPending: isTried && isPending,
    able: data === undefined ? records : tried.flatMap(({ record, problem }) => (problem === null ? [record] : [])),
    refused: tried.flatMap(({ record, problem }) =>
      problem === null ? [] : [{ record, failed: new CallFailed({ kind: "refused", problem }) }],
    ),
  };
};
