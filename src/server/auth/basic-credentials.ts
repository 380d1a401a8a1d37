import { createHmac, randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import type { Database } from "../../postgres/database.ts";
import type { Service } from "../execution/service.ts";
import { isPlatformRoute } from "../http/origin.ts";
import { type Refusal, Refused, refuse } from "../refusal.ts";
import { checkPassword, findCredential } from "./password-sign-in.ts";
import { readPerson, type SignedIn } from "./sessions.ts";
import { type SignInLog, signInLine } from "./sign-in-log.ts";

/** Credentials of a person that a program sends with each request (RFC 7617). */
interface BasicCredentials {
  readonly account: string;
  readonly password: string;
}

/** Decodes `Authorization: Basic …`. Undefined for any other header. */
const decodeBasic = (header: string | undefined): BasicCredentials | undefined => {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=_-]{1,2000})$/iu.exec(header ?? "") ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  const isReadable = colon !== -1 && text.length <= 1_000 && !text.includes("\0");
  return isReadable
    ? { account: text.slice(0, colon), password: text.slice(colon + 1) }
    : { account: "", password: "" };
};

/** Maximum number of passwords remembered; the least recently used are forgotten first. */
const MAX_KNOWN = 1_000;

/**
 * Checks the credentials of each request. Hashing a password takes long on purpose, so a password that matched a stored hash
 * is remembered with it, as a digest under a key of this process. The hash is read with each request: a new password, or an
 * account that was closed, counts at once.
 */
class BasicCheck {
  readonly #key = randomBytes(32);
  readonly #known = new LRUCache<string, true>({ max: MAX_KNOWN });

  /** The id of the person, or the refusal. */
  async findPerson(
    database: Database,
    credentials: Parameters<typeof checkPassword>[1],
    most: number,
    now: Date,
  ): Promise<string | Refusal> {
    const found = await findCredential(database, credentials);
    const digest = found === undefined ? undefined : this.#digest(found.hash, credentials.password);
    if (found !== undefined && digest !== undefined && this.#known.has(digest)) return found.person;
    const person = await checkPassword(database, credentials, most, now);
    if (typeof person === "string" && digest !== undefined) this.#known.set(digest, true);
    return person;
  }

  #digest(hash: string, password: string): string {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([hash, password]))
      .digest("base64");
  }
}

interface BasicSource {
  readonly service: Service;
  readonly clock: () => Date;
  readonly signIns: SignInLog;
}

/**
 * Reads the person whose credentials a request has, if the document lets programs send them; null for none. Throws a refusal
 * for wrong ones. A request is checked once.
 */
export const createBasicReader = ({ service, clock, signIns }: BasicSource) => {
  const { database, model } = service;
  const passwords = new BasicCheck();
  const checked = new WeakMap<FastifyRequest, Promise<SignedIn | null>>();
  const check = async (request: FastifyRequest, { account, password }: BasicCredentials): Promise<SignedIn> => {
    const by = account.includes("@") ? "email" : (model.signIn.by ?? "email");
    const credentials = { by, account, password, address: request.ip, device: null };
    const found = await passwords.findPerson(database, credentials, model.limits.signInAttempts, clock());
    const person = typeof found === "string" ? await readPerson(service, found, clock()) : null;
    if (person !== null) return person;
    const refusal = typeof found === "string" ? refuse("BAD_CREDENTIALS", "7.sign in") : found;
    signIns.add(signInLine(request, { way: "password", person: null, account, refused: refusal.code }, clock()));
    throw new Refused(refusal);
  };
  return (request: FastifyRequest): Promise<SignedIn | null> => {
    if (!model.signIn.basic || isPlatformRoute(request.routeOptions.url)) return Promise.resolve(null);
    const known = checked.get(request);
    if (known !== undefined) return known;
    const sent = decodeBasic(request.headers.authorization);
    const person = sent === undefined ? Promise.resolve(null) : check(request, sent);
    checked.set(request, person);
    return person;
  };
};
