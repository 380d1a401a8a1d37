import type { IncomingMessage } from "node:http";

/** How long a body that is no file may take, in milliseconds. */
const PATIENCE = 30_000;

/** Bodies that are under way, with when they began: one that is no file comes at once, or not at all. */
export class Bodies {
  readonly #coming = new Map<IncomingMessage, number>();
  readonly #clock: NodeJS.Timeout;

  constructor() {
    // One clock for all: a timer for each request would outlive it, and what it holds on to with it.
    this.#clock = setInterval(() => this.#look(), PATIENCE / 30).unref();
  }

  await(body: IncomingMessage): void {
    this.#coming.set(body, performance.now());
    body.once("close", () => this.#coming.delete(body));
  }

  #look(): void {
    const late = performance.now() - PATIENCE;
    for (const [body, since] of this.#coming) {
      if (since > late) return;
      body.destroy();
    }
  }

  end(): void {
    clearInterval(this.#clock);
  }
}
