import type { FastifyInstance, FastifyRequest } from "fastify";
import { parseBody } from "../intent.ts";
import { isRefusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { type MailedRequest, makeMailedTransition, showMailedTransition } from "./mailed-transitions.ts";

/**
 * A transition from a mail. The first call shows what the link can do, the second does it. Both are sent by the page,
 * after it was opened: mail scanners follow links, and a `GET` never acts.
 */
export const serveMailedTransitions = (
  app: FastifyInstance,
  { service, clock, phrasesFor, readToken, personBy, sendRefusal }: RouteContext,
): void => {
  const toMailedRequest = async (request: FastifyRequest): Promise<MailedRequest> => {
    const own = readToken(request);
    return {
      token: parseTextParam(request.body, "token"),
      session: own === undefined ? null : await personBy(own),
      now: clock(),
      phrases: phrasesFor(request),
    };
  };

  app.post("/_/mail/transition-link", async (request, reply) =>
    reply.send(await showMailedTransition(service, await toMailedRequest(request))),
  );

  app.post("/_/mail/transition", async (request, reply) => {
    const { values, version } = (request.body ?? {}) as { readonly values?: unknown; readonly version?: unknown };
    const sent = parseBody({ body: values });
    if (sent === undefined || (version !== undefined && version !== null && !Number.isSafeInteger(version)))
      return sendRefusal(reply, refuse("MALFORMED"));
    const { person, outcome } = await makeMailedTransition(service, await toMailedRequest(request), {
      values: sent,
      version: typeof version === "number" ? version : null,
    });
    request.who = person;
    return isRefusal(outcome) ? sendRefusal(reply, outcome) : reply.code(204).send();
  });
};
