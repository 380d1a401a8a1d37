import { useQuery } from "@tanstack/react-query";
import { DEPUTY } from "../../../core/model/permissions.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, useEntity } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { type RecordOption, searchLabels } from "./reference-candidates.ts";
import { useRefused } from "./sibling-values.tsx";

const DEPUTY_FIELD = `3.${DEPUTY}.deputy`;

/**
 * Where a deputy is chosen, `order` puts people who can already do the work of the user first, with their roles. In other
 * references, it changes nothing.
 */
export const useHoldersFirst = (field: FieldJson, typed: string, isOpen: boolean) => {
  const { calls } = useClient();
  const { say, show } = useWords();
  const entity = useEntity(DEPUTY);
  const isRefused = useRefused(field);
  // If other values of the form decide who can be chosen, only the search knows.
  const isDeputy = field.clause === DEPUTY_FIELD && entity !== null && (field.among?.given ?? []).length === 0;
  const query = useQuery({
    queryKey: keys.roleHolders(entity?.calls ?? ""),
    queryFn: ({ signal }) => calls.roleHolders(signal),
    enabled: isOpen && isDeputy,
  });
  const order = (found: readonly RecordOption[]): readonly RecordOption[] => {
    const holders = isDeputy ? searchLabels(query.data?.items ?? [], typed).filter((one) => !isRefused(one)) : [];
    if (holders.length === 0) return found;
    const ids = new Set(holders.map(({ id }) => id));
    const others = found.filter(({ id }) => !ids.has(id));
    return [
      ...holders.map(({ id, label, roles }) => ({ id, label, note: show.list(roles), part: say("reference.able") })),
      ...others.map((one) => ({ ...one, part: say("reference.others") })),
    ];
  };
  // The list does not change its order under the pointer.
  return { order, isLoading: query.isLoading };
};
