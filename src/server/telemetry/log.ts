import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { type Logger, pino } from "pino";
import { toLogSentence } from "./log-sentence.ts";

/** True if the log is for a reader: standard error is a terminal, and nobody set a level for programs that read the log. */
export const isLogForReader = (): boolean => process.stderr.isTTY === true && (process.env.NINEFOLD_LOG ?? "") === "";

/**
 * JSON lines on standard error; sentences on a terminal. Bodies, cookies, query strings and passwords are never logged;
 * errors are, with their cause.
 */
export const createLog = (): Logger =>
  pino(
    { level: process.env.NINEFOLD_LOG ?? "warn", base: null, timestamp: pino.stdTimeFunctions.isoTime },
    isLogForReader()
      ? { write: (line: string) => void process.stderr.write(toLogSentence(line)) }
      : pino.destination({ fd: 2, sync: true }),
  );

const HEADER = "x-request-id";

/** A line of the log: an object, a text, or both. */
type Line = Parameters<FastifyBaseLogger["info"]>;

/**
 * A logger whose lines have the id of their request. It makes pino's own with the first line, because most requests write
 * none, and to make one takes pino two microseconds.
 */
class RequestLog {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Record<string, unknown>;
  #own: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, bindings: Record<string, unknown>) {
    this.#parent = parent;
    this.#bindings = bindings;
  }

  get #log(): FastifyBaseLogger {
    this.#own ??= this.#parent.child(this.#bindings);
    return this.#own;
  }

  get level(): string {
    return this.#parent.level;
  }

  fatal(...line: Line): void {
    this.#log.fatal(...line);
  }
  error(...line: Line): void {
    this.#log.error(...line);
  }
  warn(...line: Line): void {
    this.#log.warn(...line);
  }
  info(...line: Line): void {
    this.#log.info(...line);
  }
  debug(...line: Line): void {
    this.#log.debug(...line);
  }
  trace(...line: Line): void {
    this.#log.trace(...line);
  }
  silent(...line: Line): void {
    this.#log.silent(...line);
  }
  child(...of: Parameters<FastifyBaseLogger["child"]>): FastifyBaseLogger {
    return this.#log.child(...of);
  }
}

/** Makes the logger of a request, for Fastify. */
export const createRequestLog = (parent: FastifyBaseLogger, bindings: Record<string, unknown>): FastifyBaseLogger =>
  new RequestLog(parent, bindings);

/**
 * Returns the request id given by a trusted proxy, or a new one. It appears in logs and error responses, so clients may
 * not choose it.
 */
export const requestIds = (proxies: readonly string[]): ((request: IncomingMessage) => string) => {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  return ({ headers, socket: { remoteAddress = "" } }) => {
    const sent = headers[HEADER];
    const isTrusted = proxies.length > 0 && trusted.check(remoteAddress, isIPv6(remoteAddress) ? "ipv6" : "ipv4");
    return isTrusted && typeof sent === "string" && /^[\w.:-]{1,100}$/u.test(sent) ? sent : randomUUID();
  };
};

/** Returns the request id in each response and, at level `info`, logs each request with its status and duration. */
export const logRequests = (app: FastifyInstance, log: FastifyBaseLogger): void => {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header(HEADER, request.id);
    done();
  });
  if (!["trace", "debug", "info"].includes(log.level)) return;
  app.addHook("onResponse", (request, reply, done) => {
    if (request.isRepeated) return done();
    request.log.info(
      {
        method: request.method,
        // The path without the query, which may contain search terms.
        path: request.url.split("?")[0],
        route: request.routeOptions.url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        person: request.who,
      },
      "request",
    );
    done();
  });
};
