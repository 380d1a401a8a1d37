import type { FastifyInstance, FastifyRequest } from "fastify";
import { forSignedIn } from "../auth/for-signed-in.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { isRefusal } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { answerWhy, permissionsFor } from "./why-answers.ts";

/** Routes that explain a permission and list all permissions of a person. */
export const serveWhy = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, phrasesFor, findMinPosition, sendRefusal } = routeContext;
  const callerOf = (person: SignedIn, request: FastifyRequest) => ({
    principal: person,
    now: clock(),
    phrases: phrasesFor(request),
    minPosition: findMinPosition(request),
  });

  app.get(
    "/api/why",
    forSignedIn(routeContext, async (person, request, reply) => {
      const { query } = request;
      const question = {
        do: parseTextParam(query, "do"),
        record: parseTextParam(query, "record"),
        field: parseTextParam(query, "field"),
        as: parseTextParam(query, "as"),
      };
      const answer = await answerWhy(service, question, callerOf(person, request));
      return isRefusal(answer) ? sendRefusal(reply, answer) : reply.send(answer);
    }),
  );

  app.get(
    "/_/permissions",
    forSignedIn(routeContext, async (person, request, reply) => {
      const { query } = request;
      const question = {
        of: parseTextParam(query, "of"),
        record: parseTextParam(query, "record"),
        as: parseTextParam(query, "as"),
      };
      const answer = await permissionsFor(service, question, callerOf(person, request));
      return isRefusal(answer) ? sendRefusal(reply, answer) : reply.send(answer);
    }),
  );
};
