import { constants } from "node:zlib";
import { negotiate } from "@fastify/accept-negotiator";
import compress from "@fastify/compress";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** Below this size in bytes, compression saves no packets. */
const MIN_BYTES = 4_096;

/** Bytes of a UTF-16 code unit in UTF-8, at most. */
const LONGEST_CHARACTER = 3;

/** Up to this size in bytes, a response is compressed in the event loop, because a stream would cost more. */
const MAX_SYNC_BYTES = 65_536;

/**
 * Compresses long text responses for clients that accept it. Register it before the routes: it applies to those that
 * follow. Streams are sent as they are. The build has compressed scripts and styles, and a stream that happens to begin
 * with the two bytes of a zlib header (a file that begins with "x^") would be labelled as compressed without being so.
 */
export const compressReplies = async (app: FastifyInstance): Promise<void> => {
  app.addHook("onSend", (request, _, payload, done) => {
    const { headers } = request;
    // Short texts are told apart here, because the package first examines the headers of the response.
    const isLong = typeof payload === "string" && payload.length >= MIN_BYTES / LONGEST_CHARACTER;
    if (!isLong || headers["accept-encoding"] === undefined) headers["x-no-compression"] = "1";
    done(null, payload);
  });
  await app.register(compress, {
    // Brotli only for clients without gzip: at an equal cost it saves nothing here (docs/evidence/compression.json).
    encodings: ["gzip", "br", "identity"],
    threshold: MIN_BYTES,
    syncThreshold: MAX_SYNC_BYTES,
    zlibOptions: { level: constants.Z_BEST_SPEED },
    // A compressed request could unpack to any size.
    globalDecompression: false,
  });
};

/** True if the client accepts gzip: `gzip`, `br, gzip;q=0.5`, but not `gzip;q=0`. */
export const acceptsGzip = (request: FastifyRequest): boolean =>
  negotiate(request.headers["accept-encoding"] ?? "", ["gzip"]) === "gzip";

/** Adds a name to the `Vary` header, which may already name others. */
export const addVary = (reply: FastifyReply, name: string): FastifyReply => {
  const known = [reply.getHeader("vary") ?? []].flat();
  return reply.header("vary", [...known, name].join(", "));
};
