import type { FastifyInstance } from "fastify";
import type { DeletionTrialJson } from "../../core/wire/trash.ts";
import { forSignedIn } from "../auth/for-signed-in.ts";
import { executeTogether } from "../execution/execute-together.ts";
import { withReasons } from "../explain/why-answers.ts";
import type { Intent } from "../intent.ts";
import type { Outcome } from "../plan/outcome.ts";
import { toProblem } from "../problems/to-problem.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { parseTriedRecords } from "./tried-records.ts";

type DeleteIntent = Extract<Intent, { kind: "delete" }>;

interface Tried {
  readonly intent: DeleteIntent;
  /** Null if the deletion succeeds. */
  readonly refusal: Refusal | null;
}

/**
 * Says which records the caller can delete now, before anybody asks them to confirm it, and in which order. The deletions
 * are tried one after another and rolled back, so that each is refused for the same reasons as the deletion itself.
 * Nobody was refused anything by a trial, so its refusals are neither counted nor logged.
 */
export const serveDeletions = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, phrasesFor, sendRefusal } = routeContext;
  const { model } = service;

  app.get(
    "/_/deletion",
    forSignedIn(routeContext, async (person, request, reply) => {
      const of = parseTextParam(request.query, "of");
      const ids = parseTriedRecords(request.query);
      if (model.entities.get(of)?.served !== true || ids === null) return sendRefusal(reply, refuse("NOT_FOUND"));
      const caller = { principal: person, now: clock(), phrases: phrasesFor(request) };
      const intents = ids.map((id): DeleteIntent => ({ kind: "delete", entity: of, id, version: null }));
      const plan = (intent: DeleteIntent) => service.plan(intent, service.caller(person, caller.now, caller.phrases));
      const tried = await executeTogether(service.database, { before: [], isTrial: true }, (run) =>
        tryInTurns(intents, (left) => run(left.map(plan))),
      );
      const items: DeletionTrialJson["items"][number][] = [];
      for (const { intent, refusal } of tried) {
        const refused =
          refusal === null
            ? null
            : toProblem(model, await withReasons(service, intent, refusal, caller), caller.phrases, { entity: of });
        items.push({ id: intent.id, refused });
      }
      return reply.send({ items } satisfies DeletionTrialJson);
    }),
  );
};

/**
 * Tries deletions, and then those that were refused again, as long as others succeed: a record can be deleted after those
 * that use it. Each time, they are tried in the opposite order, so that a chain in the wrong order takes two
 * rounds, however long it is. Returns them in an order in which they succeed, and then those that are refused.
 */
const tryInTurns = async (
  intents: readonly DeleteIntent[],
  tryAll: (left: readonly DeleteIntent[]) => Promise<readonly (Outcome | Refusal)[]>,
): Promise<readonly Tried[]> => {
  const done: Tried[] = [];
  for (let left = intents; ; ) {
    const outcomes = await tryAll(left);
    const tried = left.map((intent, at): Tried => {
      const outcome = outcomes[at];
      return { intent, refusal: isRefusal(outcome) ? outcome : null };
    });
    const refused = tried.filter(({ refusal }) => refusal !== null);
    done.push(...tried.filter(({ refusal }) => refusal === null));
    if (refused.length === 0 || refused.length === left.length)
      return [...done, ...refused.toSorted((a, b) => intents.indexOf(a.intent) - intents.indexOf(b.intent))];
    left = refused.map(({ intent }) => intent).toReversed();
  }
};
