import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { anonymousPrincipal } from "../../core/derive/authorization/grants.ts";
import type { Call, Gives, Signing } from "../../core/model/endpoint.ts";
import type { SignInWay } from "../../core/wire/accounts/sign-ins.ts";
import { askToRegister, registerAtOnce } from "../accounts/registration.ts";
import { getRegistrationContext } from "../accounts/registration-routes.ts";
import { isPersonal } from "../auth/api-tokens.ts";
import { checkPassword } from "../auth/password-sign-in.ts";
import { signInLine } from "../auth/sign-in-log.ts";
import { execute, executeOrRefuse } from "../execution/execute.ts";
import { findOrigin } from "../http/origin.ts";
import { parseBody } from "../intent.ts";
import { getEntity } from "../plan/context.ts";
import { unknownParameter } from "../plan/custom-endpoints/address.ts";
import { extractValues, refuseUnknownMembers, relocateRefusal } from "../plan/custom-endpoints/endpoint-body.ts";
import { planResponse } from "../plan/custom-endpoints/plan-endpoint.ts";
import { DONE_OUTCOME } from "../plan/outcome.ts";
import { planAccount, SIGN_IN_CLAUSE, TOKEN_CLAUSE } from "../plan/write/account-change.ts";
import { isRefusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { admits, type EndpointRequest, performCall } from "./execute-endpoint.ts";
import type { EndpointSession } from "./own-password.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The entity and operation of a custom endpoint. */
    readonly entity?: string;
    readonly action?: string;
    /** The call of the document. */
    readonly call?: Call;
  }
}

/** The path for the router. Parameters get numbers, because `{article.slug}` is no valid name there. */
const toRouterPath = ({ path }: Call): string => {
  let at = 0;
  return path.replaceAll(":", "::").replace(/\{[^}]*\}/gu, () => `:p${at++}`);
};

/** Registers the custom endpoints of the document. */
export const serveCustomEndpoints = (app: FastifyInstance, door: RouteContext): void => {
  const { service, clock } = door;
  for (const call of service.model.calls) {
    const last = call.does.kind === "steps" ? call.does.steps.at(-1) : undefined;
    const parameters = [...call.path.matchAll(/\{[^}]*\}/gu)];
    app.route({
      method: call.method,
      url: toRouterPath(call),
      config: {
        call,
        action: last?.does.kind ?? call.does.kind,
        ...(last === undefined ? {} : { entity: last.entity }),
      },
      handler: async (request, reply) => {
        const given = request.params as Readonly<Record<string, string>>;
        const called: EndpointRequest = {
          path: parameters.map((_, i) => given[`p${i}`] ?? ""),
          query: request.query as EndpointRequest["query"],
          body: request.body,
          origin: findOrigin(door.site, request),
          session: getSession(door, request),
          ifMatch: request.headers["if-match"],
          idempotencyKey: request.headers["idempotency-key"] as string | undefined,
        };
        if (call.does.kind !== "steps") return sign(door, call, call.does, called, request, reply);
        const principal = (await door.personOf(request)) ?? anonymousPrincipal;
        const outcome = await performCall(service, call, called, {
          principal,
          now: clock(),
          phrases: door.tongueIn(request),
        });
        return door.answer(reply, principal, outcome, call);
      },
    });
  }
};

const getSession = (door: RouteContext, request: FastifyRequest): EndpointSession => ({
  token: door.tokenOf(request),
  sent: door.sentToken(request),
  noticing: { origin: door.mailsFrom, address: request.ip },
  logWrong: (person, code) =>
    door.signIns.add(signInLine(request, { way: "confirmation", person, refused: code }, door.clock())),
});

type Leaving = Extract<Signing, { readonly takes: readonly [] }>;

const isLeaving = (does: Signing): does is Leaving => does.kind === "sign out" || does.kind === "close";

/** Signs in or out by a custom endpoint. */
const sign = async (
  door: RouteContext,
  call: Call,
  does: Signing,
  called: EndpointRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { service, clock } = door;
  const { model } = service;
  const asking = (await door.personOf(request)) ?? anonymousPrincipal;
  const phrases = door.tongueIn(request);
  const body = parseBody(called);
  if (body === undefined) return door.refuseWith(reply, refuse("MALFORMED"));
  const takes = isLeaving(does) ? null : does.takes;
  const refused =
    admits(service, call, { principal: asking, now: clock(), phrases }) ??
    unknownParameter(call, called.query) ??
    refuseUnknownMembers(call, [{ takes }], body);
  if (refused !== undefined) return door.answer(reply, asking, refused);
  if (isLeaving(does)) return leave(door, call, does, called, request, reply);
  const sent = extractValues(does.takes, body);
  if (does.kind === "sign up" && model.signIn.signUp?.verifiesEmail === false) {
    const person = await registerAtOnce(service, sent, request.ip, clock());
    return typeof person === "string"
      ? admitByCall(door, call, { does, called, person, way: "registration" }, request, reply)
      : door.answer(reply, asking, relocateRefusal(does, person));
  }
  if (does.kind === "sign up") {
    const refused = await askToRegister(
      service,
      getRegistrationContext(door, request, parseTextParam(sent, "email")),
      clock(),
    );
    return refused === null
      ? door.answer(reply, asking, { kind: "accepted" }, call)
      : door.answer(reply, asking, relocateRefusal(does, refused));
  }
  if (!model.signIn.password) return door.refuseWith(reply, refuse("BAD_CREDENTIALS", "7.sign in"));
  const by = does.takes.find(({ field }) => field !== "password")?.field ?? "email";
  const account = parseTextParam(sent, by);
  const person = await checkPassword(
    service.database,
    {
      by,
      account,
      password: parseTextParam(sent, "password"),
      address: request.ip,
      device: await door.deviceOf(request),
    },
    model.limits.signInAttempts,
    clock(),
  );
  if (typeof person !== "string") {
    door.signIns.add(signInLine(request, { way: "password", person: null, account, refused: person.code }, clock()));
    return door.refuseWith(reply, person);
  }
  return admitByCall(door, call, { does, called, person, way: "password" }, request, reply);
};

/** Signs out, or closes the account of the caller. The response is evaluated before the session ends. */
const leave = async (
  door: RouteContext,
  call: Call,
  does: Leaving,
  called: EndpointRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { service, clock } = door;
  const { context, database, format } = service;
  const person = (await door.personOf(request)) ?? anonymousPrincipal;
  if (person.id === null && (does.kind === "close" || does.gives !== null))
    return door.answer(reply, person, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
  // Tokens for programs manage no accounts.
  const { token } = called.session;
  if (does.kind === "close" && (token === undefined || isPersonal(token)))
    return door.answer(reply, person, refuse("FORBIDDEN", TOKEN_CLAUSE));
  const caller = { ...service.caller(person, clock(), door.tongueIn(request)), origin: called.origin };
  const shown =
    does.gives === null || person.id === null
      ? DONE_OUTCOME
      : await executeOrRefuse(
          database,
          planResponse(context, ["call", call.name], getEntity(context, "User"), does.gives, person.id, caller, {
            format,
            omitsMissing: call.omitsMissing,
            token: token ?? "",
          }),
        );
  if (isRefusal(shown)) return door.answer(reply, person, shown);
  if (does.kind === "close" && person.id !== null) {
    const closed = await execute(database, planAccount(context, { kind: "deactivate" }, person.id, caller));
    if (isRefusal(closed)) return door.answer(reply, person, closed);
  }
  await door.dismiss(request, reply);
  return door.answer(reply, person, shown, call);
};

/** The person whom a call signs in. */
interface Admitted {
  readonly does: Exclude<Signing, Leaving>;
  readonly called: EndpointRequest;
  readonly person: string;
  readonly way: SignInWay;
}

/** Begins the session of a person, and answers as the call says. */
const admitByCall = async (
  door: RouteContext,
  call: Call,
  { does, called, person, way }: Admitted,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { service, clock } = door;
  const token = await door.begin(request, person, way);
  // A response with the token is for a program; a cookie would sign a browser in without the user's intent.
  if (does.gives === null || !namesToken(does.gives)) {
    door.remember(request, reply, token);
    await door.rememberDevice(request, reply, person);
  }
  if (does.gives === null) return door.answer(reply, anonymousPrincipal, { kind: "done" }, call);
  const phrases = door.tongueIn(request);
  const signedIn = (await door.personBy(token)) ?? { ...anonymousPrincipal, id: person };
  const caller = { ...service.caller(signedIn, clock(), phrases), origin: called.origin };
  const { context, database, format } = service;
  const user = getEntity(context, "User");
  const { omitsMissing } = call;
  const words = { format, token, omitsMissing };
  const planned = planResponse(context, ["call", call.name], user, does.gives, person, caller, words);
  const outcome = await executeOrRefuse(database, planned);
  const isNew = outcome.kind === "found" && does.kind === "sign up";
  const shown = isNew ? { ...outcome, kind: "created" as const, id: person, version: 1, location: null } : outcome;
  return door.answer(reply, signedIn, shown, call);
};

const namesToken = (gives: Gives): boolean =>
  gives.kind === "token" || (gives.kind === "names" && gives.of.some(([, one]) => namesToken(one)));
