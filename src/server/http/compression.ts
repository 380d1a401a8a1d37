import { constants, gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

/** Below this size in bytes, compression saves no packets. */
const WORTHWHILE = 4_096;

/**
 * Compresses long text responses on request, which matters for lists over slow networks. It runs outside the event
 * loop, at a fast compression level. Scripts and styles are compressed by the build.
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
