import { createServer, type Server, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance, FastifyServerFactory } from "fastify";

type Handler = Parameters<FastifyServerFactory>[0];

/** An application that requests go to, or went to: it is closed once it is not the one any more and has answered all. */
interface Led {
  readonly handler: Handler;
  app: FastifyInstance | undefined;
  pending: number;
}

/** How long a client may take to say what it asks for, in milliseconds, and how often that is looked at. */
const HEADERS = { headersTimeout: 30_000, connectionsCheckingInterval: 1_000 };

/** Longer than any request of ours takes; who has not been answered by then keeps a connection and sends nothing. */
const GRACE = 8_000;

/** One server, and the application that its requests go to; another can take its place while requests are under way. */
export class Passage {
  #now: Led | undefined;
  #next: Led | undefined;
  #server: Server | undefined;

  /** What an application gets for a server: one that never listens, and is at the address of the one that does. */
  lead(handler: Handler, options: ServerOptions): Server {
    this.#next = { handler, app: undefined, pending: 0 };
    this.#server ??= createServer({ ...options, ...HEADERS }, (request, response) => {
      const led = this.#now;
      if (led === undefined) return void response.destroy();
      led.pending += 1;
      response.once("close", () => {
        led.pending -= 1;
        this.#closeWhenDone(led);
      });
      led.handler(request, response);
    });
    const front = createServer(options);
    front.address = () => this.address();
    return front;
  }

  /** From now on requests go to the application that was led here last. */
  open(app: FastifyInstance): void {
    const before = this.#now;
    if (this.#next === undefined) throw new Error("no application was led here");
    this.#now = this.#next;
    this.#now.app = app;
    if (before !== undefined) this.#closeWhenDone(before);
  }

  #closeWhenDone(led: Led): void {
    if (led === this.#now || led.pending > 0 || led.app === undefined) return;
    const { app } = led;
    led.app = undefined;
    void app.close();
  }

  address(): AddressInfo | null {
    const address = this.#server?.address();
    return typeof address === "object" ? (address ?? null) : null;
  }

  /** Throws the system's error (`EADDRINUSE`) when the port cannot be had. */
  listen(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const server = this.#server;
      if (server === undefined) throw new Error("no application was led here");
      server.once("error", reject);
      server.listen({ host, port }, () => {
        server.off("error", reject);
        resolve();
      });
    });
  }

  /** Lets requests in flight finish; a connection is closed as soon as it has nothing more to say. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const idle = setInterval(() => server.closeIdleConnections(), 100);
    const patience = setTimeout(() => server.closeAllConnections(), GRACE);
    try {
      await new Promise((resolve) => server.close(resolve));
      await this.#now?.app?.close();
    } finally {
      clearInterval(idle);
      clearTimeout(patience);
    }
  }
}
