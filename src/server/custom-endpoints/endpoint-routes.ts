import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { anonymousPrincipal, type Principal } from "../../core/derive/authorization/grants.ts";
import { permissionRefusal } from "../../core/derive/consistency/check-refusals.ts";
import {
  type Call,
  findTokenPlace,
  isLeaving,
  type Leaving,
  namesToken,
  renewsSession,
  type Signing,
} from "../../core/model/endpoint.ts";
import type { SignInWay } from "../../core/wire/accounts/sign-ins.ts";
import { askForPassword } from "../accounts/password/forgotten-password.ts";
import { redeemPasswordLink } from "../accounts/password/password-links.ts";
import { askToRegister, registerAtOnce } from "../accounts/registration.ts";
import { getRegistrationContext } from "../accounts/registration-routes.ts";
import { isPersonal } from "../auth/api-tokens.ts";
import { checkPassword } from "../auth/password-sign-in.ts";
import { findSignInErrors } from "../auth/sign-in-errors.ts";
import { signInLine } from "../auth/sign-in-log.ts";
import { execute, executeOrRefuse } from "../execution/execute.ts";
import { acceptForms, isForm } from "../http/json-body.ts";
import { findOrigin } from "../http/origin.ts";
import { parseBody } from "../intent.ts";
import { getEntity } from "../plan/context.ts";
import { refuseQuery } from "../plan/custom-endpoints/address.ts";
import { readTexts } from "../plan/custom-endpoints/body-texts.ts";
import {
  extractValues,
  refuseUnknownMembers,
  relocateRefusal,
  unknownMemberErrors,
} from "../plan/custom-endpoints/endpoint-body.ts";
import {
  getDeclaredResponse,
  planResponse,
  planResponseWithoutRecord,
} from "../plan/custom-endpoints/endpoint-record.ts";
import { planCallerCondition } from "../plan/custom-endpoints/find-ids.ts";
import { ACCEPTED_OUTCOME, DONE_OUTCOME } from "../plan/outcome.ts";
import { planAccount, SIGN_IN_CLAUSE, TOKEN_CLAUSE } from "../plan/write/account-change.ts";
import { isRefusal, type RefusalAt, refuse, refuseAt, refuseCall } from "../refusal.ts";
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

/** The path for the router. Parameters get numbers, because `{article.slug}` is not a valid name there. */
const toRouterPath = ({ path }: Call): string => {
  let at = 0;
  return path.replaceAll(":", "::").replace(/\{[^}]*\}/gu, () => `:p${at++}`);
};

/** Registers the custom endpoints of the document. */
export const serveCustomEndpoints = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { calls } = routeContext.service.model;
  for (const call of calls) if (!call.accepts.forms) serveCall(app, routeContext, call);
  const takingForms = calls.filter(({ accepts }) => accepts.forms);
  if (takingForms.length > 0)
    void app.register((scope, _, done) => {
      acceptForms(scope);
      for (const call of takingForms) serveCall(scope, routeContext, call);
      done();
    });
};

const serveCall = (app: FastifyInstance, routeContext: RouteContext, call: Call): void => {
  const { service, clock } = routeContext;
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
      const params = request.params as Readonly<Record<string, string>>;
      const tokenPlace = findTokenPlace(call);
      if (tokenPlace !== undefined) request.token = findTextAt(request.body, tokenPlace);
      const endpointRequest: EndpointRequest = {
        path: parameters.map((_, i) => params[`p${i}`] ?? ""),
        query: request.query as EndpointRequest["query"],
        headers: request.headers,
        body: request.body,
        origin: findOrigin(routeContext.site, request),
        session: getSession(routeContext, call, request),
        isForm: isForm(request),
        ifMatch: request.headers["if-match"],
        idempotencyKey: request.headers["idempotency-key"] as string | undefined,
      };
      if (call.does.kind !== "steps")
        return sign({ routeContext, call, does: call.does, endpointRequest, request, reply });
      const principal = (await routeContext.authenticate(request)) ?? anonymousPrincipal;
      const outcome = await performCall(service, call, endpointRequest, {
        principal,
        now: clock(),
        phrases: routeContext.phrasesFor(request),
        minPosition: routeContext.findMinPosition(request),
      });
      return routeContext.answer(reply, principal, outcome, call);
    },
  });
};

/** The text at a place of a body. */
const findTextAt = (body: unknown, [name, ...rest]: readonly string[]): string | undefined => {
  if (name === undefined) return typeof body === "string" && body !== "" ? body : undefined;
  const isObject = typeof body === "object" && body !== null && Object.hasOwn(body, name);
  return isObject ? findTextAt((body as Readonly<Record<string, unknown>>)[name], rest) : undefined;
};

const getSession = (routeContext: RouteContext, call: Call, request: FastifyRequest): EndpointSession => ({
  token: routeContext.readToken(request),
  sent: findTokenPlace(call) === undefined ? routeContext.readHeaderToken(request) : routeContext.readToken(request),
  noticeOrigin: { origin: routeContext.mailOrigin, address: request.ip },
  logWrong: (person, code) =>
    routeContext.signIns.add(signInLine(request, { way: "confirmation", person, refused: code }, routeContext.clock())),
});

/** A request to a call that signs somebody in or out, registers them, or is about a forgotten password. */
interface SigningRequest<Does extends Signing = Signing> {
  readonly routeContext: RouteContext;
  readonly call: Call;
  readonly does: Does;
  readonly endpointRequest: EndpointRequest;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A signing request whose body was read: its values by field, and errors for members that the call does not take. */
interface ReadSigning<Does extends Signing> extends SigningRequest<Does> {
  readonly principal: Principal;
  readonly sent: ReturnType<typeof extractValues>;
  readonly unknown: readonly RefusalAt[];
}

/** Answers a call about signing in through a custom endpoint. */
const sign = async (signing: SigningRequest): Promise<FastifyReply> => {
  const { routeContext, call, does, endpointRequest, request, reply } = signing;
  const { service, clock } = routeContext;
  const { model } = service;
  const principal = (await routeContext.authenticate(request)) ?? anonymousPrincipal;
  const phrases = routeContext.phrasesFor(request);
  const parsed = parseBody(endpointRequest);
  if (parsed === undefined) return routeContext.sendRefusal(reply, refuse("MALFORMED"));
  const takes = isLeaving(does) && does.takes.length === 0 ? null : does.takes;
  const body = readTexts(model, call, [{ entity: "User", takes: does.takes }], endpointRequest.isForm, parsed);
  const refused =
    admits(service, call, { principal, now: clock(), phrases }) ??
    refuseQuery(model, call, endpointRequest, service.caller(principal, clock(), phrases)) ??
    refuseUnknownMembers(call, [{ takes }], body);
  if (refused !== undefined) return routeContext.answer(reply, principal, refused);
  if ((does.kind === "sign up" || does.kind === "close") && does.when !== null) {
    const planned = planCallerCondition(service.context, call, does.when, service.caller(principal, clock(), phrases));
    const open = await execute(service.database, planned);
    if (isRefusal(open)) return routeContext.answer(reply, principal, open);
    if (open.ids.length === 0)
      return routeContext.answer(reply, principal, refuseCall(permissionRefusal(call.clause.id)));
  }
  if (isLeaving(does)) return signOutOrClose({ ...signing, does });
  const read = { principal, sent: extractValues(does.takes, body), unknown: unknownMemberErrors(call, does, body) };
  if (does.kind === "sign up") return register({ ...signing, ...read, does });
  const wrong = [...read.unknown, ...findSignInErrors(model, does.takes, read.sent)];
  if (wrong.length > 0) return routeContext.answer(reply, principal, relocateRefusal(does, refuseAt(wrong), call));
  if (does.kind === "forgot password") return mailPasswordLink({ ...signing, does });
  if (does.kind === "reset password") return resetPassword({ ...signing, does });
  return renewsSession(does) ? renewByCall({ ...signing, does }) : signIn({ ...signing, ...read, does });
};

/** Replaces the session whose token the body has. */
const renewByCall = async (signing: SigningRequest<SigningOf<"sign in">>): Promise<FastifyReply> => {
  const { routeContext, request, reply } = signing;
  const renewed = await routeContext.renew(request);
  if (renewed === undefined)
    return routeContext.answer(reply, anonymousPrincipal, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
  return answerWithSession(signing, renewed.person, renewed.token);
};

/** Registers a person at once, or mails them a link. */
const register = async (signing: ReadSigning<SigningOf<"sign up">>): Promise<FastifyReply> => {
  const { routeContext, call, does, request, reply, principal, sent, unknown } = signing;
  const { service, clock } = routeContext;
  if (service.model.signIn.signUp?.verifiesEmail === false) {
    const takesPassword = does.takes.some(({ field }) => field === "password");
    const person = await registerAtOnce(service, sent, request.ip, clock(), { unknown, takesPassword });
    if (typeof person !== "string") return routeContext.answer(reply, principal, relocateRefusal(does, person, call));
    return (call.by !== null || does.when !== null) && principal.id !== null
      ? answerAboutOther(signing, person)
      : admitByCall(signing, person, "registration");
  }
  if (unknown.length > 0) return routeContext.answer(reply, principal, relocateRefusal(does, refuseAt(unknown), call));
  const context = getRegistrationContext(routeContext, request, parseTextParam(sent, "email"));
  const refused = await askToRegister(service, context, clock());
  return refused === null
    ? routeContext.answer(reply, principal, ACCEPTED_OUTCOME, call)
    : routeContext.answer(reply, principal, relocateRefusal(does, refused));
};

/** Sends the declared response about an account that somebody has created for another person, and who stays signed in. */
const answerAboutOther = async (
  { routeContext, call, does, endpointRequest, request, reply, principal }: ReadSigning<SigningOf<"sign up">>,
  person: string,
): Promise<FastifyReply> => {
  const { service, clock } = routeContext;
  const { context, database, format } = service;
  if (does.gives === null) return routeContext.answer(reply, principal, DONE_OUTCOME, call);
  const caller = {
    ...service.caller(principal, clock(), routeContext.phrasesFor(request)),
    origin: endpointRequest.origin,
  };
  const user = { entity: getEntity(context, "User"), id: person };
  const planned = planResponse(context, caller, user, getDeclaredResponse(call, does.gives, format));
  const outcome = await executeOrRefuse(database, planned);
  const shown =
    outcome.kind === "found"
      ? { ...outcome, kind: "created" as const, id: person, version: 1, location: null }
      : outcome;
  return routeContext.answer(reply, principal, shown, call);
};

/** Checks a password, and begins a session. */
const signIn = async (signing: ReadSigning<SigningOf<"sign in">>): Promise<FastifyReply> => {
  const { routeContext, does, request, reply, sent } = signing;
  const { service, clock, signIns } = routeContext;
  const { model, database } = service;
  if (!model.signIn.password) return routeContext.sendRefusal(reply, refuse("BAD_CREDENTIALS", "7.sign in"));
  const by = does.takes.find(({ field }) => field !== "password")?.field ?? "email";
  const account = parseTextParam(sent, by);
  const person = await checkPassword(
    database,
    {
      by,
      account,
      password: parseTextParam(sent, "password"),
      address: request.ip,
      device: await routeContext.findDevice(request),
    },
    model.limits.signInAttempts,
    clock(),
  );
  if (typeof person === "string") return admitByCall(signing, person, "password");
  signIns.add(signInLine(request, { way: "password", person: null, account, refused: person.code }, clock()));
  return routeContext.sendRefusal(reply, person);
};

type SigningOf<Kind> = Extract<Signing, { readonly kind: Kind }>;

/** Mails a link for a new password. The response and its duration are the same for an unknown address. */
const mailPasswordLink = async (signing: SigningRequest<SigningOf<"forgot password">>): Promise<FastifyReply> => {
  const { routeContext, call, does, endpointRequest, request, reply } = signing;
  const { service, clock, environment } = routeContext;
  const { context, database, format } = service;
  const person = (await routeContext.authenticate(request)) ?? anonymousPrincipal;
  const email = parseTextParam(extractValues(does.takes, parseBody(endpointRequest) ?? {}), "email");
  const link = does.link === null ? undefined : environment[does.link];
  const refused = await askForPassword(
    service,
    { ...getRegistrationContext(routeContext, request, email), link },
    clock(),
  );
  if (refused !== null) return routeContext.answer(reply, person, refused);
  if (does.gives === null) return routeContext.answer(reply, person, ACCEPTED_OUTCOME, call);
  const caller = {
    ...service.caller(person, clock(), routeContext.phrasesFor(request)),
    origin: endpointRequest.origin,
  };
  const planned = planResponseWithoutRecord(context, caller, getDeclaredResponse(call, does.gives, format));
  return routeContext.answer(reply, person, await executeOrRefuse(database, planned), call);
};

/** Sets the password of the person to whom the token was mailed, and signs them in. */
const resetPassword = async (signing: SigningRequest<SigningOf<"reset password">>): Promise<FastifyReply> => {
  const { routeContext, does, endpointRequest, request, reply } = signing;
  const { service, clock, signIns } = routeContext;
  const sent = extractValues(does.takes, parseBody(endpointRequest) ?? {});
  const [token, password] = [parseTextParam(sent, "token"), parseTextParam(sent, "password")];
  const reading = { now: clock(), phrases: routeContext.phrasesFor(request) };
  const person = await redeemPasswordLink(service, { token, password }, reading, endpointRequest.session.noticeOrigin);
  if (typeof person === "string") return admitByCall(signing, person, "link");
  if (person.at.length === 0)
    signIns.add(signInLine(request, { way: "link", person: null, refused: person.code }, clock()));
  return routeContext.answer(reply, anonymousPrincipal, relocateRefusal(does, person));
};

/** Signs out, or closes the account of the caller. The response is evaluated before the session ends. */
const signOutOrClose = async (signing: SigningRequest<Leaving>): Promise<FastifyReply> => {
  const { routeContext, call, does, endpointRequest, request, reply } = signing;
  const { service, clock } = routeContext;
  const { context, database, format } = service;
  const person = (await routeContext.authenticate(request)) ?? anonymousPrincipal;
  if (person.id === null && (does.kind === "close" || does.gives !== null))
    return routeContext.answer(reply, person, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
  // API tokens cannot manage accounts.
  const { token } = endpointRequest.session;
  if (does.kind === "close" && (token === undefined || isPersonal(token)))
    return routeContext.answer(reply, person, refuse("FORBIDDEN", TOKEN_CLAUSE));
  const caller = {
    ...service.caller(person, clock(), routeContext.phrasesFor(request)),
    origin: endpointRequest.origin,
  };
  const shown =
    does.gives === null || person.id === null
      ? DONE_OUTCOME
      : await executeOrRefuse(
          database,
          planResponse(
            context,
            caller,
            { entity: getEntity(context, "User"), id: person.id },
            { ...getDeclaredResponse(call, does.gives, format), token: token ?? "" },
          ),
        );
  if (isRefusal(shown)) return routeContext.answer(reply, person, shown);
  if (does.kind === "close" && person.id !== null) {
    const closed = await execute(database, planAccount(context, { kind: "deactivate" }, person.id, caller));
    if (isRefusal(closed)) return routeContext.answer(reply, person, closed);
  }
  await routeContext.signOut(request, reply);
  return routeContext.answer(reply, person, shown, call);
};

/** Begins the session of a person and sends the declared response. */
const admitByCall = async (
  signing: SigningRequest<Exclude<Signing, Leaving>>,
  person: string,
  way: SignInWay,
): Promise<FastifyReply> =>
  answerWithSession(signing, person, await signing.routeContext.begin(signing.request, person, way));

const answerWithSession = async (
  { routeContext, call, does, endpointRequest, request, reply }: SigningRequest<Exclude<Signing, Leaving>>,
  person: string,
  token: string,
): Promise<FastifyReply> => {
  const { service, clock } = routeContext;
  // A response with the token is meant for a program. A cookie would sign a browser in without the user's intent.
  if (does.gives === null || !namesToken(does.gives)) {
    routeContext.setSessionCookie(request, reply, token);
    await routeContext.setDeviceCookie(request, reply, person);
  }
  if (does.gives === null) return routeContext.answer(reply, anonymousPrincipal, { kind: "done" }, call);
  const phrases = routeContext.phrasesFor(request);
  const signedIn = (await routeContext.personBy(token)) ?? { ...anonymousPrincipal, id: person };
  const caller = { ...service.caller(signedIn, clock(), phrases), origin: endpointRequest.origin };
  const { context, database, format } = service;
  const user = { entity: getEntity(context, "User"), id: person };
  const response = { ...getDeclaredResponse(call, does.gives, format), token };
  const planned = planResponse(context, caller, user, response);
  const outcome = await executeOrRefuse(database, planned);
  const isNew = outcome.kind === "found" && does.kind === "sign up";
  const shown = isNew ? { ...outcome, kind: "created" as const, id: person, version: 1, location: null } : outcome;
  return routeContext.answer(reply, signedIn, shown, call);
};
