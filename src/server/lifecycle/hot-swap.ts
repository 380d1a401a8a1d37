import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance, FastifyServerFactory } from "fastify";
import { headerLimits, listenOn, stopServer } from "./http-server.ts";

type Handler = Parameters<FastifyServerFactory>[0];

/**
 * An application that receives requests, or did. It is closed after it has been replaced and has answered all its
 * requests.
 */
interface RunningApp {
  readonly handler: Handler;
  app: FastifyInstance | undefined;
  pending: number;
}

/** A server whose application can be replaced while requests are in progress. */
export class HotSwapServer {
  #now: RunningApp | undefined;
  #next: RunningApp | undefined;
  #server: Server | undefined;

  /**
   * Creates a server object for an application. The object never listens, but reports the address of the real server.
   */
  lead(handler: Handler, options: ServerOptions): Server {
    this.#next = { handler, app: undefined, pending: 0 };
    this.#server ??= createServer({ ...options, ...headerLimits }, this.handle);
    const front = createServer(options);
    front.address = () => this.address();
    return front;
  }

  /** Answers a request with the application that is open. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const running = this.#now;
    if (running === undefined) return void response.destroy();
    running.pending += 1;
    response.once("close", () => {
      running.pending -= 1;
      this.#closeWhenDone(running);
    });
    running.handler(request, response);
  };

  /** Directs new requests to the most recent application. */
  open(app: FastifyInstance): void {
    const before = this.#now;
    if (this.#next === undefined) throw new Error("no application was led here");
    this.#now = this.#next;
    this.#now.app = app;
    if (before !== undefined) this.#closeWhenDone(before);
  }

  #closeWhenDone(running: RunningApp): void {
    if (running === this.#now || running.pending > 0 || running.app === undefined) return;
    const { app } = running;
    running.app = undefined;
    void app.close();
  }

  address(): AddressInfo | null {
    const address = this.#server?.address();
    return typeof address === "object" ? (address ?? null) : null;
  }

  /** Throws the system's error (`EADDRINUSE`) if the port is unavailable. */
  listen(host: string, port: number, isExclusive: boolean): Promise<void> {
    if (this.#server === undefined) throw new Error("no application was led here");
    return listenOn(this.#server, host, port, isExclusive);
  }

  /**
   * Lets requests in progress finish; closes each connection when it becomes idle. `onFree` is called before that, when
   * another server can listen on the port.
   */
  async stop(onFree: () => void = () => undefined): Promise<void> {
    // A server that shares the port of others was never listening.
    const stopped = this.#server?.listening === true ? stopServer(this.#server) : undefined;
    onFree();
    await stopped;
    await this.#now?.app?.close();
  }
}
