import type { FastifyInstance } from "fastify";
import { isId } from "../../core/field/reference.ts";
import { executeTogether } from "../execution/execute-together.ts";
import { withReasons } from "../explain/why-answers.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

/**
 * Says if the caller can delete a record now, before anybody asks them to confirm it. The deletion itself is tried and
 * rolled back, so that it is refused for the same reasons.
 */
export const serveDeletions = (
  app: FastifyInstance,
  { service, clock, phrasesFor, authenticate, sendRefusal }: RouteContext,
): void => {
  app.get("/_/deletion", async (request, reply) => {
    const person = await authenticate(request);
    if (person === null) return sendRefusal(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
    const [of, id] = [parseTextParam(request.query, "of"), parseTextParam(request.query, "record")];
    if (service.model.entities.get(of)?.served !== true || !isId(id)) return sendRefusal(reply, refuse("NOT_FOUND"));
    const intent = { kind: "delete", entity: of, id, version: null } as const;
    const caller = { principal: person, now: clock(), phrases: phrasesFor(request) };
    const plan = service.plan(intent, service.caller(person, caller.now, caller.phrases));
    const [outcome = plan] = await executeTogether(service.database, { before: [], isTrial: true }, (run) =>
      run([plan]),
    );
    return outcome.kind === "refusal"
      ? sendRefusal(reply, await withReasons(service, intent, outcome, caller))
      : reply.code(204).send();
  });
};
