import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AccountJson } from "../../core/wire/accounts/people.ts";
import type { StateJson } from "../../core/wire/entities.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords, type Words } from "../i18n/words.tsx";
import { useUnsentReason } from "./unsent-reason.ts";

/**
 * The status of an account, displayed like a state: active, invited, without password, deactivated. In a demonstration, sample
 * people sign in without a password.
 */
export const useAccountState = (): ((account: AccountJson) => StateJson) => {
  const words = useWords();
  const { signIn } = useApplication();
  return (account) => getAccountState(account, words, account.sample && signIn.demonstration !== undefined);
};

const getAccountState = (account: AccountJson, { say }: Pick<Words, "say">, open: boolean): StateJson => {
  if (!account.active)
    return {
      name: "deactivated",
      label: say("people.deactivated"),
      mark: { hue: "neutral", shape: { kind: "disc", cut: "slash" }, ring: false },
    };
  if (account.password || (open && account.link_until === null && account.invitation !== "expired"))
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
  if (account.invitation === "expired")
    return {
      name: "expired",
      label: say("people.invited.expired"),
      mark: { hue: "amber", shape: { kind: "dashed" }, ring: false },
    };
  return {
    name: "invited",
    label: say(account.link_until === null ? "people.no.password" : "people.invited"),
    mark: { hue: account.link_until === null ? "neutral" : "blue", shape: { kind: "dashed" }, ring: false },
  };
};

/** Milliseconds between looks at emails that are on their way, and at those that were sent and wait for their readers. */
const EVERY = { waiting: 3_000, sent: 30_000 };

/** The email with the link of a person. */
export type MailedLink =
  | { readonly state: "waiting" | "sent" | "accepted" }
  | { readonly state: "failed"; readonly reason: string };

/**
 * Follows the emails with the links of these people, in one request for all, until it is known whether they were sent, and
 * then, more slowly, whether somebody used them. Asks nothing while the page is not visible.
 */
export const useMailedLinks = (people: readonly string[]): ((person: string) => MailedLink) => {
  const { calls } = useClient();
  const sayReason = useUnsentReason();
  // The accounts as they were before know nothing of these links: they can have a password, and no link.
  const [begin] = useState(Date.now);
  const read = ({ link_mail, link_until, password }: AccountJson): MailedLink => {
    if (link_mail === "waiting") return { state: "waiting" };
    if (link_mail !== null) return { state: "failed", reason: sayReason(link_mail) };
    return { state: password && link_until === null ? "accepted" : "sent" };
  };
  const { data, dataUpdatedAt } = useQuery({
    queryKey: keys.accounts(people),
    queryFn: ({ signal }) => calls.accounts(people, signal),
    enabled: people.length > 0,
    refetchInterval: ({ state }) => {
      const states = state.data?.items.map((account) => read(account).state) ?? [];
      if (state.dataUpdatedAt < begin || states.includes("waiting")) return EVERY.waiting;
      return states.every((one) => one === "accepted") ? false : EVERY.sent;
    },
  });
  const known = dataUpdatedAt < begin ? [] : (data?.items ?? []);
  return (person) => {
    const account = known.find(({ id }) => id === person);
    return account === undefined ? { state: "waiting" } : read(account);
  };
};
