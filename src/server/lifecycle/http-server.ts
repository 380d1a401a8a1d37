import type { Server } from "node:http";

/** Time limit for the headers of a request and interval of that check, in milliseconds. */
export const headerLimits = { headersTimeout: 30_000, connectionsCheckingInterval: 1_000 };

/** Longer than any request takes; connections still open after that are idle. */
const GRACE_MS = 8_000;

/**
 * Throws the system's error (`EADDRINUSE`) if the port is unavailable. `isExclusive`: a worker process does not share the
 * port with the other workers.
 */
export const listenOn = (server: Server, host: string, port: number, isExclusive = false): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: isExclusive }, () => {
      server.off("error", reject);
      resolve();
    });
  });

/** Lets requests in progress finish; closes each connection when it becomes idle. */
export const stopServer = async (server: Server): Promise<void> => {
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const patience = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  try {
    await new Promise((resolve) => server.close(resolve));
  } finally {
    clearInterval(idle);
    clearTimeout(patience);
  }
};
