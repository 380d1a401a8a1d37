import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Requests larger than this, in bytes, are no records. */
export const LARGEST_BODY = 1024 * 1024;

/** How long a body that nobody wants may still come, in milliseconds. */
const LONGEST_PASSING = 10_000;

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

/** Lets the rest of a body go by unread: a client that is cut off while it sends never sees the answer. */
export const passedBy = (body: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    const patience = setTimeout(resolve, LONGEST_PASSING);
    const done = () => {
      clearTimeout(patience);
      resolve();
    };
    body.once("end", done).once("close", done).resume();
  });

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** JSON is UTF-8 (RFC 8259); what is not is refused rather than mended. */
const decode = (body: Buffer): string => {
  try {
    return utf8.decode(body);
  } catch (cause) {
    throw Object.assign(new Error("the body is not UTF-8", { cause }), { statusCode: 400 });
  }
};

/** Bodies are JSON, and nothing else is read. */
export const readJsonAlone = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request: FastifyRequest, body: Buffer, done) => {
    // Many clients announce JSON whether they send any or not.
    if (body.length === 0) return done(null, undefined);
    try {
      parse(request, decode(body), done);
    } catch (error) {
      done(error as Error);
    }
  });
};
