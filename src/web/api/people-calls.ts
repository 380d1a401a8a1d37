import type {
  LinkJson,
  PeopleJson,
  PersonAccountJson,
  RegistrationJson,
  SamplesRemovedJson,
} from "../../core/wire/accounts/people.ts";
import type { SignInsJson } from "../../core/wire/accounts/sign-ins.ts";
import type { OutboundHoldJson } from "../../core/wire/outbound-hold.ts";
import type { UnsentPageJson } from "../../core/wire/unsent.ts";
import { type Body, pathTo, type Requests } from "./requests.ts";

export type AccountUpdate =
  | { readonly kind: "activate" | "deactivate" | "end_sessions" }
  | { readonly kind: "grant" | "take"; readonly role: string };

/** Which people a list shows: all of them without a member. */
export interface PeopleFilter {
  readonly search?: string;
  /** Only those who have one of these roles. */
  readonly roles?: readonly string[];
  /** True for sample people only. */
  readonly samples?: boolean;
}

/** People, their accounts, and messages of the program. Only administrators can use these calls. */
export const createPeopleCalls = ({ act, read }: Requests) => ({
  /** People by name, page by page. */
  people: (
    { search = "", roles = [], samples = false }: PeopleFilter,
    after: string | null,
    signal?: AbortSignal,
  ): Promise<PeopleJson> => {
    const query = new URLSearchParams(roles.map((role) => ["role", role]));
    if (search !== "") query.set("search", search);
    if (samples) query.set("sample", "true");
    if (after !== null) query.set("after", after);
    return read(`/_/people?${query}`, { signal });
  },
  removeSamples: (): Promise<SamplesRemovedJson> => read("/_/samples/remove", { method: "POST", body: {} }),
  signIns: (search: string, failed: boolean, after: string | null, signal?: AbortSignal): Promise<SignInsJson> =>
    read(
      `/_/sign-ins?${new URLSearchParams({ ...(search === "" ? {} : { search }), ...(failed ? { failed: "true" } : {}), ...(after && { after }) })}`,
      { signal },
    ),
  /** These accounts in one answer, 100 at most. */
  accounts: (ids: readonly string[], signal?: AbortSignal): Promise<PeopleJson> =>
    read(`/_/people?${new URLSearchParams(ids.map((id) => ["id", id]))}`, { signal }),
  personAccount: (id: string, signal?: AbortSignal): Promise<PersonAccountJson> =>
    read(pathTo("/_/people", id), { signal }),
  invite: (person: Body): Promise<LinkJson> => read("/_/people", { method: "POST", body: person }),
  changeAccount: (id: string, update: AccountUpdate): Promise<void> =>
    act(pathTo("/_/people", id, update.kind), {
      method: "POST",
      body: "role" in update ? { role: update.role } : {},
    }),
  passwordLink: (id: string): Promise<LinkJson> =>
    read(pathTo("/_/people", id, "password_link"), { method: "POST", body: {} }),
  endPersonToken: (id: string, token: string): Promise<void> =>
    act(pathTo("/_/people", id, "tokens", token), { method: "DELETE" }),
  /** Starts viewing as somebody else, read-only; null ends it. */
  viewAs: (person: string | null): Promise<void> =>
    act("/_/look", person === null ? { method: "DELETE" } : { method: "POST", body: { person } }),
  registrations: (signal: AbortSignal): Promise<{ readonly items: readonly RegistrationJson[] }> =>
    read("/_/sign-ups", { signal }),
  registrationLink: (id: string): Promise<LinkJson> =>
    read(pathTo("/_/sign-ups", id, "link"), { method: "POST", body: {} }),
  declineRegistration: (id: string): Promise<void> => act(pathTo("/_/sign-ups", id), { method: "DELETE" }),
  /** Messages held after a restore; null if there is no hold. */
  outboundHold: async (signal: AbortSignal): Promise<OutboundHoldJson | null> =>
    (await read<{ readonly held: OutboundHoldJson | null }>("/_/held", { signal })).held,
  /** `old`: send messages that were pending in the backup, too. */
  releaseHeld: (old: boolean): Promise<void> => act("/_/held/let-go", { method: "POST", body: { old } }),
  unsent: (after: string | null, signal?: AbortSignal): Promise<UnsentPageJson> =>
    read(`/_/unsent${after ? `?after=${after}` : ""}`, { signal }),
  /** Sends a message that failed again, or all of them. */
  resend: (id: string | null): Promise<void> =>
    act(id === null ? "/_/unsent/send" : pathTo("/_/unsent", id, "send"), { method: "POST", body: {} }),
});
