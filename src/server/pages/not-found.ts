import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { anonymousPrincipal, grantsFor } from "../../core/derive/authorization/grants.ts";
import { currentAddress, retiredAddress } from "../plan/row/former-names.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";

/** Handles addresses without a route: a screen gets the page, and a renamed path tells its new name. */
export const serveNotFound = (
  app: FastifyInstance,
  { service: { model, context }, authenticate, sendRefusal }: RouteContext,
  page: (request: FastifyRequest, reply: FastifyReply) => unknown,
): void => {
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split("?")[0] ?? "";
    const isScreen =
      (request.method === "GET" || request.method === "HEAD") &&
      !isAmongCalls(path, model.callSettings.base) &&
      !wantsData(request);
    if (isScreen) return page(request, reply);
    const moved = currentAddress(model, context.past, path);
    const none = refuse("NO_SUCH_CALL");
    const principal = (await authenticate(request)) ?? anonymousPrincipal;
    const retired = moved === undefined ? retiredAddress(context, principal, path) : undefined;
    if (moved === undefined) return sendRefusal(reply, retired === undefined ? none : { ...none, elsewhere: retired });
    // Reveals the new name only to callers who can know the entity.
    const isOpen = grantsFor(model, moved.entity, "read", principal).length > 0;
    return sendRefusal(
      reply,
      isOpen ? { ...none, clause: moved.entity.clause.id, elsewhere: { says: "moved", now: moved.address } } : none,
    );
  });
};

/** True for an address below the API or the platform's paths, where there are no screens. */
const isAmongCalls = (address: string, base: string): boolean =>
  ["/api", "/_", ...(base === "" ? [] : [base])].some((item) => address === item || address.startsWith(`${item}/`));

/** True if the client asks for JSON rather than a page. */
const wantsData = ({ headers: { accept = "" } }: FastifyRequest): boolean =>
  /[/+]json\b/iu.test(accept) && !/\btext\/html\b/iu.test(accept);
