import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../../core/derive/authorization/grants.ts";
import { shouldSignInFirst } from "../../core/derive/authorization/sign-in-first.ts";
import { choosePhrases } from "../../core/derive/client/localize.ts";
import type { Phrases } from "../../core/explain/language.ts";
import type { Call } from "../../core/model/endpoint.ts";
import type { Model } from "../../core/model/model.ts";
import type { Problem } from "../../core/wire/problems.ts";
import { JsonText, type Outcome } from "../plan/outcome.ts";
import { formOfRefusal, shapeProblem } from "../problems/error-shape.ts";
import type { RequestDetails } from "../problems/request-details.ts";
import { toProblem } from "../problems/to-problem.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { type RefusalLog, toRefusalEntry } from "../telemetry/refusal-log.ts";
import { findBasicChallenge } from "./basic-challenge.ts";
import { isPlatformRoute } from "./origin.ts";
import { toHttpReply } from "./reply.ts";

/** Turns outcomes into responses. */
export interface Responder {
  /** The catalogue of the request's language. */
  phrasesFor(request: FastifyRequest): Phrases;
  /** Sends a problem unchanged: for a program error or an unavailable database. */
  sendProblem(reply: FastifyReply, problem: Problem): FastifyReply;
  /** Sends a refusal in the document's words, counts it and logs it. */
  sendRefusal(reply: FastifyReply, refusal: Refusal): FastifyReply;
  /**
   * Sends the outcome of a call. `call`: the custom endpoint, if it is one. A visitor is asked to sign in if that could
   * change a refusal.
   */
  answer(reply: FastifyReply, principal: Principal, outcome: Outcome | Refusal, call?: Call): FastifyReply;
}

export const createResponder = (
  model: Model,
  version: number,
  clock: () => Date,
  {
    metrics,
    refusals,
    isDemonstration,
  }: {
    readonly metrics: Metrics | undefined;
    readonly refusals: RefusalLog | undefined;
    /** True if people sign in without a password. */
    readonly isDemonstration: boolean;
  },
): Responder => {
  const { isOff, password, providers } = model.signIn;
  const offersSignIn = password || providers.length > 0 || isDemonstration;
  /**
   * True if signing in can change the response. In an application without sign-in, only administrators sign in, for the
   * platform's routes.
   */
  const canSignIn = ({ request }: FastifyReply): boolean =>
    offersSignIn && (!isOff || isPlatformRoute(request.routeOptions.url));
  const phrasesFor = ({ headers }: FastifyRequest) => choosePhrases(model, headers["accept-language"]);
  const send = (
    reply: FastifyReply,
    problem: Problem,
    { shape, field }: ReturnType<typeof formOfRefusal>,
    request: RequestDetails,
  ): FastifyReply => {
    const challenge = problem.status === 401 ? findBasicChallenge(model, reply.request) : undefined;
    if (challenge !== undefined) reply.header("www-authenticate", challenge);
    if (shape === null || reply.request.routeOptions.config?.call === undefined)
      return reply
        .code(problem.status)
        .header("content-type", "application/problem+json; charset=utf-8")
        .send(JSON.stringify(problem));
    if (shape === "none") return reply.code(problem.status).send();
    const body = shapeProblem(shape, { problem, field, now: clock(), request, requestId: reply.request.id });
    const isText = typeof body === "string";
    return reply
      .code(problem.status)
      .header("content-type", `${isText ? "text/plain" : "application/json"}; charset=utf-8`)
      .send(isText ? body : JSON.stringify(body));
  };
  const fail = (reply: FastifyReply, problem: Problem): FastifyReply =>
    send(reply, problem, { shape: model.callSettings.errorShape, field: null }, {});
  const sendRefusal = (reply: FastifyReply, requested: Refusal): FastifyReply => {
    // Asking for a sign-in makes no sense if nobody can sign in.
    const refusal =
      requested.code === "NOT_SIGNED_IN" && !canSignIn(reply)
        ? { ...requested, ...refuse("FORBIDDEN", requested.clause) }
        : requested;
    const request = { ...reply.request.routeOptions.config, body: reply.request.body };
    const problem = toProblem(model, refusal, phrasesFor(reply.request), request);
    metrics?.refused(problem.code);
    refusals?.add(toRefusalEntry(reply.request, problem, version, clock()));
    return send(reply, problem, formOfRefusal(model, refusal, request), request);
  };
  const answer = (reply: FastifyReply, principal: Principal, outcome: Outcome | Refusal, call?: Call): FastifyReply => {
    if (outcome.kind !== "refusal") {
      const { status, headers, body } = toHttpReply(outcome, call);
      if (!(body instanceof JsonText)) return reply.code(status).headers(headers).send(body);
      return reply.code(status).headers(headers).type("application/json; charset=utf-8").send(body.text);
    }
    const isAsked = canSignIn(reply) && shouldSignInFirst(model, principal, outcome, call);
    return sendRefusal(reply, isAsked ? refuse("NOT_SIGNED_IN", outcome.clause) : outcome);
  };
  return { phrasesFor, sendProblem: fail, sendRefusal, answer };
};
