import type { FastifyInstance } from "fastify";
import { isId } from "../../core/field/reference.ts";
import { forAdministrator } from "../auth/for-signed-in.ts";
import { beginImpersonation, endImpersonation } from "../auth/sessions.ts";
import { MANAGES_CLAUSE, SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

const PATH = "/_/look";

/**
 * Lets an administrator view the application as somebody else: their own session shows what that person sees, all
 * changes are refused, and after half an hour at most it shows nothing until they end the view.
 */
export const serveImpersonation = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, readToken, sendRefusal } = routeContext;
  const { database, version } = service;

  app.post(
    PATH,
    forAdministrator(routeContext, async (person, request, reply) => {
      const own = readToken(request);
      if (own === undefined) return sendRefusal(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
      const other = parseTextParam(request.body, "person");
      const impersonation = { administrator: person.id, person: other, clause: MANAGES_CLAUSE, document: version };
      if (!isId(other) || !(await beginImpersonation(database, own, impersonation, clock())))
        return sendRefusal(reply, refuse("NOT_FOUND", MANAGES_CLAUSE));
      return reply.code(204).send();
    }),
  );

  app.delete(PATH, async (request, reply) => {
    const own = readToken(request);
    if (own === undefined || !(await endImpersonation(database, own, clock())))
      await routeContext.signOut(request, reply);
    return reply.code(204).send();
  });
};
