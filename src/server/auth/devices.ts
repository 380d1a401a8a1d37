import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { parseCookie } from "cookie";
import type { FastifyRequest } from "fastify";
import type { Database } from "../../postgres/database.ts";
import { readSecret } from "../util/text-seal.ts";

/** A browser in which somebody has signed in before. */
export interface Device {
  readonly person: string;
  /** Random, for each sign-in. */
  readonly nonce: string;
}

/** One year in seconds. */
export const DEVICE_SECONDS = 365 * 86_400;

const VALUE = /^([0-9a-f-]{36})\.([\w-]{22})\.([\w-]{43})$/u;

/**
 * Device cookies (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies): a browser in
 * which somebody has signed in holds a signed value that names them. Sign-in attempts with it are counted separately,
 * so strangers who guess at the account cannot lock its owner out. It grants no access.
 */
export class Devices {
  readonly #database: Database;
  #secret: Promise<Buffer> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A new cookie value for a person. */
  async sign(person: string): Promise<string> {
    const nonce = randomBytes(16).toString("base64url");
    return `${person}.${nonce}.${(await this.#signature(person, nonce)).toString("base64url")}`;
  }

  /** The device of a request; null without a valid cookie. */
  async find({ headers: { cookie = "" } }: FastifyRequest, name: string): Promise<Device | null> {
    const [, person, nonce, signature] = VALUE.exec(parseCookie(cookie)[name] ?? "") ?? [];
    if (person === undefined || nonce === undefined || signature === undefined) return null;
    const actual = Buffer.from(signature, "base64url");
    const expected = await this.#signature(person, nonce);
    return actual.length === expected.length && timingSafeEqual(actual, expected) ? { person, nonce } : null;
  }

  async #signature(person: string, nonce: string): Promise<Buffer> {
    // After an error, the next request tries again.
    this.#secret ??= readSecret(this.#database).catch((error: unknown) => {
      this.#secret = undefined;
      throw error;
    });
    const secret = await this.#secret;
    return createHmac("sha256", secret).update(`device ${person} ${nonce}`).digest();
  }
}
