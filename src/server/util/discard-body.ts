import type { IncomingMessage } from "node:http";

/** How long to discard the body of a rejected request. */
export const DISCARD_MS = 10_000;

/** Discards the rest of a body, because a client that is disconnected while sending never sees the response. */
export const discardBody = (body: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    const timeout = setTimeout(resolve, DISCARD_MS);
    const done = () => {
      clearTimeout(timeout);
      resolve();
    };
    body.once("end", done).once("close", done).resume();
  });
