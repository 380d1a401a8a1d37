import type { OwnAccountJson, TokenMadeJson } from "../../core/wire/accounts/account.ts";
import type { MailLinkJson } from "../../core/wire/accounts/mail-token.ts";
import type { LinkOwnerJson, RegisteringJson } from "../../core/wire/accounts/people.ts";
import type { PreferencesJson } from "../../core/wire/accounts/preferences.ts";
import type { MailedTransitionJson } from "../../core/wire/mailed-transition.ts";
import type { NotificationsJson } from "../../core/wire/notifications.ts";
import { type Body, pathTo, type Requests } from "./requests.ts";

/** Signing in and the user's own account. */
export const createAccountCalls = ({ act, read }: Requests) => ({
  signIn: (
    credentials:
      | { readonly [field: string]: string; readonly password: string }
      | { readonly demonstration: string }
      | { readonly preview: string },
  ): Promise<void> => act("/_/session", { method: "POST", body: credentials, signingIn: true }),
  signOut: (): Promise<void> => act("/_/session", { method: "DELETE" }),
  createFirstAdministrator: (account: {
    readonly token: string;
    readonly name: string;
    readonly email: string;
    readonly password: string;
  }): Promise<void> => act("/_/first-administrator", { method: "POST", body: account, signingIn: true }),
  linkOwner: (token: string): Promise<LinkOwnerJson> =>
    read("/_/password-link", { method: "POST", body: { token }, signingIn: true }),
  setPassword: (token: string, password: string, name?: string): Promise<void> =>
    act("/_/password", {
      method: "POST",
      body: { token, password, ...(name === undefined ? {} : { name }) },
      signingIn: true,
    }),
  /** Responds in the same way whether or not the address has an account. */
  askForPassword: (email: string): Promise<void> =>
    act("/_/forgotten-password", { method: "POST", body: { email }, signingIn: true }),
  /** Responds in the same way whether or not the address has an account. */
  askToRegister: (email: string): Promise<void> =>
    act("/_/sign-up", { method: "POST", body: { email }, signingIn: true }),
  registration: (token: string, signal: AbortSignal): Promise<RegisteringJson> =>
    read("/_/sign-up/link", { method: "POST", body: { token }, signingIn: true, signal }),
  /** With the token of a link, or with the address where registration needs no link. */
  register: (account: {
    readonly token?: string;
    readonly email?: string;
    readonly name: string;
    readonly password: string;
    readonly more: Body;
  }): Promise<void> => act("/_/sign-up/account", { method: "POST", body: account, signingIn: true }),
  account: (signal?: AbortSignal): Promise<OwnAccountJson> => read("/_/account", { signal }),
  changePassword: (current: string, password: string): Promise<void> =>
    act("/_/account/password", { method: "POST", body: { current, password } }),
  changeOwnName: (name: string): Promise<void> => act("/_/account/name", { method: "POST", body: { name } }),
  /** Closes the user's own account and signs out. `password`: of people who have one. */
  closeAccount: (password: string): Promise<void> => act("/_/account/close", { method: "POST", body: { password } }),
  /** Ends one of the user's own sessions; null: all but this one. */
  endSession: (id: string | null): Promise<void> =>
    act(id === null ? "/_/account/sessions" : pathTo("/_/account/sessions", id), { method: "DELETE" }),
  /** Creates an API token. Its secret is returned once. */
  createToken: (token: {
    readonly name: string;
    readonly days: number;
    readonly reads: boolean;
    readonly roles: readonly string[];
    /** The current password, if there is one. */
    readonly password?: string;
  }): Promise<TokenMadeJson> => read("/_/account/tokens", { method: "POST", body: token }),
  endToken: (id: string): Promise<void> => act(pathTo("/_/account/tokens", id), { method: "DELETE" }),
  /** The person's preferences. */
  preferences: (): Promise<PreferencesJson> => read("/_/preferences"),
  /** Changes preferences; also sent while the page is being left. */
  savePreferences: (chosen: PreferencesJson): Promise<void> =>
    act("/_/preferences", { method: "POST", body: { ...chosen } as Body, keepalive: true }),
  /** Notifications, newest first; `more`: unread only, labels and states of records, and whole texts. */
  notifications: (
    after: string | null,
    signal?: AbortSignal,
    more: { readonly unread?: "true"; readonly label?: "true"; readonly whole?: "true" } = {},
  ): Promise<NotificationsJson> => {
    const query = new URLSearchParams({ ...more, ...(after === null ? {} : { after }) }).toString();
    return read(`/_/notifications${query === "" ? "" : `?${query}`}`, { signal });
  },
  /** Marks one and all earlier ones as read, or all about a record. */
  readNotifications: (
    which:
      | { readonly until: string }
      | { readonly record: string; readonly notifications?: readonly string[] }
      | { readonly notifications: readonly string[] },
  ): Promise<void> => act("/_/notifications/read", { method: "POST", body: { ...which } }),
  /** Asks what the link of a mail can do now. */
  mailedTransition: (token: string, signal: AbortSignal): Promise<MailedTransitionJson> =>
    read("/_/mail/transition-link", { method: "POST", body: { token }, signingIn: true, signal }),
  /** Makes the transition of a mail's link, on the record as it was shown. */
  makeMailedTransition: (token: string, values: Body, version: number): Promise<void> =>
    act("/_/mail/transition", { method: "POST", body: { token, values, version }, signingIn: true }),
  /** Names the emails that the token of a link is about. */
  mailsOfLink: (token: string, signal: AbortSignal): Promise<MailLinkJson> =>
    read(`/_/mail/unsubscribe?${new URLSearchParams({ token })}`, { signingIn: true, signal }),
  /** Ends the emails that the token of a link is about. `all`: not only its list or overview, but all of them. */
  stopMails: (token: string, all: boolean): Promise<void> =>
    act("/_/mail/unsubscribe", {
      method: "POST",
      body: { token, ...(all ? { all: "reports" } : {}) },
      signingIn: true,
    }),
});
