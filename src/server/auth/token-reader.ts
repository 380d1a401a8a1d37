import { parseCookie } from "cookie";
import type { FastifyRequest } from "fastify";
import type { Model } from "../../core/model/model.ts";
import type { OtherSites } from "../http/cors.ts";
import { findSessionToken, isForeign, isPlatformRoute, type Site } from "../http/origin.ts";
import type { SessionCookies } from "./session-cookies.ts";

/** Reads the session or API token of a request, from a header or a cookie. */
export interface TokenReader {
  /** Undefined if the request has none. */
  readonly findToken: (request: FastifyRequest) => string | undefined;
  /** Undefined for a cookie, which pages must not read. */
  readonly readHeaderToken: (request: FastifyRequest) => string | undefined;
}

export const createTokenReader = (
  model: Model,
  site: Site,
  others: OtherSites,
  cookies: SessionCookies,
): TokenReader => {
  const settings = model.callSettings.token ?? { header: "Authorization", scheme: "Bearer", cookie: null };
  const { header, scheme, cookie } = settings;
  const headerName = header.toLowerCase();
  /** True for calls of an application in which nobody signs in: an administrator is a visitor there. */
  const isAnonymous = (request: FastifyRequest): boolean =>
    model.signIn.isOff && !isPlatformRoute(request.routeOptions.url);
  const readHeaderToken = (request: FastifyRequest): string | undefined => {
    const sent = request.headers[headerName];
    if (typeof sent !== "string" || isAnonymous(request)) return undefined;
    if (scheme === null) return /^\S+$/u.test(sent) ? sent : undefined;
    const [, word, token] = /^(\S+) +(\S+)$/u.exec(sent) ?? [];
    return word?.toLowerCase() === scheme.toLowerCase() ? token : undefined;
  };
  const findToken = (request: FastifyRequest): string | undefined => {
    if (isAnonymous(request)) return undefined;
    const headerToken = readHeaderToken(request);
    const sent = request.headers.cookie;
    if (headerToken !== undefined || sent === undefined || (isForeign(site, request) && others.admits(request)))
      return headerToken;
    const jar = parseCookie(sent);
    const own = cookie === null || request.routeOptions.config?.call === undefined ? undefined : jar[cookie];
    return own ?? findSessionToken(site, jar, cookies.name);
  };
  return { findToken, readHeaderToken };
};
