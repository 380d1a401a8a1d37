import type { FastifyInstance } from "fastify";
import { Refused, refuse } from "../refusal.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { discardBody } from "../util/discard-body.ts";
import { canRepeat, type FindNewer, repeatUnder } from "./repeat-request.ts";
import type { Responder } from "./respond.ts";
import { unavailableResponse } from "./unavailable.ts";

/**
 * Turns exceptions into responses: refusals, malformed requests, an unavailable database, and program errors. A request
 * that failed because another server has published a newer version is repeated under that version.
 */
export const handleErrors = (
  app: FastifyInstance,
  { phrasesFor, sendProblem, sendRefusal }: Responder,
  metrics: Metrics | undefined,
  findNewer: FindNewer,
): void => {
  app.decorateRequest("isRepeated", false);
  app.setErrorHandler(
    async (thrown: Error & { readonly code?: string; readonly statusCode?: number }, request, reply) => {
      let error = thrown;
      if (canRepeat(thrown, request))
        try {
          const newer = await findNewer();
          if (newer !== undefined) return await repeatUnder(newer, request, reply);
        } catch (failure) {
          if (failure instanceof Error) error = failure;
        }
      const words = phrasesFor(request).errors.unavailable;
      const away = unavailableResponse(error, request.id, words);
      if (away !== undefined) {
        request.log.warn({ because: away.because }, away.problem.code);
        metrics?.refused(away.problem.code);
        return sendProblem(reply.header("retry-after", String(away.seconds)), away.problem);
      }
      if (error instanceof Refused) return sendRefusal(reply, error.refusal);
      if (error.statusCode === 413) {
        await discardBody(request.raw);
        return sendRefusal(reply, refuse("TOO_MUCH"));
      }
      if (error.statusCode === 415) return sendRefusal(reply, refuse("UNSUPPORTED"));
      if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
        return sendRefusal(reply, refuse("MALFORMED"));
      request.log.error({ err: error }, "a request failed because of a defect");
      return sendProblem(reply, {
        type: "about:blank",
        status: 500,
        code: "FAULT",
        ...words.FAULT,
        reference: request.id,
      });
    },
  );
};
