import type { FastifyInstance } from "fastify";
import { isId } from "../../core/field/reference.ts";
import { type DeletionTrialJson, MOST_TRIED } from "../../core/wire/trash.ts";
import { executeTogether } from "../execution/execute-together.ts";
import { withReasons } from "../explain/why-answers.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { toProblem } from "../problems/to-problem.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

/**
 * Says which records the caller can delete now, before anybody asks them to confirm it. The deletions are tried one
 * after another and rolled back, so that each is refused for the same reasons as the deletion itself. Nobody was refused
 * anything by a trial, so its refusals are neither counted nor logged.
 */
export const serveDeletions = (
  app: FastifyInstance,
  { service, clock, phrasesFor, authenticate, sendRefusal }: RouteContext,
): void => {
  const { model } = service;

  app.get("/_/deletion", async (request, reply) => {
    const person = await authenticate(request);
    if (person === null) return sendRefusal(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE));
    const of = parseTextParam(request.query, "of");
    const { records } = request.query as Readonly<Record<"records", unknown>>;
    const ids = typeof records === "string" ? [...new Set(records.split(","))] : [];
    if (model.entities.get(of)?.served !== true || ids.length === 0 || ids.length > MOST_TRIED || !ids.every(isId))
      return sendRefusal(reply, refuse("NOT_FOUND"));
    const caller = { principal: person, now: clock(), phrases: phrasesFor(request) };
    const intents = ids.map((id) => ({ kind: "delete", entity: of, id, version: null }) as const);
    const plans = intents.map((intent) => service.plan(intent, service.caller(person, caller.now, caller.phrases)));
    const outcomes = await executeTogether(service.database, { before: [], isTrial: true }, (run) => run(plans));
    const items: DeletionTrialJson["items"][number][] = [];
    for (const intent of intents) {
      const outcome = outcomes[items.length];
      const refused =
        outcome?.kind === "refusal"
          ? toProblem(model, await withReasons(service, intent, outcome, caller), caller.phrases, { entity: of })
          : null;
      items.push({ id: intent.id, refused });
    }
    return reply.send({ items } satisfies DeletionTrialJson);
  });
};
