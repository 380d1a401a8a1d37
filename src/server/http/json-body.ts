import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isWithin, type JsonSize, sizeOfJson } from "../../core/wire/json-bounds.ts";
import { Refused, refuse } from "../refusal.ts";

/** Requests larger than this, in bytes, are no records. */
export const LARGEST_BODY = 1024 * 1024;

/** The largest body. Records and their parts need four levels, a field of the type `json` a few more. */
const LARGEST: JsonSize = { depth: 100, values: 100_000, names: 20_000 };

/** The largest from a client that is not signed in, and the largest that is parsed at once: it takes three milliseconds. */
const SMALL: JsonSize = { depth: 100, values: 20_000, names: 4_000 };

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

/**
 * Reads bodies as JSON and refuses every other type. The values are counted before they are parsed: a client that is not
 * signed in may send few, and a large body of somebody who is has a turn of the event loop to itself.
 */
export const readJsonAlone = (
  app: FastifyInstance,
  isSignedIn: (request: FastifyRequest) => Promise<boolean>,
): void => {
  const parse = app.getDefaultJsonParser("error", "error");
  let last: Promise<unknown> = Promise.resolve();
  const ownTurn = (): Promise<unknown> => {
    last = last.then(() => nextTurn());
    return last;
  };
  const parsed = (request: FastifyRequest, body: Buffer): Promise<unknown> =>
    new Promise((resolve, reject) => {
      parse(request, decode(body), (error, value) => (error === null ? resolve(value) : reject(error)));
    });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
      // Many clients announce JSON whether they send any or not.
      if (body.length === 0) return undefined;
      const size = sizeOfJson(body);
      const isSmall = isWithin(size, SMALL);
      if (!isWithin(size, LARGEST) || !(isSmall || (await isSignedIn(request)))) throw new Refused(refuse("TOO_MUCH"));
      if (!isSmall) await ownTurn();
      return parsed(request, body);
    },
  );
};
