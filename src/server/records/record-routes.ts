import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { anonymousPrincipal } from "../../core/derive/authorization/grants.ts";
import { signsInFirst } from "../../core/derive/authorization/sign-in-first.ts";
import { routesOf } from "../../core/derive/http/routes.ts";
import { doerOf } from "../auth/sessions.ts";
import { type Bearers, performTogether } from "../auth/speculative-session.ts";
import { withReasons } from "../explain/explain-access.ts";
import { ask } from "../intent.ts";
import { isRefusal } from "../refusal.ts";
import type { Door } from "../route-context.ts";

/** Routes that are registered before requests to the application in force have their turn. */
const ROUTES_AT_ONCE = 20;

/** The conventional calls on records. */
export const serveRecords = async (app: FastifyInstance, door: Door, bearers: Bearers): Promise<void> => {
  const { service, clock, tongueIn, tokenOf, personOf, refuseWith, answer } = door;
  const { model } = service;
  for (const [index, route] of routesOf(model).entries()) {
    if (index % ROUTES_AT_ONCE === 0) await nextTurn();
    app.route({
      method: route.method,
      url: route.path,
      config: {
        entity: route.entity,
        action: route.does.kind === "transition" ? route.does.transition : route.does.kind,
      },
      handler: async (request, reply) => {
        const intent = ask(
          route,
          {
            params: request.params as Readonly<Record<string, string>>,
            query: request.query as Readonly<Record<string, string | readonly string[] | undefined>>,
            body: request.body,
            ifMatch: request.headers["if-match"],
            idempotencyKey: request.headers["idempotency-key"] as string | undefined,
          },
          model,
        );
        const token = tokenOf(request);
        const together =
          isRefusal(intent) || token === undefined
            ? undefined
            : await performTogether(service, bearers, token, intent, { now: clock(), phrases: tongueIn(request) });
        if (together !== undefined) request.who = doerOf(together.person);
        const principal = together?.person ?? (await personOf(request)) ?? anonymousPrincipal;
        if (isRefusal(intent)) return refuseWith(reply, intent);
        const outcome = together?.outcome ?? (await service.perform(intent, principal, clock(), tongueIn(request)));
        const told =
          outcome.kind !== "refusal" || signsInFirst(model, principal, outcome)
            ? outcome
            : await withReasons(service, intent, outcome, { principal, now: clock(), phrases: tongueIn(request) });
        return answer(reply, principal, told);
      },
    });
  }
};
