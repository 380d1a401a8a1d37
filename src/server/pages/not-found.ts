import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { anonymousPrincipal, grantsFor } from "../../core/derive/authorization/grants.ts";
import { movedTo } from "../plan/row/former-names.ts";
import { refuse } from "../refusal.ts";
import type { Door } from "../route-context.ts";

/** Addresses that are no call's: a screen's is answered with the page, and one that had another name says which it has now. */
export const serveElsewhere = (
  app: FastifyInstance,
  { service: { model, context }, personOf, refuseWith }: Door,
  page: (request: FastifyRequest, reply: FastifyReply) => unknown,
): void => {
  app.setNotFoundHandler(async (request, reply) => {
    const asked = request.url.split("?")[0] ?? "";
    const isScreen =
      (request.method === "GET" || request.method === "HEAD") &&
      !isAmongCalls(asked, model.callSettings.base) &&
      !wantsData(request);
    if (isScreen) return page(request, reply);
    const moved = movedTo(model, context.past, asked);
    const none = refuse("NO_SUCH_CALL");
    if (moved === undefined) return refuseWith(reply, none);
    // A new name is told to those alone who may know of what bears it.
    const person = (await personOf(request)) ?? anonymousPrincipal;
    const isOpen = grantsFor(model, moved.entity, "read", person).length > 0;
    return refuseWith(
      reply,
      isOpen ? { ...none, clause: moved.entity.clause.id, message: `This is at ${moved.address} now.` } : none,
    );
  });
};

/** Whether an address stands where calls and files do, and no screen. */
const isAmongCalls = (address: string, base: string): boolean =>
  ["/api", "/_", "/assets", ...(base === "" ? [] : [base])].some(
    (one) => address === one || address.startsWith(`${one}/`),
  );

/** Whether whoever asks is a program that wants JSON, and no browser. */
const wantsData = ({ headers: { accept = "" } }: FastifyRequest): boolean =>
  /[/+]json\b/iu.test(accept) && !/\btext\/html\b/iu.test(accept);
