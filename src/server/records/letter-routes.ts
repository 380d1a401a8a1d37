import type { FastifyInstance, FastifyRequest } from "fastify";
import { anonymousPrincipal } from "../../core/derive/authorization/grants.ts";
import { chooseLanguage } from "../../core/derive/client/localize.ts";
import { parseAcceptLanguage } from "../../core/explain/language.ts";
import { isId } from "../../core/field/reference.ts";
import type { LetterJson } from "../../core/wire/letters.ts";
import { disposition } from "../files/file-routes.ts";
import type { Intent } from "../intent.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { letterFileName, letterTag, writeLetterFile } from "./letter-file.ts";

/** Letters about records: their text for the page, and their file. Each is read in the read scope of its reader. */
export const serveLetters = (
  app: FastifyInstance,
  { service, clock, phrasesFor, authenticate, findMinPosition, sendRefusal, answer }: RouteContext,
): void => {
  const { model } = service;
  const parse = (request: FastifyRequest): Extract<Intent, { kind: "letter" }> | null => {
    const { id } = request.params as { readonly id: string };
    const preferred = [
      parseTextParam(request.query, "language"),
      ...parseAcceptLanguage(request.headers["accept-language"]),
    ];
    const language = chooseLanguage(model, preferred);
    return isId(id) ? { kind: "letter", screen: parseTextParam(request.query, "screen"), id, language } : null;
  };
  app.get("/_/letters/:id", async (request, reply) => {
    const principal = (await authenticate(request)) ?? anonymousPrincipal;
    const intent = parse(request);
    if (intent === null) return sendRefusal(reply, refuse("NOT_FOUND"));
    const outcome = await service.perform(intent, principal, clock(), phrasesFor(request), findMinPosition(request));
    return answer(reply, principal, outcome);
  });
  // A drawing takes a turn among the long requests, so few are drawn at once.
  app.get("/_/letters/:id/pdf", { config: { reads: "many" } }, async (request, reply) => {
    const principal = (await authenticate(request)) ?? anonymousPrincipal;
    const intent = parse(request);
    if (intent === null) return sendRefusal(reply, refuse("NOT_FOUND"));
    const now = clock();
    const outcome = await service.perform(intent, principal, now, phrasesFor(request), findMinPosition(request));
    if (outcome.kind !== "found") return answer(reply, principal, outcome);
    const letter = outcome.body as LetterJson;
    const { logo } = model;
    const tag = letterTag({ letter, logo });
    reply.headers({ etag: tag, "cache-control": "private, no-cache", vary: "Cookie, Authorization" });
    if ([tag, "*"].includes(request.headers["if-none-match"] ?? "")) return reply.code(304).send();
    const file = await writeLetterFile({ letter, logo }, now);
    return reply
      .type("application/pdf")
      .header("content-disposition", disposition("attachment", letterFileName(letter)))
      .send(file);
  });
};
