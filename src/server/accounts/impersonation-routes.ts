import type { FastifyInstance } from "fastify";
import { isAdministrator } from "../../core/derive/authorization/grants.ts";
import { isId } from "../../core/field/reference.ts";
import { beginImpersonation, endImpersonation } from "../auth/sessions.ts";
import { MANAGES_CLAUSE, SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

const LOOK = "/_/look";

/**
 * Lets an administrator view the application as somebody else: their own session shows what that person sees, all
 * changes are refused, and after half an hour at most it shows nothing until they end the view.
 */
export const serveImpersonation = (app: FastifyInstance, door: RouteContext): void => {
  const { service, clock, personOf, tokenOf, refuseWith } = door;
  const { database, version } = service;

  app.post(LOOK, async (request, reply) => {
    const person = await personOf(request);
    const own = tokenOf(request);
    if (person === null || own === undefined) return refuseWith(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
    if (!isAdministrator(person)) return refuseWith(reply, refuse("FORBIDDEN", MANAGES_CLAUSE));
    const other = parseTextParam(request.body, "person");
    const look = { looker: person.id, person: other, clause: MANAGES_CLAUSE, document: version };
    if (!isId(other) || !(await beginImpersonation(database, own, look, clock())))
      return refuseWith(reply, refuse("NOT_FOUND", MANAGES_CLAUSE));
    return reply.code(204).send();
  });

  app.delete(LOOK, async (request, reply) => {
    const own = tokenOf(request);
    if (own === undefined || !(await endImpersonation(database, own, clock()))) await door.dismiss(request, reply);
    return reply.code(204).send();
  });
};
