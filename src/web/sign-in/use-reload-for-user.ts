import { useQueryClient } from "@tanstack/react-query";
import type { Application } from "../../core/wire/application.ts";
import { keys } from "../api/query-keys.ts";
import { useClient } from "../app/app-context.tsx";

/** Loads the application for the new user; nothing of the previous one is kept. */
export const useReloadForUser = () => {
  const queries = useQueryClient();
  const { calls, signedOut } = useClient();
  return async (): Promise<Application> => {
    const application = await calls.application();
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.application[0] });
    queries.setQueryData(keys.application, application);
    signedOut.set(false);
    return application;
  };
};
