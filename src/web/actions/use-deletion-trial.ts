import { useQuery } from "@tanstack/react-query";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useClient } from "../app/app-context.tsx";
import { type ActOutcome, forEach } from "./for-each.ts";

/** More records are deleted without a trial, because each is tried by a request of its own. */
const MOST_TRIED = 50;

/**
 * Tries the deletion of records without deleting them, so that nobody is asked about one that is refused. A failure to
 * find out is no refusal: the deletion itself then fails. Without `enabled`, the result of the last trial stays.
 */
export const useDeletionTrial = (
  entity: EntityJson,
  records: readonly RecordJson[],
  enabled: boolean,
): { readonly isPending: boolean; readonly refused: readonly ActOutcome<RecordJson, unknown>[] } => {
  const { calls } = useClient();
  const isTried = enabled && records.length <= MOST_TRIED;
  const { data = [], isPending } = useQuery({
    queryKey: keys.removal(
      entity.calls,
      records.map(({ id }) => id),
    ),
    queryFn: async ({ signal }) => {
      const outcomes = await forEach(records, ({ id }) => calls.tryRemoval(entity.name, id, signal));
      return outcomes.filter(({ failed }) => failed !== null && toFailure(failed).kind === "refused");
    },
    enabled: isTried,
    staleTime: 0,
    gcTime: 0,
  });
  return { isPending: isTried && isPending, refused: data };
};
