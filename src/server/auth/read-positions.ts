import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Database, LogPosition } from "../../postgres/database.ts";
import type { ReadAfter } from "../execution/read.ts";
import type { Authenticator } from "./authenticate.ts";
import { readSecret } from "./devices.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** True if the response may be about newer data than what a standby has, so that later reads must include it. */
    isAhead: boolean;
  }
}

/** A position that no standby reaches. */
const NEVER: LogPosition = (1n << 64n) - 1n;

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^[\w-]{48}$/u;

/**
 * Encrypts positions for clients: a readable one would show how much other people write. Anybody may send back what they
 * were given; a later position only means that the primary answers.
 */
export class PositionSeal {
  readonly #key: Buffer;

  constructor(secret: Buffer) {
    this.#key = createHmac("sha256", secret).update("read position").digest();
  }

  seal(position: LogPosition): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, iv);
    const plain = Buffer.alloc(8);
    plain.writeBigUInt64BE(position);
    return Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString("base64url");
  }

  /** Undefined for a text that is not from `seal`. */
  open(text: string): LogPosition | undefined {
    if (!SEALED.test(text)) return undefined;
    const bytes = Buffer.from(text, "base64url");
    const decipher = createDecipheriv(CIPHER, this.#key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const plain = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
      return plain.readBigUInt64BE();
    } catch {
      return undefined;
    }
  }
}

/** True for a request that may have written something. */
const mayWrite = ({ method }: FastifyRequest): boolean => !["GET", "HEAD", "OPTIONS"].includes(method);

/**
 * Gives each response to a write the position behind it, in a header for programs and in a cookie for browsers, and
 * returns a function that finds the position in a later request. Any server can then read from any standby, and the
 * reader still sees their own writes. Without standbys, nothing is added.
 */
export const followPositions = async (
  app: FastifyInstance,
  { standbys, ...database }: Database,
  { readPosition, setPosition }: Pick<Authenticator, "readPosition" | "setPosition">,
): Promise<(request: FastifyRequest) => ReadAfter> => {
  app.decorateRequest("isAhead", false);
  if (standbys === undefined) return () => undefined;
  const seal = new PositionSeal(await readSecret(database));
  app.addHook("onSend", async (request, reply) => {
    if (reply.statusCode >= 400 || !(request.isAhead || mayWrite(request))) return;
    const position = await standbys.position().catch(() => NEVER);
    setPosition(request, reply, seal.seal(position));
  });
  return (request) => {
    // A request that writes also reads on the primary.
    if (mayWrite(request)) return undefined;
    const sent = readPosition(request);
    return sent === undefined ? 0n : (seal.open(sent) ?? 0n);
  };
};
