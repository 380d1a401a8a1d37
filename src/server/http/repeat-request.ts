import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { StoreRefusal } from "../../postgres/database.ts";
import { hasWrittenNothing } from "../execution/execute.ts";
import { hasBody } from "./json-body.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** True if the call honours idempotency keys. */
    readonly isKeyed?: boolean;
  }
  interface FastifyRequest {
    /** True if another application answered the request, which then counts and logs it. */
    isRepeated: boolean;
  }
}

/**
 * Waits for the application of a version newer than the caller's to be live on this server. Undefined if the database
 * has no newer version. Throws `VersionBehind` if that takes too long.
 */
export type FindNewer = () => Promise<FastifyInstance | undefined>;

/** Thrown if another server has published a version that is not live on this server yet. Nothing was done. */
export class VersionBehind extends Error {
  override readonly name = "VersionBehind";
  constructor() {
    super("A newer version of the specification is not live on this server yet.");
  }
}

const CONSTRAINT_VIOLATED = /^23/u;
/** SQLSTATE class of unknown tables and columns, among others. */
const STATEMENT_INVALID = /^42/u;

/**
 * True if a newer version in the database can have caused the error, and the request can be repeated. A violated
 * constraint wrote nothing. An invalid statement can follow a write, which must not happen twice: a POST
 * without an idempotency key is repeated only if none of its transactions was complete.
 */
export const canRepeat = (error: unknown, request: FastifyRequest): boolean => {
  if (!(error instanceof StoreRefusal)) return false;
  const { method, headers, body } = request;
  // The body of an upload can be read only once.
  if (hasBody(request) && body === undefined) return false;
  if (CONSTRAINT_VIOLATED.test(error.code)) return true;
  if (!STATEMENT_INVALID.test(error.code)) return false;
  return (
    method !== "POST" || (headers["idempotency-key"] !== undefined && honoursKey(request)) || hasWrittenNothing(error)
  );
};

/** True for a creation or a transition. Calls of several steps ignore idempotency keys. */
const honoursKey = ({ routeOptions }: FastifyRequest): boolean => {
  const { call, isKeyed } = routeOptions.config;
  if (call === undefined) return isKeyed === true;
  if (call.does.kind !== "steps" || call.does.steps.length !== 1) return false;
  const kind = call.does.steps[0]?.does.kind;
  return kind === "create" || kind === "transition";
};

/** Headers that describe the transport of a message rather than its content. */
const OF_TRANSPORT: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "date",
  "expect",
  "keep-alive",
  "transfer-encoding",
]);

const withoutTransport = <T>(headers: Readonly<Record<string, T>>): Record<string, NonNullable<T>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || value === null || OF_TRANSPORT.has(name) ? [] : [[name, value]],
    ),
  );

/** Answers a request with the response of another application. */
export const repeatUnder = async (
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const answer = await app.inject({
    method: request.method as "POST",
    url: request.raw.url ?? request.url,
    headers: withoutTransport(request.headers),
    remoteAddress: request.socket.remoteAddress ?? "",
    ...(hasBody(request) ? { payload: JSON.stringify(request.body) } : {}),
  });
  request.isRepeated = true;
  void reply.code(answer.statusCode).headers(withoutTransport(answer.headers));
  return answer.rawPayload.length === 0 ? reply.send() : reply.send(answer.rawPayload);
};
