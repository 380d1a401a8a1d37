import type { FastifyInstance, FastifyRequest } from "fastify";
import { StoreAway, StoreBusy, StoreSlow } from "../../postgres/database.ts";
import { takesFile } from "../files/file-routes.ts";
import { getNetwork } from "../limits/network.ts";
import { type EndTurn, Turns } from "../limits/turns.ts";
import type { LastKnownSessions } from "./speculative-session.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Ends the turn of a request in progress. */
    endTurn: EndTurn | null;
  }
  interface FastifyContextConfig {
    /** True for a long poll, which does not count as a request in progress. */
    readonly waits?: boolean;
    /** Set if a request may read many records. */
    readonly reads?: "many";
    /** Of a list: for each order that an index has, the field whose values the index finds in that order. */
    readonly axes?: ReadonlyMap<string, string>;
  }
}

/** Query parameters of a list that do not make it expensive. */
const CHEAP_PARAMETERS: ReadonlySet<string> = new Set(["limit", "after", "label", "may", "sort"]);

/** Fastify composes the options of the route anew each time they are read. */
type RouteOptions = FastifyRequest["routeOptions"];

const isLong = ({ config }: RouteOptions, query: unknown): boolean => {
  if (config?.action !== "list") return config?.reads === "many";
  const parameters = query as Readonly<Record<string, unknown>>;
  const axis = config.axes?.get(String(parameters.sort ?? ""));
  return Object.keys(parameters).some((key) => !CHEAP_PARAMETERS.has(key) && key !== axis);
};

/** True for a script or style sheet of the browser application. */
const isFile = (url: string): boolean => url.startsWith("/_/assets/");

/** Only calls take turns: pages and files come from the disk, and `/healthz` must always answer. */
const isCall = ({ url = "", config }: RouteOptions): boolean =>
  config?.waits !== true &&
  !takesFile(url) &&
  ((url.startsWith("/_/") && !isFile(url)) || url.startsWith("/api/") || config?.action !== undefined);

/** Waits for a turn of the request's client. A long read holds its turn until it ends. */
export type TurnOf = (request: FastifyRequest) => EndTurn | Promise<EndTurn>;

/** Gives each client its share of the server, from the moment a request was read until its response is ready. */
export const shareFairly = (
  app: FastifyInstance,
  lastKnownSessions: LastKnownSessions,
  tokenOf: (request: FastifyRequest) => string | undefined,
): TurnOf => {
  const turns = new Turns();
  app.decorateRequest("endTurn", null);
  // A token counts only after it was verified: otherwise one client could pose as many by inventing tokens.
  const getClient = (request: FastifyRequest): string => {
    const token = tokenOf(request);
    return (token === undefined ? undefined : lastKnownSessions.idOf(token)) ?? getNetwork(request.ip);
  };
  app.addHook("preHandler", (request, _, done) => {
    const { routeOptions } = request;
    if (!isCall(routeOptions)) return done();
    const begun = turns.begin(getClient(request), isLong(routeOptions, request.query));
    const begin = (end: EndTurn): void => {
      request.endTurn = end;
      done();
    };
    if (begun instanceof Promise) begun.then(begin, done);
    else begin(begun);
  });
  // While the database is unavailable, fail all who wait at once rather than one per second.
  app.addHook("onError", (_, __, error, done) => {
    const isAway = error instanceof StoreAway && !(error instanceof StoreBusy || error instanceof StoreSlow);
    if (isAway) turns.failAll(error);
    done();
  });
  app.addHook("onSend", (request, _, payload, done) => {
    request.endTurn?.();
    done(null, payload);
  });
  return (request) => turns.begin(getClient(request), true);
};
