import { useQuery } from "@tanstack/react-query";
import type { AccountJson } from "../../core/wire/accounts/people.ts";
import type { StateJson } from "../../core/wire/entities.ts";
import { keys } from "../api/query-keys.ts";
import { useClient } from "../app/app-context.tsx";
import type { Words } from "../i18n/words.tsx";
import { useUnsentReason } from "./unsent-reason.ts";

/** The status of an account, displayed like a state: active, invited, without password, deactivated. */
export const getAccountState = (account: AccountJson, { say }: Pick<Words, "say">): StateJson => {
  if (!account.active)
    return {
      name: "deactivated",
      label: say("people.deactivated"),
      mark: { hue: "neutral", shape: { kind: "disc", cut: "slash" }, ring: false },
    };
  if (account.password)
    return {
      name: "active",
      label: say("people.active"),
      mark: { hue: "teal", shape: { kind: "disc", cut: "none" }, ring: false },
    };
  if (account.link_until !== null && account.link_mail !== null && account.link_mail !== "waiting")
    return {
      name: "unsent",
      label: say("people.invited.not"),
      mark: { hue: "amber", shape: { kind: "dashed" }, ring: false },
    };
  return {
    name: "invited",
    label: say(account.link_until === null ? "people.no.password" : "people.invited"),
    mark: { hue: account.link_until === null ? "neutral" : "blue", shape: { kind: "dashed" }, ring: false },
  };
};

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
