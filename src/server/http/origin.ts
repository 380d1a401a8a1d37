import type { FastifyRequest } from "fastify";

/** Where people find the application, as far as the program is told. */
export interface Site {
  /**
   * The one origin that browsers use, such as `https://desk.example.com`. Null: whatever address they use; then the
   * program looks at each request alone.
   */
  readonly origin: string | null;
  /** Proxies (addresses or networks) whose word for a request's address is taken. */
  readonly proxies: readonly string[];
}

/** Nothing was said: a program on its own machine. */
export const ownMachine: Site = { origin: null, proxies: [] };

/**
 * The cookie's name. On one machine several applications share a host, and cookies know no ports, so it bears the port;
 * several servers of one application share an origin, and so the name. With HTTPS it has the prefix by which browsers
 * take it from this host alone.
 */
export const cookieName = ({ origin }: Site, port: number): string => {
  if (origin === null) return `session-${port}`;
  const url = new URL(origin);
  return url.protocol === "https:" ? "__Host-session" : `session-${url.port === "" ? 80 : url.port}`;
};

/**
 * The session's token among the cookies of a request. A program that was told its origin believes the one cookie that it
 * sets: a plain name could be planted by a sibling domain, which `__Host-` forbids. Without an origin, several programs
 * on one machine may be asked with a cookie that names no port.
 */
export const sessionIn = (site: Site, cookies: Readonly<Record<string, string | undefined>>, name: string) =>
  cookies[name] ?? (site.origin === null ? cookies.session : undefined);

/** Whether browsers send the session by HTTPS alone. */
export const isSecure = ({ origin }: Site, request: FastifyRequest): boolean =>
  (origin ?? request.headers.origin)?.startsWith("https:") ?? request.protocol === "https";

/** The host of an origin. The scheme is not compared: behind a proxy that ends TLS it is another one here. */
const hostOf = (origin: string): string => origin.replace(/^https?:\/\//u, "");

/** Whether a browser says that the request comes from another site. A program that says nothing bears no cookies of ours. */
export const isForeign = (site: Site, request: FastifyRequest): boolean => {
  const { origin, "sec-fetch-site": from } = request.headers;
  if (from !== undefined && from !== "same-origin" && from !== "none") return true;
  if (origin === undefined) return false;
  return site.origin === null ? hostOf(origin) !== request.host : origin !== site.origin;
};
