import { isAdmitted } from "../../core/derive/openapi/custom-errors.ts";
import type { Phrases } from "../../core/explain/language.ts";
import type { Call } from "../../core/model/endpoint.ts";
import type { Model } from "../../core/model/model.ts";
import type { RecordJson, WhyNot } from "../../core/wire/records.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { execute } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import { readJsonBody } from "../http/reply.ts";
import { planAccount } from "../plan/write/account-change.ts";
import { toProblem } from "../problems/to-problem.ts";
import { type Refusal, refuse } from "../refusal.ts";

/** Changes that people make to their own account: their name, and closing it. */

interface OwnAct {
  readonly principal: SignedIn;
  readonly now: Date;
  readonly phrases: Phrases;
}

/**
 * Why the document does not let the person change their name, which is a field of their record; null if it does. `name` is
 * the present name, so that nothing would change.
 */
export const findRenameRefusal = async (
  service: Service,
  name: string,
  { principal, now, phrases }: OwnAct,
): Promise<WhyNot | null> => {
  const read = { kind: "read", entity: "User", id: principal.id, label: false, screen: null } as const;
  const found = await service.perform(read, principal, now);
  const { may } = readJsonBody("body" in found ? found : { body: {} }) as Partial<RecordJson>;
  if (may?.update.includes("name") === true) return null;
  const refused = await service.perform(toRenaming(principal, name), principal, now, phrases);
  if (refused.kind !== "refusal") return null;
  const { code, clause = "6.User", detail } = toProblem(service.model, refused, phrases, { entity: "User" });
  return { code, clause, because: detail };
};

const toRenaming = ({ id }: SignedIn, name: string) =>
  ({ kind: "update", entity: "User", id, values: { name: name.trim() }, version: null, label: false }) as const;

/** Changes the name of a person as an update of their record, with the same permissions, rules and history. */
export const changeOwnName = async (
  service: Service,
  name: string,
  { principal, now, phrases }: OwnAct,
): Promise<Refusal | null> => {
  const changed = await service.perform(toRenaming(principal, name), principal, now, phrases);
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
