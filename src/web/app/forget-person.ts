import { keys } from "../api/query-keys.ts";
import type { Client } from "./app-state.ts";

/** Shows the sign-in page without anything of the person whose session has ended. */
export const forgetPerson = async ({ calls, queries, navigation, trail, preferences }: Client): Promise<void> => {
  preferences.belongTo(null);
  const application = await calls.application();
  trail.set(null);
  navigation.go("/sign-in", "replace");
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.application[0] });
  queries.setQueryData(keys.application, application);
};
