import { useInfiniteQuery } from "@tanstack/react-query";
import { keys } from "../api/query-keys.ts";
import { useClient, usePerson } from "./app-context.tsx";

/** Polling interval in milliseconds, in addition to the change feed. */
const EVERY = 60_000;

/** The notifications of the person, newest first. */
export const useNotifications = () => {
  const { calls } = useClient();
  const person = usePerson();
  return useInfiniteQuery({
    queryKey: keys.notifications(person?.id ?? ""),
    queryFn: ({ pageParam, signal }) => calls.notifications(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    refetchInterval: EVERY,
    enabled: person !== null,
  });
};
