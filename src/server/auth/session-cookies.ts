import { stringifySetCookie } from "cookie";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { cookieName, isSecure, type Site } from "../http/origin.ts";

/** The cookies of a browser: its session, its device, and the position of its last write. */
export class SessionCookies {
  readonly #app: FastifyInstance;
  readonly #site: Site;
  /** The configured port; with 0, the actual port differs. */
  readonly #port: number;
  #name: string | undefined;

  constructor(app: FastifyInstance, site: Site, port: number) {
    this.#app = app;
    this.#site = site;
    this.#port = port;
  }

  /** Name of the session cookie; known once the server is listening. */
  get name(): string {
    if (this.#name !== undefined) return this.#name;
    const address = this.#app.server.address();
    if (typeof address !== "object" || address === null) return cookieName(this.#site, this.#port);
    this.#name = cookieName(this.#site, address.port);
    return this.#name;
  }

  get deviceName(): string {
    return this.name.replace("session", "device");
  }

  get positionName(): string {
    return this.name.replace("session", "position");
  }

  /** A Set-Cookie header. A lifetime of zero seconds deletes the cookie. */
  create(request: FastifyRequest, name: string, value: string, seconds: number): string {
    return stringifySetCookie({
      name,
      value,
      httpOnly: true,
      sameSite: "lax",
      secure: isSecure(this.#site, request),
      path: "/",
      maxAge: seconds,
    });
  }
}
