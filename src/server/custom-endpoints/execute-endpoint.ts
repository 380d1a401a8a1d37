import { holdsRole } from "../../core/derive/authorization/grants.ts";
import { roleGroupNames, rolesThat } from "../../core/explain/who-may.ts";
import type { Call } from "../../core/model/endpoint.ts";
import { executeOnly } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import { type ExplainCaller, withReasons } from "../explain/why-answers.ts";
import { parseBody, type Request } from "../intent.ts";
import { type EndpointAddress, malformedPath, refuseQuery } from "../plan/custom-endpoints/address.ts";
import { readTexts } from "../plan/custom-endpoints/body-texts.ts";
import { refuseMissingMembers, refuseUnknownMembers } from "../plan/custom-endpoints/endpoint-body.ts";
import type { Outcome } from "../plan/outcome.ts";
import { planCustomEndpoint } from "../plan/plan-custom-endpoint.ts";
import { forbid, isRefusal, type Refusal, refuse } from "../refusal.ts";
import { newId } from "../util/uuid.ts";
import { type EndpointSession, readNewPassword } from "./own-password.ts";

/** A request to a custom endpoint, before the caller is known. */
export interface EndpointRequest extends Omit<Request, "params"> {
  /** Values of the path parameters, in order. */
  readonly path: readonly string[];
  readonly headers: EndpointAddress["headers"];
  /** The address of the application as the client reached it. */
  readonly origin: string;
  readonly session: EndpointSession;
  /** True if the body is an HTML form, in which every value is a text. */
  readonly isForm: boolean;
}

/** Executes a request to a custom endpoint, and explains a refusal of one of its steps. */
export const performCall = async (
  service: Service,
  call: Call,
  endpointRequest: EndpointRequest,
  caller: ExplainCaller,
): Promise<Outcome | Refusal> => {
  const { principal, now, phrases, minPosition } = caller;
  const refused =
    admits(service, call, caller) ??
    refuseQuery(service.model, call, endpointRequest, service.caller(principal, now, phrases)) ??
    malformedPath(service.model, call, endpointRequest.path);
  if (refused !== undefined) return refused;
  const { does } = call;
  if (does.kind !== "steps") throw new Error(`${call.name} is about sessions`);
  const parsed = parseBody(endpointRequest);
  if (parsed === undefined) return refuse("MALFORMED");
  const body = readTexts(service.model, call, does.steps, endpointRequest.isForm, parsed);
  const unfit =
    refuseUnknownMembers(call, does.steps, body) ?? refuseMissingMembers(service.model, call, does.steps, body);
  if (unfit !== undefined) return unfit;
  const password = await readNewPassword(service, does.steps, body, caller, endpointRequest.session);
  if (isRefusal(password)) return password;
  const plan = planCustomEndpoint(service.context, service.format, {
    call,
    steps: does.steps,
    caller: {
      ...service.caller(principal, now, phrases),
      origin: endpointRequest.origin,
      token: endpointRequest.session.sent,
    },
    body,
    address: {
      parameters: endpointRequest.path,
      query: endpointRequest.query,
      headers: endpointRequest.headers,
    },
    ifMatch: endpointRequest.ifMatch,
    idempotencyKey: endpointRequest.idempotencyKey,
    ids: does.steps.map(() => newId(now)),
    password,
  });
  const outcome = await executeOnly(service.database, plan, minPosition);
  const attempt = plan.attempt();
  return outcome.kind === "refusal" && attempt !== null ? withReasons(service, attempt, outcome, caller) : outcome;
};

/** Refuses callers outside the endpoint's roles. */
export const admits = (
  { model }: Service,
  { by, clause }: Call,
  { principal, phrases }: ExplainCaller,
): Refusal | undefined => {
  if (by?.some((role) => holdsRole(model, role, principal)) !== false) return undefined;
  const could = rolesThat(phrases, by);
  const message = phrases.sentences.onlyRoles(roleGroupNames(phrases, by));
  return { ...forbid(clause.id, message), ...(could === null ? {} : { could }) };
};
