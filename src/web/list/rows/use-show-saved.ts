import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient } from "../../app/app-context.tsx";
import { type Pages, replaceRecords } from "./page-refresh.ts";

/** Shows records as they were just saved in all loaded lists, before these are loaded again. */
export const useShowSaved = ({ calls }: EntityJson): ((written: readonly RecordJson[]) => void) => {
  const { queries } = useClient();
  return (written) =>
    void queries.setQueriesData<Pages>({ queryKey: [...keys.of(calls), "list"] }, (now) =>
      now === undefined ? now : replaceRecords(now, written),
    );
};
