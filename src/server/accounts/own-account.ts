import { isAdmitted } from "../../core/derive/openapi/custom-errors.ts";
import type { Phrases } from "../../core/explain/language.ts";
import type { Call } from "../../core/model/endpoint.ts";
import type { Model } from "../../core/model/model.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { execute } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import { readJsonBody } from "../http/reply.ts";
import { planAccount } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";

/** Changes that people make to their own account: their name, and closing it. */

/** True if the document lets the person change their name, which is a field of their record. */
export const canRename = async (service: Service, person: SignedIn, now: Date): Promise<boolean> => {
  const intent = { kind: "read", entity: "User", id: person.id, label: false, screen: null } as const;
  const read = await service.perform(intent, person, now);
  if (read.kind === "refusal") return false;
  const { may } = readJsonBody("body" in read ? read : { body: {} }) as {
    readonly may?: { readonly update?: readonly string[] };
  };
  return may?.update?.includes("name") === true;
};

/** Changes the name of a person as an update of their record, with the same permissions, rules and history. */
export const changeOwnName = async (
  service: Service,
  name: string,
  { principal, now, phrases }: { readonly principal: SignedIn; readonly now: Date; readonly phrases: Phrases },
): Promise<Refusal | null> => {
  const values = { name: name.trim() };
  const intent = {
    kind: "update",
    entity: "User",
    id: principal.id,
    values,
    version: null,
    label: false,
  } as const;
  const changed = await service.perform(intent, principal, now, phrases);
  return changed.kind === "refusal" ? changed : null;
};

/** The call by which the document lets a person close their account. */
export const findClosingCall = (model: Model, person: SignedIn): Call | undefined =>
  model.calls.find((call) => call.does.kind === "close" && isAdmitted(model, call, person));

/** Deactivates the account of a person, if the document has a call for it. */
export const closeOwnAccount = async (service: Service, person: SignedIn, now: Date): Promise<Refusal | null> => {
  if (findClosingCall(service.model, person) === undefined) return refuse("FORBIDDEN", "7.sign in");
  const plan = planAccount(service.context, { kind: "deactivate" }, person.id, service.caller(person, now));
  const closed = await execute(service.database, plan);
  return closed.kind === "refusal" ? closed : null;
};
