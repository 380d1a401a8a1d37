import type { FastifyInstance, FastifyRequest } from "fastify";
import { isAdministrator } from "../../core/derive/authorization/grants.ts";
import type { InPreviewJson } from "../../core/wire/authoring/previews.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { MANAGES_CLAUSE, SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";

/** Set in an application that serves a preview. */
export interface InPreview {
  readonly about: InPreviewJson;
  /** Ends the preview. */
  end(): void;
}

/** The call by which an administrator ends the preview that they are in. */
export const serveInPreview = (
  app: FastifyInstance,
  { end }: InPreview,
  { personOf, refuseWith }: RouteContext,
): void => {
  const administrator = async (request: FastifyRequest): Promise<SignedIn | Refusal> => {
    const person = await personOf(request);
    if (person === null) return refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE);
    return isAdministrator(person) ? person : refuse("FORBIDDEN", MANAGES_CLAUSE);
  };
  app.delete("/_/preview", async (request, reply) => {
    const person = await administrator(request);
    if ("kind" in person) return refuseWith(reply, person);
    // After the answer, which the end would cut off.
    reply.raw.once("finish", end);
    return reply.code(204).send();
  });
};
