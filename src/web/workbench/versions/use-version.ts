import { useQuery } from "@tanstack/react-query";
import { keys } from "../../api/query-keys.ts";
import { useClient } from "../../app/app-context.tsx";

/** One version with its text, which never changes. */
export const useVersion = (number: number) => {
  const { calls } = useClient();
  return useQuery({
    queryKey: keys.version(number),
    queryFn: ({ signal }) => calls.version(number, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
};
