import { createServer } from "node:net";
import { CommandFailed, exits } from "../exit-codes.ts";

/** Checked before anything is created, so that a port in use leaves no trace. */
export const checkPort = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => reject(toListenFailure(error, port)));
    probe.listen({ host, port }, () => probe.close(() => resolve()));
  });

export const toListenFailure = (error: unknown, port: number): unknown => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const taken = error instanceof Error && "port" in error && typeof error.port === "number" ? error.port : port;
  const option = taken === port ? "--port" : "--metrics";
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new CommandFailed(
      exits.portTaken,
      "This machine does not have the address to listen on.",
      "Choose one of its addresses with --host, or 0.0.0.0 for all of them.",
    );
  if (code === "EADDRINUSE")
    return new CommandFailed(
      exits.portTaken,
      `Another program uses port ${taken}.`,
      `Choose another with ${option}, for example ${option} ${taken + 1}.`,
    );
  if (code === "EACCES")
    return new CommandFailed(
      exits.portTaken,
      `You don’t have permission to use port ${port}.`,
      "Choose a port above 1023 with --port.",
    );
  return error;
};
