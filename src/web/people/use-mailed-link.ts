import { useQuery } from "@tanstack/react-query";
import { keys } from "../api/query-keys.ts";
import { useClient } from "../app/app-context.tsx";
import { useUnsentReason } from "./unsent-reason.ts";

/** Milliseconds between looks at an email that is on its way. */
const EVERY = 3_000;

/** The email with the link of a person. */
type MailedLink =
  | { readonly state: "waiting" | "sent" | "accepted" }
  | { readonly state: "failed"; readonly reason: string };

/** Follows the email with a link until it is known whether it was sent, and then whether somebody used it. */
export const useMailedLink = (person: string, isMailed: boolean): MailedLink => {
  const { calls } = useClient();
  const sayReason = useUnsentReason();
  const { data } = useQuery({
    queryKey: keys.personAccount(person),
    queryFn: ({ signal }) => calls.personAccount(person, signal),
    enabled: isMailed,
    refetchInterval: ({ state }) => (state.data?.password === true ? false : EVERY),
  });
  if (data === undefined || data.link_mail === "waiting") return { state: "waiting" };
  if (data.link_mail !== null) return { state: "failed", reason: sayReason(data.link_mail) };
  return { state: data.password && data.link_until === null ? "accepted" : "sent" };
};
