import type { IncomingMessage } from "node:http";

/** Time limit for a request body other than a file. */
const BODY_TIMEOUT_MS = 30_000;

/** Request bodies in transit with their start times. Only files may arrive slowly. */
export class Bodies {
  readonly #inTransit = new Map<IncomingMessage, number>();
  readonly #timer: NodeJS.Timeout;

  constructor() {
    // One interval for all bodies: a timer per request would outlive the request, together with everything it
    // references.
    this.#timer = setInterval(() => this.#endSlow(), BODY_TIMEOUT_MS / 30).unref();
  }

  await(body: IncomingMessage): void {
    this.#inTransit.set(body, performance.now());
    body.once("close", () => this.#inTransit.delete(body));
  }

  #endSlow(): void {
    const late = performance.now() - BODY_TIMEOUT_MS;
    for (const [body, since] of this.#inTransit) {
      if (since > late) return;
      body.destroy();
    }
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
