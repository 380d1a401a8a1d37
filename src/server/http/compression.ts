import { constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

/** Less than this fits into the packets that are sent anyway. */
const WORTHWHILE = 4_096;

/**
 * Sends a long text in fewer bytes to whoever takes it so: of a list over a slow way most of the time is its way. It is
 * done beside the event loop, and quickly rather than well. Scripts and sheets come compressed from the build.
 */
export const compressReplies = (app: FastifyInstance): void => {
  app.addHook("onSend", (request, reply, payload, done) => {
    const taken = request.headers["accept-encoding"];
    if (typeof payload !== "string" || payload.length < WORTHWHILE || !taken?.includes("gzip")) {
      done(null, payload);
      return;
    }
    gzip(payload, { level: constants.Z_BEST_SPEED }, (error, bytes) => {
      if (error === null) {
        reply.header("content-encoding", "gzip").header("vary", "accept-encoding").removeHeader("content-length");
        done(null, bytes);
      } else done(error);
    });
  });
};
