import type { FastifyInstance } from "fastify";
import { anonymousPrincipal } from "../../core/derive/authorization/grants.ts";
import { isId } from "../../core/field/reference.ts";
import { forSignedIn } from "../auth/for-signed-in.ts";
import { parseTrashQuery } from "../intent.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

/** Lists deleted records and restores them, for the people who could delete them. */
export const serveTrash = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, phrasesFor, authenticate, findMinPosition, sendRefusal, answer } = routeContext;
  app.get("/_/trash", async (request, reply) => {
    const principal = (await authenticate(request)) ?? anonymousPrincipal;
    const intent = parseTrashQuery(request.query as Parameters<typeof parseTrashQuery>[0]);
    if ("code" in intent) return sendRefusal(reply, intent);
    const outcome = await service.perform(intent, principal, clock(), phrasesFor(request), findMinPosition(request));
    return answer(reply, principal, outcome);
  });

  /** `{ "of": "Request", "record": id }` */
  app.post(
    "/_/trash/bring-back",
    forSignedIn(routeContext, async (person, request, reply) => {
      const [of, record] = [parseTextParam(request.body, "of"), parseTextParam(request.body, "record")];
      if (service.model.entities.get(of)?.served !== true || !isId(record))
        return sendRefusal(reply, refuse("NOT_FOUND"));
      const intent = { kind: "bring back", entity: of, id: record } as const;
      const outcome = await service.perform(intent, person, clock(), phrasesFor(request));
      return answer(reply, person, outcome);
    }),
  );
};
