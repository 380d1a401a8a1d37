import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SignInWay } from "../../core/wire/sign-ins.ts";
import type { Service } from "../execution/service.ts";
import type { OtherSites } from "../http/cors.ts";
import { cookieName, isForeign, isSecure, type Site, sessionIn } from "../http/origin.ts";
import type { Answers } from "../http/respond.ts";
import { MANAGES, TOKEN } from "../plan/write/account-change.ts";
import { forbid, Refused, refuse } from "../refusal.ts";
import { bearerIn, isOverrun, isPersonal, tokenQuery } from "./api-tokens.ts";
import { DEVICE_SECONDS, type Device, Devices } from "./devices.ts";
import { beginSession, doerOf, endSession, readSession, type SignedIn } from "./sessions.ts";
import type { SignInLog } from "./sign-in-log.ts";
import type { Bearers } from "./speculative-session.ts";

/** Who asks, and how they are let in and out. */
export interface Visitors {
  /** The session or the token for programs that a request bears; undefined where it bears none. */
  tokenOf(request: FastifyRequest): string | undefined;
  /** Who asks; null where nobody is signed in. Throws a refusal for a token that does not hold, or opens nothing here. */
  personOf(request: FastifyRequest): Promise<SignedIn | null>;
  /** Whose session a token is; null where it is none, or is over. */
  personBy(token: string): Promise<SignedIn | null>;
  /** Begins a session and answers its token. */
  begin(request: FastifyRequest, person: string, way: SignInWay): Promise<string>;
  /** Gives the browser the session's cookie. */
  remember(request: FastifyRequest, reply: FastifyReply, token: string): void;
  /** Gives the browser a cookie by which it is known as one of the person's. */
  rememberDevice(request: FastifyRequest, reply: FastifyReply, person: string): Promise<void>;
  /** Whose browser a request comes from; null where nobody has signed in there. */
  deviceOf(request: FastifyRequest): Promise<Device | null>;
  /** All of it, with nothing else to say. */
  admit(request: FastifyRequest, reply: FastifyReply, person: string, way: SignInWay): Promise<FastifyReply>;
  /** Ends the session that the request bears, and takes its cookie away. */
  dismiss(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The name of the session's cookie, once the server listens. */
  cookieName(): string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The id of the person who asks, once their session was read. */
    who: string | null;
  }
}

const isReading = ({ method }: FastifyRequest): boolean => method === "GET" || method === "HEAD";

interface Whence {
  readonly service: Service;
  readonly clock: () => Date;
  readonly site: Site;
  /** The port that the server was told; the one that it listens on may be another. */
  readonly port: number;
  readonly others: OtherSites;
  readonly bearers: Bearers;
  readonly tongueIn: Answers["tongueIn"];
  readonly signIns: SignInLog;
}

export const visitorsOf = (
  app: FastifyInstance,
  { service, clock, site, port, others, bearers, tongueIn, signIns }: Whence,
): Visitors => {
  const { database, model } = service;
  const { sessionHours, signInAttempts } = model.limits;

  let known: string | undefined;
  const nameOfCookie = (): string => {
    if (known !== undefined) return known;
    const address = app.server.address();
    if (typeof address !== "object" || address === null) return cookieName(site, port);
    known = cookieName(site, address.port);
    return known;
  };
  /** A cookie as a header says it: the session's, unless another is named. One that lives for no second is taken away. */
  const cookieOf = (request: FastifyRequest, value: string, seconds: number, name = nameOfCookie()): string =>
    stringifySetCookie({
      name,
      value,
      httpOnly: true,
      sameSite: "lax",
      secure: isSecure(site, request),
      path: "/",
      maxAge: seconds,
    });

  const { scheme = "Bearer" } = model.callSettings.token ?? {};
  const borneBy = ({ headers: { authorization = "" } }: FastifyRequest): string | undefined => {
    const [, word, token] = /^(\S+) +(\S+)$/u.exec(authorization) ?? [];
    return word?.toLowerCase() === scheme.toLowerCase() ? token : undefined;
  };
  const tokenOf = (request: FastifyRequest): string | undefined => {
    const borne = borneBy(request);
    const given = request.headers.cookie;
    if (borne !== undefined || given === undefined || (isForeign(site, request) && others.admits(request)))
      return borne;
    return sessionIn(site, parseCookie(given), nameOfCookie());
  };

  /** Who bears a token for programs. It opens the document's calls, and nothing by which people are managed. */
  const bearerOf = async (request: FastifyRequest, token: string): Promise<SignedIn> => {
    // By the route, and not by the address: that can be written in more than one way.
    const bearer = (request.routeOptions.url ?? "/_/").startsWith("/_/")
      ? null
      : bearerIn(model, (await database.query(tokenQuery(token, clock())))[0]);
    if (bearer === null) {
      const overrun = await isOverrun(database, request.ip, signInAttempts, clock());
      throw new Refused(overrun ? refuse("TOO_MANY_ATTEMPTS", "9.sign_in_attempts") : refuse("NOT_SIGNED_IN", TOKEN));
    }
    request.who = bearer.id;
    bearers.sawProgram(token, bearer.id);
    if (bearer.reads && !isReading(request)) throw new Refused(forbid(TOKEN, tongueIn(request).sentences.onlyReads));
    return bearer;
  };
  const personBy = (token: string) => readSession(database, token, clock());
  const personOf = async (request: FastifyRequest): Promise<SignedIn | null> => {
    const token = tokenOf(request);
    if (token !== undefined && isPersonal(token)) return bearerOf(request, token);
    const person = token === undefined ? null : await personBy(token);
    if (token !== undefined) bearers.saw(token, person);
    request.who = person === null ? null : doerOf(person);
    if (person !== null && person.looker !== null && !isReading(request))
      throw new Refused(forbid(MANAGES, tongueIn(request).sentences.onlyLooking(person.name)));
    return person;
  };

  const begin: Visitors["begin"] = (request, person, way) => {
    signIns.add(request, { way, person, refused: null }, clock());
    const whence = { agent: request.headers["user-agent"] ?? "", address: request.ip };
    return beginSession(database, person, sessionHours, clock(), whence);
  };
  const remember = (request: FastifyRequest, reply: FastifyReply, token: string): void =>
    void reply.header("set-cookie", cookieOf(request, token, sessionHours * 3600));
  const devices = new Devices(database);
  const nameOfDevice = (): string => nameOfCookie().replace("session", "device");
  const deviceOf = (request: FastifyRequest): Promise<Device | null> => devices.find(request, nameOfDevice());
  const rememberDevice: Visitors["rememberDevice"] = async (request, reply, person) => {
    const value = await devices.sign(person);
    reply.header("set-cookie", cookieOf(request, value, DEVICE_SECONDS, nameOfDevice()));
  };
  const admit: Visitors["admit"] = async (request, reply, person, way) => {
    remember(request, reply, await begin(request, person, way));
    await rememberDevice(request, reply, person);
    return reply.code(204).send();
  };
  const dismiss = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = tokenOf(request);
    if (token !== undefined) await endSession(database, token);
    reply.header("set-cookie", cookieOf(request, "", 0));
  };

  app.decorateRequest("who", null);
  return {
    tokenOf,
    personOf,
    personBy,
    begin,
    remember,
    rememberDevice,
    deviceOf,
    admit,
    dismiss,
    cookieName: nameOfCookie,
  };
};
