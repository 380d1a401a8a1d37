import type { FastifyReply, FastifyRequest } from "fastify";
import type { Values } from "../intent.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";

export const parseRoles = (body: unknown): readonly string[] => {
  const roles = typeof body === "object" && body !== null && "roles" in body ? body.roles : [];
  return Array.isArray(roles) ? [...new Set(roles.map(String))].slice(0, 100) : [];
};

/** Fields of the person's record that the document adds to name, email and roles. */
export const parseMoreFields = (body: unknown): Values => {
  const more = typeof body === "object" && body !== null && "more" in body ? body.more : {};
  return typeof more === "object" && more !== null && !Array.isArray(more) ? (more as Values) : {};
};

/** The base of the link in a mail. */
export const linkMailSettings = ({ mailOrigin }: RouteContext) => ({ origin: mailOrigin });

/** The base of links in a notice about an account, and the address from which the account was changed. */
export const noticeSettings = (context: RouteContext, request: FastifyRequest) => ({
  origin: context.mailOrigin,
  address: request.ip,
});

/** Sends an outcome as the body, or its refusal. */
export const sendResult = (context: RouteContext, reply: FastifyReply, outcome: object, status = 200): FastifyReply =>
  isRefusal(outcome) ? context.sendRefusal(reply, outcome) : reply.code(status).send(outcome);

/** Sends a refusal, or an empty response if there is none. */
export const sendDone = (context: RouteContext, reply: FastifyReply, refusal: Refusal | null): FastifyReply =>
  refusal === null ? reply.code(204).send() : context.sendRefusal(reply, refusal);
