import { useQuery } from "@tanstack/react-query";
import { keys } from "../../api/query-keys.ts";
import { useClient, usePerson } from "../../app/app-context.tsx";

/** The user's own views and shared ones. */
export const useViews = () => {
  const { calls } = useClient();
  const person = usePerson();
  return useQuery({
    queryKey: keys.views(person?.id ?? ""),
    queryFn: ({ signal }) => calls.views(signal),
    enabled: person !== null,
    staleTime: 60_000,
  });
};
