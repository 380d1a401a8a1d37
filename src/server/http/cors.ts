import type { FastifyReply, FastifyRequest } from "fastify";
import { getQuery } from "../../core/model/endpoint.ts";
import type { Environment } from "../../core/model/environment.ts";
import type { Model } from "../../core/model/model.ts";

/**
 * Other sites whose pages may call the API (`cors` in point 7). They use tokens: cookies sent with their requests are
 * ignored.
 */
export interface OtherSites {
  /** True if a request comes from a page of such a site and goes to a permitted route. */
  admits(request: FastifyRequest): boolean;
  /** Sets the CORS headers and answers preflight requests. Returns true if that completes the response. */
  handle(request: FastifyRequest, reply: FastifyReply): boolean;
}

/** Headers that a page may send besides `Authorization`. */
const ALLOWED_HEADERS = "content-type, if-match, idempotency-key, accept-language, ninefold-position";
const TOLD = "etag, location, ninefold-version, ninefold-position, retry-after";

/** The allowed origins; an environment variable may hold several, separated by spaces. */
const collectOrigins = ({ callSettings }: Model, environment: Environment): ReadonlySet<string> =>
  new Set(
    callSettings.cors.flatMap((item) =>
      item.startsWith("APP_") ? (environment[item] ?? "").split(/[\s,]+/u).filter((origin) => origin !== "") : [item],
    ),
  );

/** `https://*.example.com` admits every subdomain of example.com, but not example.com itself. */
const toPattern = (origin: string): readonly RegExp[] => {
  const [scheme, host, ...more] = origin.split("*.");
  if (host === undefined || more.length > 0) return [];
  const plain = (text = ""): string => text.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  return [new RegExp(`^${plain(scheme)}(?:[a-z0-9-]+\\.)+${plain(host)}$`, "u")];
};

/** A sentence for each environment variable without a valid origin. */
export const unsetOrigins = ({ callSettings }: Model, environment: Environment): readonly string[] =>
  callSettings.cors
    .filter((origin) => origin.startsWith("APP_") && (environment[origin] ?? "").trim() === "")
    .map((origin) => `No other site can call by ${origin} yet. Set it to an origin.`);

export const otherSites = (model: Model, environment: Environment): OtherSites => {
  const origins = collectOrigins(model, environment);
  const isAny = origins.has("*");
  const own = model.calls.flatMap((call) => getQuery(call).flatMap(({ header }) => header?.toLowerCase() ?? []));
  const token = (model.callSettings.token?.header ?? "Authorization").toLowerCase();
  const sent = [...new Set([token, ...own]), ALLOWED_HEADERS].join(", ");
  const patterns = [...origins].flatMap(toPattern);
  const isAllowed = (origin: string): boolean =>
    isAny || origins.has(origin) || patterns.some((pattern) => pattern.test(origin));
  const shown = new Set(model.calls.map(({ path }) => path.split("/{")[0] ?? path));
  const isCall = (path: string): boolean =>
    path.startsWith("/api/") || [...shown].some((item) => path === item || path.startsWith(`${item}/`));
  const admits = (request: FastifyRequest): boolean => {
    const { origin } = request.headers;
    return origin !== undefined && isAllowed(origin) && isCall(request.url.split("?")[0] ?? "");
  };
  return {
    admits,
    handle: (request, reply) => {
      if (origins.size === 0) return false;
      // A cached response is valid only for the site that asked.
      reply.header("vary", "origin");
      if (!admits(request)) return false;
      reply
        .header("access-control-allow-origin", isAny ? "*" : request.headers.origin)
        .header("access-control-expose-headers", TOLD);
      if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) return false;
      void reply
        .code(204)
        .headers({
          "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
          "access-control-allow-headers": sent,
          "access-control-max-age": "600",
        })
        .send();
      return true;
    },
  };
};
