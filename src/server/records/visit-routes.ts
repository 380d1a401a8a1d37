import type { FastifyInstance } from "fastify";
import { isId } from "../../core/field/reference.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

/** Records when a person last looked at a record. Only they can read it. */
export const serveVisits = (
  app: FastifyInstance,
  { service, clock, authenticate, sendRefusal, answer }: RouteContext,
): void => {
  const servedAs = (name: string): boolean => service.model.entities.get(name)?.served === true;

  app.get("/_/visits", async (request, reply) => {
    const person = await authenticate(request);
    if (person === null) return sendRefusal(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
    const { of, record } = request.query as Readonly<Record<string, unknown>>;
    if (typeof of !== "string" || !servedAs(of) || typeof record !== "string" || !isId(record))
      return sendRefusal(reply, refuse("NOT_FOUND"));
    const outcome = await service.perform({ kind: "visit", entity: of, id: record }, person, clock());
    return answer(reply, person, outcome);
  });

  /** `{ "of": "Request", "record": id, "seen": time }`; `seen` is the `updated_at` of the record as shown. */
  app.post("/_/visits", async (request, reply) => {
    const person = await authenticate(request);
    if (person === null) return sendRefusal(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
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
  });
};
