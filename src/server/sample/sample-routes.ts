import type { FastifyInstance } from "fastify";
import { forAdministrator } from "../auth/for-signed-in.ts";
import type { RouteContext } from "../route-context.ts";
import { removeSample } from "./removal.ts";

/** The route by which an administrator removes the sample data. */
export const serveSamples = (app: FastifyInstance, context: RouteContext): void => {
  app.post(
    "/_/samples/remove",
    forAdministrator(context, async (administrator, _, reply) =>
      reply.send(await removeSample(context.service, administrator.id)),
    ),
  );
};
