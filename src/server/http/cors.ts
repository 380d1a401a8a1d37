import type { FastifyReply, FastifyRequest } from "fastify";
import type { Model } from "../../core/model/model.ts";
import type { Environment } from "../util/environment.ts";

/** The other sites whose pages may call (point 7's `cors`). They bear tokens: a cookie that comes with them counts for nothing. */
export interface OtherSites {
  /** Whether a request comes from a page of one of them, and asks for what they may call. */
  admits(request: FastifyRequest): boolean;
  /** Tells the browser that its page may read the answer; answers what it asks beforehand. True where that is all. */
  meet(request: FastifyRequest, reply: FastifyReply): boolean;
}

/** Headers that a page may send and read beside those that any page may. */
const SENT = "authorization, content-type, if-match, idempotency-key, accept-language";
const TOLD = "etag, location, ninefold-version, retry-after";

/** The document's origins; a name of the environment holds one or several, with blanks between them. */
const originsOf = ({ callSettings }: Model, environment: Environment): ReadonlySet<string> =>
  new Set(
    callSettings.cors.flatMap((one) =>
      one.startsWith("APP_") ? (environment[one] ?? "").split(/[\s,]+/u).filter((origin) => origin !== "") : [one],
    ),
  );

/** For each name of the environment that holds no origin, a sentence. */
export const unsetOrigins = ({ callSettings }: Model, environment: Environment): readonly string[] =>
  callSettings.cors
    .filter((one) => one.startsWith("APP_") && (environment[one] ?? "").trim() === "")
    .map((one) => `No other site calls by ${one}: set it to an origin.`);

export const otherSites = (model: Model, environment: Environment): OtherSites => {
  const origins = originsOf(model, environment);
  const shown = new Set(model.calls.map(({ path }) => path.split("/{")[0] ?? path));
  const isCall = (path: string): boolean =>
    path.startsWith("/api/") || [...shown].some((one) => path === one || path.startsWith(`${one}/`));
  const admits = (request: FastifyRequest): boolean => {
    const { origin } = request.headers;
    return origin !== undefined && origins.has(origin) && isCall(request.url.split("?")[0] ?? "");
  };
  return {
    admits,
    meet: (request, reply) => {
      if (origins.size === 0) return false;
      // An answer that is kept is for the site that asked.
      reply.header("vary", "origin");
      if (!admits(request)) return false;
      reply.header("access-control-allow-origin", request.headers.origin).header("access-control-expose-headers", TOLD);
      if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return false;
      void reply
        .code(204)
        .headers({
          "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
          "access-control-allow-headers": SENT,
          "access-control-max-age": "600",
        })
        .send();
      return true;
    },
  };
};
