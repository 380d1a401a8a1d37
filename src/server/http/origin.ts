import type { FastifyRequest } from "fastify";

/** The public address of the application, as configured. */
export interface Site {
  /**
   * The only origin that browsers use, such as `https://desk.example.com`. Null allows any origin; each request is then
   * checked by its own headers.
   */
  readonly origin: string | null;
  /** Proxies (addresses or networks) trusted to report the client's address. */
  readonly proxies: readonly string[];
  /** True for a preview, which may share its host with the original and needs a cookie of its own. */
  readonly isPreview?: boolean;
}

/** True for a route of the platform, such as people and the workbench, and for an unknown address. */
export const isPlatformRoute = (route: string | undefined): boolean => (route ?? "/_/").startsWith("/_/");

/** The default, for a program on a single machine. */
export const ownMachine: Site = { origin: null, proxies: [] };

/**
 * The name of the session cookie. Cookies ignore ports, so the name contains the port: several applications on one
 * machine share a host. Several servers of one application share the origin, and so the name. With HTTPS the name has
 * the `__Host-` prefix, so that only this host can set it.
 */
export const cookieName = ({ origin, isPreview = false }: Site, port: number): string => {
  if (origin === null) return `session-${port}`;
  const url = new URL(origin);
  if (isPreview) return `${url.protocol === "https:" ? "__Host-" : ""}session-${port}`;
  return url.protocol === "https:" ? "__Host-session" : `session-${url.port === "" ? 80 : url.port}`;
};

/**
 * Finds the session token among the cookies of a request. With a configured origin, only the cookie set by that origin
 * counts: a sibling domain could set a plain name, but not one with `__Host-`. Without an origin, the name without a
 * port is accepted too.
 */
export const findSessionToken = (site: Site, cookies: Readonly<Record<string, string | undefined>>, name: string) =>
  cookies[name] ?? (site.origin === null ? cookies.session : undefined);

/** True if browsers send the session over HTTPS only. */
export const isSecure = ({ origin }: Site, request: FastifyRequest): boolean =>
  (origin ?? request.headers.origin)?.startsWith("https:") ?? request.protocol === "https";

/** The address at which the client reached the application. */
export const findOrigin = ({ origin }: Site, request: FastifyRequest): string =>
  origin ?? `${request.protocol}://${request.host}`;

/** The host of an origin. The scheme is not compared, since a proxy may terminate TLS. */
const getHost = (origin: string): string => origin.replace(/^https?:\/\//u, "");

/**
 * True if the browser says that the request comes from another site. A client that says nothing sends none of our
 * cookies.
 */
export const isForeign = (site: Site, request: FastifyRequest): boolean => {
  const { origin, "sec-fetch-site": from } = request.headers;
  if (from !== undefined && from !== "same-origin" && from !== "none") return true;
  if (origin === undefined) return false;
  return site.origin === null ? getHost(origin) !== request.host : origin !== site.origin;
};
