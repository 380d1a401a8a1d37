import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { anonymousPrincipal } from "../../core/derive/authorization/grants.ts";
import { shouldSignInFirst } from "../../core/derive/authorization/sign-in-first.ts";
import { conventionalRoutes, type Route } from "../../core/derive/http/routes.ts";
import { findListOrders } from "../../core/derive/sql/list-orders.ts";
import type { Model } from "../../core/model/model.ts";
import { getResponsibleId } from "../auth/sessions.ts";
import { executeSpeculatively, type LastKnownSessions } from "../auth/speculative-session.ts";
import { withReasons } from "../explain/why-answers.ts";
import { parseIntent, type Request } from "../intent.ts";
import { isRefusal } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";

/** Number of routes that are registered before requests to the live application have their turn. */
const ROUTES_AT_ONCE = 20;

/** The standard routes of each entity: list, read, create, update, delete, history, transitions. */
export const serveRecords = async (
  app: FastifyInstance,
  routeContext: RouteContext,
  lastKnownSessions: LastKnownSessions,
): Promise<void> => {
  for (const [index, route] of conventionalRoutes(routeContext.service.model).entries()) {
    if (index % ROUTES_AT_ONCE === 0) await nextTurn();
    app.route({
      method: route.method,
      url: route.path,
      config: {
        entity: route.entity,
        action: route.does.kind === "transition" ? route.does.transition : route.does.kind,
        ...(route.does.kind === "create" || route.does.kind === "transition" ? { isKeyed: true } : {}),
        ...(route.does.kind === "list" ? { axes: findAxes(routeContext.service.model, route.entity) } : {}),
      },
      handler: (request, reply) => handle(routeContext, lastKnownSessions, route, request, reply),
    });
  }
};

/** The field that an index finds in each order of an entity's lists, such as its state. */
const findAxes = (model: Model, name: string): ReadonlyMap<string, string> => {
  const entity = model.entities.get(name);
  const orders = entity === undefined ? [] : findListOrders(model, entity);
  return new Map(orders.flatMap(({ sort, axis }) => (axis === null ? [] : [[sort.join(), axis.name] as const])));
};

/** Handles one request, from HTTP to HTTP: steps 3 to 7 of “A transition, step by step” in docs/architecture.md. */
const handle = async (
  { service, clock, phrasesFor, readToken, authenticate, findMinPosition, sendRefusal, answer }: RouteContext,
  lastKnownSessions: LastKnownSessions,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { model } = service;

  // 3. Parse the request into an intent.
  const intent = parseIntent(route, requestIn(request), model);

  const minPosition = findMinPosition(request);

  // 4. Find the caller. For a known token, plan and execute for its last known caller, and verify the session in the same
  // message.
  const token = readToken(request);
  const performed =
    isRefusal(intent) || token === undefined
      ? undefined
      : await executeSpeculatively(service, lastKnownSessions, token, intent, {
          now: clock(),
          phrases: phrasesFor(request),
          minPosition,
        });
  if (performed !== undefined) request.who = getResponsibleId(performed.person);

  // Otherwise, ask the database first.
  const principal = performed?.person ?? (await authenticate(request)) ?? anonymousPrincipal;
  if (isRefusal(intent)) return sendRefusal(reply, intent);

  // 5 and 6. Plan and execute: `planIntent` in `plan/plan-intent.ts`, `execute` in `execution/execute.ts`.
  const outcome =
    performed?.outcome ?? (await service.perform(intent, principal, clock(), phrasesFor(request), minPosition));

  // 7. Reply. A refusal gets its reasons, unless the visitor is asked to sign in first.
  const explained =
    outcome.kind === "refusal" && !shouldSignInFirst(model, principal, outcome)
      ? await withReasons(service, intent, outcome, { principal, now: clock(), phrases: phrasesFor(request) })
      : outcome;

  return answer(reply, principal, explained);
};

const requestIn = (request: FastifyRequest): Request => ({
  params: request.params as Request["params"],
  query: request.query as Request["query"],
  body: request.body,
  ifMatch: request.headers["if-match"],
  idempotencyKey: request.headers["idempotency-key"] as string | undefined,
});
