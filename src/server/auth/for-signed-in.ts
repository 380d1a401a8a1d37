import type { FastifyReply, FastifyRequest } from "fastify";
import { isAdministrator } from "../../core/derive/authorization/grants.ts";
import type { Responder } from "../http/respond.ts";
import { MANAGES_CLAUSE, SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { isRefusal, type Refusal, refuse } from "../refusal.ts";
import type { Authenticator } from "./authenticate.ts";
import type { SignedIn } from "./sessions.ts";

type Access = Pick<Authenticator, "authenticate"> & Pick<Responder, "sendRefusal">;

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** A handler that knows the user of its request. */
export type SignedInHandler = (
  person: SignedIn,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | Promise<FastifyReply>;

/** Refuses requests without a signed-in user. */
export const forSignedIn =
  ({ authenticate, sendRefusal }: Access, handle: SignedInHandler): Handler =>
  async (request, reply) => {
    const person = await authenticate(request);
    return person === null
      ? sendRefusal(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE))
      : handle(person, request, reply);
  };

/** The user of a request, who must be an administrator. */
export const findAdministrator = async (
  { authenticate }: Pick<Access, "authenticate">,
  request: FastifyRequest,
): Promise<SignedIn | Refusal> => {
  const person = await authenticate(request);
  if (person === null) return refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE);
  return isAdministrator(person) ? person : refuse("FORBIDDEN", MANAGES_CLAUSE);
};

/** Refuses requests of anybody but an administrator. */
export const forAdministrator =
  (access: Access, handle: SignedInHandler): Handler =>
  async (request, reply) => {
    const person = await findAdministrator(access, request);
    return isRefusal(person) ? access.sendRefusal(reply, person) : handle(person, request, reply);
  };
