import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BlockList, isIPv6 } from "node:net";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { type Logger, pino } from "pino";

/** Lines of JSON on the error output. Bodies, cookies, queries and passwords are never written; an error is, with its cause. */
export const makeLog = (): Logger =>
  pino(
    { level: process.env.NINEFOLD_LOG ?? "warn", base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );

const HEADER = "x-request-id";

/**
 * Answers a request's id: the one that a trusted proxy gave it, else a new one. Logs, refusals and problems bear it, so
 * a client may not choose it.
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
    const given = headers[HEADER];
    const isTrusted = proxies.length > 0 && trusted.check(remoteAddress, isIPv6(remoteAddress) ? "ipv6" : "ipv4");
    return isTrusted && typeof given === "string" && /^[\w.:-]{1,100}$/u.test(given) ? given : randomUUID();
  };
};

/** Answers with the request's id, and at the level `info` writes a line for each request: what, how it went, how long it took. */
export const logRequests = (app: FastifyInstance, log: FastifyBaseLogger): void => {
  app.addHook("onRequest", (request, reply, done) => {
    reply.header(HEADER, request.id);
    done();
  });
  if (!["trace", "debug", "info"].includes(log.level)) return;
  app.addHook("onResponse", (request, reply, done) => {
    request.log.info(
      {
        method: request.method,
        // The path alone: what is searched for is nobody's business.
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
