import type { AccountJson } from "../../core/wire/accounts/people.ts";
import type { StateJson } from "../../core/wire/entities.ts";
import type { Words } from "../i18n/words.tsx";

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
