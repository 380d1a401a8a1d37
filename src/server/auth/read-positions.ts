import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Database, LogPosition } from "../../postgres/database.ts";
import type { MinPosition } from "../execution/read.ts";
import { readSecret, TextSeal } from "../util/text-seal.ts";
import type { Authenticator } from "./authenticate.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** True if the response may be about newer data than what a standby has, so that later reads must include it. */
    isAhead: boolean;
  }
}

/** A position that no standby reaches. */
const NEVER: LogPosition = (1n << 64n) - 1n;
const DIGITS = String(NEVER).length;

/**
 * Encrypts positions for clients: a readable one would show how much other people write. Anybody may send back what they
 * were given; a later position only means that the primary answers.
 */
export class PositionSeal {
  readonly #seal: TextSeal;

  constructor(secret: Buffer) {
    this.#seal = new TextSeal(secret, "read position", DIGITS);
  }

  seal(position: LogPosition): string {
    return this.#seal.seal(String(position));
  }

  /** Undefined for a text that is not from `seal`. */
  open(text: string): LogPosition | undefined {
    const opened = this.#seal.open(text);
    return opened === undefined ? undefined : BigInt(opened);
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
): Promise<(request: FastifyRequest) => MinPosition> => {
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
