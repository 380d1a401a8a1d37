import type { FastifyInstance } from "fastify";
import { isId } from "../../core/field/reference.ts";
import { forSignedIn } from "../auth/for-signed-in.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

/** Records when a person last looked at a record. Only they can read it. */
export const serveVisits = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, sendRefusal, answer } = routeContext;
  const servedAs = (name: string): boolean => service.model.entities.get(name)?.served === true;

  app.get(
    "/_/visits",
    forSignedIn(routeContext, async (person, request, reply) => {
      const { of, record } = request.query as Readonly<Record<string, unknown>>;
      if (typeof of !== "string" || !servedAs(of) || typeof record !== "string" || !isId(record))
        return sendRefusal(reply, refuse("NOT_FOUND"));
      const outcome = await service.perform({ kind: "visit", entity: of, id: record }, person, clock());
      return answer(reply, person, outcome);
    }),
  );

  /** `{ "of": "Request", "record": id, "seen": time }`; `seen` is the `updated_at` of the record as shown. */
  app.post(
    "/_/visits",
    forSignedIn(routeContext, async (person, request, reply) => {
      const [of, record, seen] = ["of", "record", "seen"].map((name) => parseTextParam(request.body, name)) as [
        string,
        string,
        string,
      ];
      const seenMs = Date.parse(seen);
      if (Number.isNaN(seenMs)) return sendRefusal(reply, refuse("MALFORMED"));
      if (!servedAs(of) || !isId(record)) return sendRefusal(reply, refuse("NOT_FOUND"));
      const visited = { kind: "visited", entity: of, id: record, seen: new Date(seenMs).toISOString() } as const;
      const outcome = await service.perform(visited, person, clock());
      return answer(reply, person, outcome);
    }),
  );
};
