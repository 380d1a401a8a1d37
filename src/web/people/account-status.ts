import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AccountJson, PersonAccountJson } from "../../core/wire/accounts/people.ts";
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

/** Milliseconds between looks at an email. */
const EVERY = 3_000;

/** So many emails of a list are looked at in that time. */
const AT_ONCE = 5;

/** The email with the link of a person. */
type MailedLink =
  | { readonly state: "waiting" | "sent" | "accepted" }
  | { readonly state: "failed"; readonly reason: string };

const isAccepted = ({ password, link_until }: AccountJson): boolean => password && link_until === null;

/**
 * Follows the email with a link until it is known whether it was sent, and then whether somebody used it. `among`: the number
 * of emails that are followed together.
 */
export const useMailedLink = (person: string, isMailed: boolean, among = 1): MailedLink => {
  const { calls } = useClient();
  const sayReason = useUnsentReason();
  // The account as it was before knows nothing of this link: it can have a password, and none open.
  const [begin] = useState(Date.now);
  const pickNew = (data: PersonAccountJson | undefined, at: number) => (at < begin ? undefined : data);
  const query = useQuery({
    queryKey: keys.personAccount(person),
    queryFn: ({ signal }) => calls.personAccount(person, signal),
    enabled: isMailed,
    refetchInterval: ({ state }) => {
      const account = pickNew(state.data, state.dataUpdatedAt);
      return account !== undefined && isAccepted(account) ? false : EVERY * Math.ceil(among / AT_ONCE);
    },
  });
  const data = pickNew(query.data, query.dataUpdatedAt);
  if (data === undefined || data.link_mail === "waiting") return { state: "waiting" };
  if (data.link_mail !== null) return { state: "failed", reason: sayReason(data.link_mail) };
  return { state: isAccepted(data) ? "accepted" : "sent" };
};
