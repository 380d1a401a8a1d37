import { decidingClauseId } from "../../core/derive/authorization/grants.ts";
import { permissionRefusal } from "../../core/derive/consistency/check-refusals.ts";
import { isAdmitted } from "../../core/derive/openapi/custom-errors.ts";
import type { Phrases } from "../../core/explain/language.ts";
import type { Call } from "../../core/model/endpoint.ts";
import type { Model } from "../../core/model/model.ts";
import type { WhyNot } from "../../core/wire/records.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { execute, executeOrRefuse } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import { explainOperation } from "../explain/why-answers.ts";
import { getEntity } from "../plan/context.ts";
import type { Plan } from "../plan/plan.ts";
import { planAccount } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";

/** Changes that people make to their own account: their name, and closing it. */

interface OwnAct {
  readonly principal: SignedIn;
  readonly now: Date;
  readonly phrases: Phrases;
}

/** Why the document does not let the person change their name, which is a field of their record; null if it does. */
export const findRenameRefusal = async (
  service: Service,
  { principal, now, phrases }: OwnAct,
): Promise<WhyNot | null> => {
  const entity = getEntity(service.context, "User");
  const operation = { kind: "action", action: "update" } as const;
  const question = { entity, operation, id: principal.id, field: entity.fields.get("name") ?? null, as: null };
  const { answer, because } = await explainOperation(service, question, { principal, now, phrases });
  return answer === "yes" ? null : { ...permissionRefusal(decidingClauseId(entity, "update")), because };
};

/** Plans a change of a person's name as an update of their record, with the same permissions, rules and history. */
export const planOwnName = (service: Service, name: string, { principal, now, phrases }: OwnAct): Plan | Refusal => {
  const intent = {
    kind: "update",
    entity: "User",
    id: principal.id,
    values: { name: name.trim() },
    version: null,
    label: false,
  } as const;
  return service.plan(intent, service.caller(principal, now, phrases));
};

/** Changes the name of a person. */
export const changeOwnName = async (service: Service, name: string, act: OwnAct): Promise<Refusal | null> => {
  const changed = await executeOrRefuse(service.database, planOwnName(service, name, act));
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
