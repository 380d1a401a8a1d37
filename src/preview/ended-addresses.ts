import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { choosePhrases } from "../core/derive/client/localize.ts";
import type { Model } from "../core/model/model.ts";
import { renderStandalonePage } from "../server/pages/standalone-page.ts";

/** Tells pages that are still open that the preview has ended. */
const ENDED_HEADER = "ninefold-preview";

/** An eye with a line through it. */
const ICON =
  "M10.585 10.587a2 2 0 0 0 2.829 2.828M16.681 16.673a8.717 8.717 0 0 1 -4.681 1.327c-3.6 0 -6.6 -2 -9 -6c1.272 -2.12 2.712 -3.678 4.32 -4.674m2.86 -1.146a9.055 9.055 0 0 1 1.82 -.18c3.6 0 6.6 2 9 6c-.666 1.11 -1.379 2.067 -2.138 2.87M3 3l18 18";

/** The newest addresses that say so. Older ones are forgotten. */
const MOST_KEPT = 20;

/**
 * Addresses of ended previews, as long as this process runs. A page there says that the preview has ended, and leads back
 * to the original.
 */
export class EndedAddresses {
  readonly #servers = new Map<number, Server>();
  readonly #host: string;
  readonly #original: string | null;
  #isStopped = false;

  /** `original`: the address of the original; null if it is unknown. */
  constructor(host: string, original: string | null) {
    this.#host = host;
    this.#original = original;
  }

  /**
   * Waits until a preview stops listening, and then answers every request to its address, unless its port is in use again.
   * `behind`: the port on which it listens behind a proxy.
   */
  async keepAfter(
    { closed, address }: { readonly closed: Promise<void>; readonly address: string },
    behind: number | undefined,
    model: Model,
  ): Promise<void> {
    await closed;
    if (this.#isStopped) return;
    const port = behind ?? Number(new URL(address).port);
    const server = createServer((request, reply) => answer(this.#original, model, request, reply));
    // It does not keep the program running.
    server.unref();
    server.listen(port, this.#host);
    try {
      await once(server, "listening");
    } catch {
      return;
    }
    this.#servers.set(port, server);
    const [oldest] = this.#servers.keys();
    if (this.#isStopped) this.release(port);
    else if (this.#servers.size > MOST_KEPT && oldest !== undefined) this.release(oldest);
  }

  /** Frees the port, for the next preview. */
  release(port: number | undefined): void {
    if (port === undefined) return;
    const server = this.#servers.get(port);
    this.#servers.delete(port);
    server?.close();
    server?.closeAllConnections();
  }

  stop(): void {
    this.#isStopped = true;
    for (const port of [...this.#servers.keys()]) this.release(port);
  }
}

const answer = (original: string | null, model: Model, request: IncomingMessage, reply: ServerResponse): void => {
  const phrases = choosePhrases(model, request.headers["accept-language"]);
  const { title, words, back } = phrases.errors.previewEnded;
  const link = original === null ? null : { href: original, text: back };
  const page = renderStandalonePage(model, phrases, { title, paragraphs: [words], link, icon: ICON });
  reply.writeHead(410, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": page.policy,
    "cache-control": "no-store",
    [ENDED_HEADER]: "ended",
    connection: "close",
  });
  reply.end(request.method === "HEAD" ? undefined : page.html);
};
