import { notifyManager } from "@tanstack/react-query";
import { keys } from "../api/query-keys.ts";
import type { Client } from "./app-state.ts";

/** Shows the sign-in page without anything of the person whose session has ended. */
export const forgetPerson = async (client: Client): Promise<void> => {
  const { calls, queries, signedOut, navigation, trail, preferences } = client;
  preferences.belongTo(null);
  const application = await calls.application();
  trail.set(null);
  // One that began before would bring the person back, as if the session had ended under an open page.
  await queries.cancelQueries({ queryKey: keys.application });
  queries.setQueryData(keys.application, application);
  // The page learns of it a moment later. Until then, the sign-in page would lead the person back to the overview.
  await new Promise<void>((told) => notifyManager.schedule(told));
  navigation.go("/sign-in", "replace");
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.application[0] });
  signedOut.set(false);
};
