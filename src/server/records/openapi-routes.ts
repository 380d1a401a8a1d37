import type { FastifyInstance } from "fastify";
import { anonymousPrincipal, type Principal } from "../../core/derive/authorization/grants.ts";
import { buildOpenapi } from "../../core/derive/openapi/openapi.ts";
import type { Model } from "../../core/model/model.ts";
import { principalKey } from "../plan/context.ts";
import type { RouteContext } from "../route-context.ts";

/** Maximum number of cached descriptions, one per set of roles. */
const MAX_CACHED = 100;

/** The OpenAPI description as text, cached by set of roles. */
const createDescriptions = (model: Model, version: number) => {
  const written = new Map<string, string>();
  return (principal: Principal, cookie: string): string => {
    const key = principalKey(principal);
    const text = written.get(key) ?? JSON.stringify(buildOpenapi(model, principal, { version, cookie }));
    if (written.size < MAX_CACHED) written.set(key, text);
    return text;
  };
};

export const serveDescription = (app: FastifyInstance, { service, authenticate, cookieName }: RouteContext): void => {
  const description = createDescriptions(service.model, service.version);
  app.get("/api/openapi.json", async (request, reply) =>
    reply
      .type("application/json; charset=utf-8")
      .send(description((await authenticate(request)) ?? anonymousPrincipal, cookieName())),
  );
};
