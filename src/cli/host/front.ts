import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { headerLimits, listenOn, stopServer } from "../../server/lifecycle/http-server.ts";
import type { Mount } from "../../server/serve.ts";
import type { OriginPattern } from "./host-options.ts";

/** A server that passes each request to the application whose name its host begins with. */
export class Front {
  readonly #server: Server;
  readonly #applications = new Map<string, RequestListener>();
  readonly #names: readonly string[];
  readonly #pattern: OriginPattern | null;

  /** `names`: of all applications, whether they are running or not. */
  constructor(names: readonly string[], pattern: OriginPattern | null) {
    this.#names = names;
    this.#pattern = pattern;
    this.#server = createServer(headerLimits, (request, response) => this.#handle(request, response));
  }

  /** Throws the system's error (`EADDRINUSE`) if the port is unavailable. */
  listen(host: string, port: number): Promise<void> {
    return listenOn(this.#server, host, port);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The address of an application, as people type it. */
  originOf(name: string): string {
    const { scheme, domain, port } = this.#pattern ?? { scheme: "http", domain: "localhost", port: this.port };
    return `${scheme}://${name}.${domain}${port === null ? "" : `:${port}`}`;
  }

  /** Passes the requests for an application to it. */
  mount(name: string): Mount {
    return (handle) => {
      this.#applications.set(name, handle);
      return () => this.#applications.delete(name);
    };
  }

  /** Lets requests in progress finish; closes each connection when it becomes idle. */
  stop(): Promise<void> {
    return stopServer(this.#server);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const host = (request.headers.host ?? "").replace(/:\d+$/u, "").toLowerCase();
    const { domain } = this.#pattern ?? { domain: "localhost" };
    const name = host.endsWith(`.${domain}`) ? host.slice(0, -domain.length - 1) : "";
    const application = this.#applications.get(name);
    // Only on one's own machine does everybody who asks know the names anyway.
    const isOwnMachine = this.#pattern === null && (host === domain || host === "127.0.0.1");
    if (application !== undefined) application(request, response);
    else if (this.#names.includes(name)) send(response, 503, `${name}: unavailable`);
    else if (isOwnMachine) this.#sendNames(response);
    else send(response, 404, "unknown host");
  }

  #sendNames(response: ServerResponse): void {
    const items = this.#names.map((name) => `<li><a href="${this.originOf(name)}/">${name}</a></li>`).join("\n");
    send(
      response,
      200,
      `<!doctype html>\n<meta charset="utf-8">\n<title>Ninefold</title>\n<ul>\n${items}\n</ul>\n`,
      "html",
    );
  }
}

/** A response of the front itself, which runs and loads nothing. */
const send = (response: ServerResponse, status: number, body: string, kind: "plain" | "html" = "plain"): void => {
  response.writeHead(status, {
    "content-type": `text/${kind}; charset=utf-8`,
    "content-security-policy": "default-src 'none'",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(status === 503 ? { "retry-after": "60" } : {}),
  });
  response.end(`${body}\n`);
};
