import { parseCookie } from "cookie";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SignInWay } from "../../core/wire/accounts/sign-ins.ts";
import type { Service } from "../execution/service.ts";
import type { OtherSites } from "../http/cors.ts";
import { isPlatformRoute, type Site } from "../http/origin.ts";
import type { Responder } from "../http/respond.ts";
import { MANAGES_CLAUSE, TOKEN_CLAUSE } from "../plan/write/account-change.ts";
import { forbid, Refused, refuse } from "../refusal.ts";
import { buildTokenQuery, countInvalidToken, decodeBearer, isPersonal } from "./api-tokens.ts";
import { createBasicReader } from "./basic-credentials.ts";
import { DEVICE_SECONDS, type Device, Devices } from "./devices.ts";
import { SessionCookies } from "./session-cookies.ts";
import {
  beginSession,
  endSession,
  getResponsibleId,
  readSession,
  renewSession,
  type SessionOrigin,
  type SignedIn,
} from "./sessions.ts";
import { type SignInLog, signInLine } from "./sign-in-log.ts";
import type { LastKnownSessions } from "./speculative-session.ts";
import { createTokenReader } from "./token-reader.ts";

/** Authentication of requests, and sessions. */
export interface Authenticator {
  /** The session or API token of a request; undefined if it has none. */
  readToken(request: FastifyRequest): string | undefined;
  /** The session or API token in the `Authorization` header; undefined for a cookie, which pages must not read. */
  readHeaderToken(request: FastifyRequest): string | undefined;
  /**
   * The signed-in user; null if nobody is signed in. Throws a refusal for an API token that is invalid or not accepted
   * by the route.
   */
  authenticate(request: FastifyRequest): Promise<SignedIn | null>;
  /** The owner of a session token; null if it is invalid or expired. */
  personBy(token: string): Promise<SignedIn | null>;
  /** Starts a session and returns its token. */
  begin(request: FastifyRequest, person: string, way: SignInWay): Promise<string>;
  /** Replaces the session of a request by another of its person. Undefined for an API token, or a session that has ended. */
  renew(request: FastifyRequest): Promise<{ readonly token: string; readonly person: string } | undefined>;
  /** Sets the session cookie. */
  setSessionCookie(request: FastifyRequest, reply: FastifyReply, token: string): void;
  /** Sets a cookie that marks the browser as one of the person's devices. */
  setDeviceCookie(request: FastifyRequest, reply: FastifyReply, person: string): Promise<void>;
  /** The device of a request; null if nobody has signed in there before. */
  findDevice(request: FastifyRequest): Promise<Device | null>;
  /** Signs a person in and completes the response. */
  completeSignIn(request: FastifyRequest, reply: FastifyReply, person: string, way: SignInWay): Promise<FastifyReply>;
  /** Ends the session of a request and deletes its cookie. */
  signOut(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The sealed position that a request sends back (`read-positions.ts`); undefined without one. */
  readPosition(request: FastifyRequest): string | undefined;
  /** Gives the client a sealed position: in a header, and in a cookie unless it is a program. */
  setPosition(request: FastifyRequest, reply: FastifyReply, sealed: string): void;
  /** Name of the session cookie; known once the server is listening. */
  cookieName(): string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The session or API token, once it was looked for; undefined if there is none, null before. */
    token: string | undefined | null;
    /** Id of the user, once the session has been read. */
    who: string | null;
  }
}

/** The header of sealed positions, in requests and responses. */
const POSITION_HEADER = "ninefold-position";

/** Seconds for which a browser returns a position: much longer than a standby may lag. */
const POSITION_SECONDS = 60;

const isReading = ({ method }: FastifyRequest): boolean => method === "GET" || method === "HEAD";

interface BearerSource {
  readonly service: Service;
  readonly clock: () => Date;
  readonly site: Site;
  /** The configured port; with 0, the actual port differs. */
  readonly port: number;
  readonly others: OtherSites;
  readonly lastKnownSessions: LastKnownSessions;
  readonly phrasesFor: Responder["phrasesFor"];
  readonly signIns: SignInLog;
}

export const createAuthenticator = (
  app: FastifyInstance,
  { service, clock, site, port, others, lastKnownSessions, phrasesFor, signIns }: BearerSource,
): Authenticator => {
  const { database, model } = service;
  const { sessionHours, signInAttempts } = model.limits;

  const cookies = new SessionCookies(app, site, port);
  const { findToken, readHeaderToken } = createTokenReader(model, site, others, cookies);

  const readToken = (request: FastifyRequest): string | undefined => {
    if (request.token === null) request.token = findToken(request);
    return request.token;
  };

  /** The owner of an API token. Tokens are accepted by the document's calls, but not for managing people. */
  const bearerOf = async (request: FastifyRequest, token: string): Promise<SignedIn> => {
    // Decided by the route, because an address can be written in several ways.
    const bearer = isPlatformRoute(request.routeOptions.url)
      ? null
      : decodeBearer(model, (await database.query(buildTokenQuery(token, clock())))[0]);
    if (bearer === null) {
      const isOverLimit = await countInvalidToken(database, request.ip, signInAttempts, clock());
      throw new Refused(
        isOverLimit ? refuse("TOO_MANY_ATTEMPTS", "9.sign_in_attempts") : refuse("NOT_SIGNED_IN", TOKEN_CLAUSE),
      );
    }
    request.who = bearer.id;
    lastKnownSessions.sawProgram(token, bearer.id);
    if (bearer.reads && !isReading(request))
      throw new Refused(forbid(TOKEN_CLAUSE, phrasesFor(request).sentences.onlyReads));
    return bearer;
  };
  const findBasic = createBasicReader({ service, clock, signIns });
  const personBy = (token: string) => readSession(service, token, clock());
  const authenticate = async (request: FastifyRequest): Promise<SignedIn | null> => {
    const token = readToken(request);
    if (token !== undefined && isPersonal(token)) return bearerOf(request, token);
    const person = token === undefined ? await findBasic(request) : await personBy(token);
    if (token !== undefined) lastKnownSessions.saw(token, person);
    request.who = person === null ? null : getResponsibleId(person);
    if (person !== null && person.impersonator !== null && !isReading(request))
      throw new Refused(forbid(MANAGES_CLAUSE, phrasesFor(request).sentences.onlyLooking(person.name)));
    return person;
  };

  const findSessionOrigin = (request: FastifyRequest): SessionOrigin => ({
    agent: request.headers["user-agent"] ?? "",
    address: request.ip,
  });
  const begin: Authenticator["begin"] = (request, person, way) => {
    signIns.add(signInLine(request, { way, person, refused: null }, clock()));
    return beginSession(database, person, sessionHours, clock(), findSessionOrigin(request));
  };
  const renew: Authenticator["renew"] = async (request) => {
    const token = readToken(request);
    if (token === undefined || isPersonal(token)) return undefined;
    return renewSession(database, token, sessionHours, clock(), findSessionOrigin(request));
  };
  const ownCookie = model.callSettings.token?.cookie ?? null;
  /** A call of the document uses the cookie that the document names. */
  const findCookieName = ({ routeOptions: { config } }: FastifyRequest): string =>
    config?.call === undefined || ownCookie === null ? cookies.name : ownCookie;
  const setSessionCookie: Authenticator["setSessionCookie"] = (request, reply, token) =>
    void reply.header("set-cookie", cookies.create(request, findCookieName(request), token, sessionHours * 3600));
  const devices = new Devices(database);
  const setDeviceCookie: Authenticator["setDeviceCookie"] = async (request, reply, person) => {
    const value = await devices.sign(person);
    reply.header("set-cookie", cookies.create(request, cookies.deviceName, value, DEVICE_SECONDS));
  };
  const readPosition: Authenticator["readPosition"] = ({ headers }) => {
    const sent = headers[POSITION_HEADER];
    if (typeof sent === "string") return sent;
    return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[cookies.positionName];
  };
  const setPosition: Authenticator["setPosition"] = (request, reply, sealed) => {
    reply.header(POSITION_HEADER, sealed);
    if (readHeaderToken(request) === undefined && !others.admits(request))
      reply.header("set-cookie", cookies.create(request, cookies.positionName, sealed, POSITION_SECONDS));
  };
  const completeSignIn: Authenticator["completeSignIn"] = async (request, reply, person, way) => {
    setSessionCookie(request, reply, await begin(request, person, way));
    await setDeviceCookie(request, reply, person);
    return reply.code(204).send();
  };
  const signOut: Authenticator["signOut"] = async (request, reply) => {
    const token = readToken(request);
    if (token !== undefined) await endSession(database, token);
    const names = new Set([cookies.name, findCookieName(request)]);
    for (const name of names) reply.header("set-cookie", cookies.create(request, name, "", 0));
  };

  app.decorateRequest("token", null);
  app.decorateRequest("who", null);
  return {
    readToken,
    readHeaderToken,
    authenticate,
    personBy,
    begin,
    renew,
    setSessionCookie,
    setDeviceCookie,
    findDevice: (request) => devices.find(request, cookies.deviceName),
    completeSignIn,
    signOut,
    readPosition,
    setPosition,
    cookieName: () => cookies.name,
  };
};
