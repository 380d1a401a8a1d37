import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { isWithin, type JsonSize, sizeOfJson } from "../../core/wire/json-bounds.ts";
import { Refused, refuse } from "../refusal.ts";
import { createSerializer } from "../util/serializer.ts";

/** Maximum size of a request body in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Limits of a body. Records with their parts need four levels, `json` fields a few more. */
const MAX_JSON: JsonSize = { depth: 100, values: 100_000, names: 20_000 };

/** Limits for clients that are not signed in, and for parsing without a turn, which takes three milliseconds. */
const MAX_ANONYMOUS_JSON: JsonSize = { depth: 100, values: 20_000, names: 4_000 };

export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** JSON must be UTF-8 (RFC 8259); anything else is refused, not repaired. */
const decode = (body: Buffer): string => {
  try {
    return utf8.decode(body);
  } catch (cause) {
    throw Object.assign(new Error("the body is not UTF-8", { cause }), { statusCode: 400 });
  }
};

const FORM = "application/x-www-form-urlencoded";

/** True if the body of a request is an HTML form. */
export const isForm = ({ headers }: FastifyRequest): boolean =>
  headers["content-type"]?.split(";")[0]?.trim().toLowerCase() === FORM;

/** Maximum number of values in a form. */
const MAX_FORM_VALUES = 1_000;

/** The names and texts of a form. A name with several texts has a list. */
const parseForm = (text: string): Readonly<Record<string, string | readonly string[]>> => {
  const params = new URLSearchParams(text);
  if (params.size > MAX_FORM_VALUES) throw new Refused(refuse("TOO_MUCH"));
  const names = [...new Set(params.keys())];
  if (names.includes("__proto__")) throw new Refused(refuse("MALFORMED"));
  return Object.fromEntries(
    names.map((name) => {
      const [first = "", ...more] = params.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
};

/**
 * Accepts JSON bodies only. Values are counted before parsing: a client that is not signed in may send only a few, and
 * large bodies take turns on the event loop.
 */
export const readJsonAlone = (
  app: FastifyInstance,
  isSignedIn: (request: FastifyRequest) => Promise<boolean>,
): void => {
  const parse = app.getDefaultJsonParser("error", "error");
  const serialize = createSerializer();
  const parseBody = (request: FastifyRequest, body: Buffer): Promise<unknown> =>
    new Promise((resolve, reject) => {
      parse(request, decode(body), (error, value) => (error === null ? resolve(value) : reject(error)));
    });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (request: FastifyRequest, body: Buffer): Promise<unknown> => {
      // Many clients send the JSON content type even without a body.
      if (body.length === 0) return undefined;
      const size = sizeOfJson(body);
      const isSmall = isWithin(size, MAX_ANONYMOUS_JSON);
      if (!isWithin(size, MAX_JSON) || !(isSmall || (await isSignedIn(request)))) throw new Refused(refuse("TOO_MUCH"));
      if (!isSmall) await serialize(() => nextTurn());
      return parseBody(request, body);
    },
  );
};

/** Accepts forms too, in the routes of a scope. Elsewhere, a file can have this type. */
export const acceptForms = (scope: FastifyInstance): void => {
  scope.addContentTypeParser(FORM, { parseAs: "buffer" }, (_: FastifyRequest, body: Buffer) =>
    Promise.resolve(parseForm(decode(body))),
  );
};
