import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { limitPage } from "../../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient, useLocale } from "../../app/app-context.tsx";

const MOST = 50;

/** The deputies of a person, and those for whom the person stands in, from today on. */
export const useArrangements = (entity: EntityJson, person: string): UseQueryResult<readonly RecordJson[]> => {
  const { calls } = useClient();
  const { screens } = useApplication();
  const { today } = useLocale();
  const parameters = (side: "person" | "deputy") =>
    new URLSearchParams({
      [side]: person,
      "last_day>": today,
      sort: "first_day",
      limit: String(limitPage(screens, MOST)),
      may: "true",
    });
  return useQuery({
    queryKey: [...keys.of(entity.calls), "of", person],
    queryFn: async ({ signal }) => {
      const [away, standing] = await Promise.all(
        (["person", "deputy"] as const).map((side) => calls.list(entity.calls, parameters(side), signal)),
      );
      return [...(away?.items ?? []), ...(standing?.items ?? [])];
    },
  });
};
