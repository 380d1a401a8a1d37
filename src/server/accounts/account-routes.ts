import type { FastifyInstance, FastifyRequest } from "fastify";
import { holdsRole } from "../../core/derive/authorization/grants.ts";
import { isId } from "../../core/field/reference.ts";
import { createToken, endToken, refuseToken } from "../auth/api-tokens.ts";
import { confirmIdentity } from "../auth/confirm-identity.ts";
import { forSignedIn } from "../auth/for-signed-in.ts";
import { confirmPassword } from "../auth/password-sign-in.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { signInLine } from "../auth/sign-in-log.ts";
import { mailedEntities } from "../mail/mailed-entities.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuseAt } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { noticeSettings, parseRoles, sendDone, sendResult } from "./account-http.ts";
import { unchangedPassword } from "./create-person.ts";
import { endOwnSessions } from "./open-sessions.ts";
import { changeOwnName, closeOwnAccount } from "./own-account.ts";
import { changeOwnPassword } from "./password/set-password.ts";
import { readOwnAccount } from "./read-own-account.ts";

/** Routes for the user's own account: `/_/account`. */
export const serveOwnAccount = (app: FastifyInstance, context: RouteContext): void => {
  const { service, clock, readToken, mailOrigin } = context;

  app.get(
    "/_/account",
    forSignedIn(context, async (person, request, reply) => {
      const account = await readOwnAccount(service, person, readToken(request), {
        now: clock(),
        phrases: context.phrasesFor(request),
      });
      const mails = mailOrigin === null ? null : mailedEntities(service.model, person);
      const { say } = context.phrasesFor(request);
      const reports = service.model.screens.flatMap((screen) =>
        "send" in screen && screen.send?.to.some((role) => holdsRole(service.model, role, person)) === true
          ? [{ screen: screen.path, title: say(screen.title), ...screen.send.every }]
          : [],
      );
      return sendResult(context, reply, { ...account, mails, reports });
    }),
  );
  app.post(
    "/_/account/name",
    forSignedIn(context, async (principal, request, reply) => {
      const name = parseTextParam(request.body, "name");
      const change = { principal, now: clock(), phrases: context.phrasesFor(request) };
      return sendDone(context, reply, await changeOwnName(service, name, change));
    }),
  );
  app.post(
    "/_/account/close",
    forSignedIn(context, async (person, request, reply) => {
      const unconfirmed = await refuseUnconfirmed(context, person, request);
      if (unconfirmed !== null) return context.sendRefusal(reply, unconfirmed);
      const refused = await closeOwnAccount(service, person, clock());
      if (refused === null) await context.signOut(request, reply);
      return sendDone(context, reply, refused);
    }),
  );
  serveOwnPassword(app, context);
  serveOwnTokens(app, context);
  serveOwnSessions(app, context);
};

/** Logs a wrong password at a confirmation. */
const logWrongPassword = ({ signIns, clock }: RouteContext, request: FastifyRequest, person: SignedIn, code: string) =>
  signIns.add(signInLine(request, { way: "confirmation", person: person.id, refused: code }, clock()));

/** Refuses an act that outlasts the session, unless the person proves their identity again. */
const refuseUnconfirmed = async (
  context: RouteContext,
  person: SignedIn,
  request: FastifyRequest,
): Promise<Refusal | null> => {
  const { database, model } = context.service;
  const proof = {
    person: person.id,
    token: context.readToken(request) ?? "",
    password: parseTextParam(request.body, "password"),
    at: "/password",
  };
  const refused = await confirmIdentity(database, proof, model.limits.signInAttempts, context.clock());
  if (refused !== null) logWrongPassword(context, request, person, refused.at[0]?.code ?? refused.code);
  return refused;
};

const serveOwnPassword = (app: FastifyInstance, context: RouteContext): void => {
  const { service, clock, readToken, sendRefusal } = context;
  const { database, model } = service;
  app.post(
    "/_/account/password",
    forSignedIn(context, async (person, request, reply) => {
      const { body } = request;
      const proof = { person: person.id, password: parseTextParam(body, "current") };
      const isConfirmed = await confirmPassword(database, proof, model.limits.signInAttempts, clock());
      if (isConfirmed === false) {
        logWrongPassword(context, request, person, "WRONG_PASSWORD");
        const wrong = { at: "/current", code: "WRONG_PASSWORD", clause: SIGN_IN_CLAUSE, values: {} };
        return sendRefusal(reply, refuseAt([wrong]));
      }
      if (isConfirmed !== true) {
        logWrongPassword(context, request, person, isConfirmed.code);
        return sendRefusal(reply, isConfirmed);
      }
      const password = parseTextParam(body, "password");
      if (password === proof.password) return sendRefusal(reply, refuseAt([unchangedPassword]));
      const notice = noticeSettings(context, request);
      const change = { password, sessionToken: readToken(request) ?? "" };
      return sendDone(context, reply, await changeOwnPassword(service, person, change, clock(), notice));
    }),
  );
};

const parseDays = (body: unknown): number => {
  const days = typeof body === "object" && body !== null && "days" in body ? body.days : undefined;
  return typeof days === "number" ? days : Number.NaN;
};

const isTrue = (body: unknown, key: string): boolean =>
  typeof body === "object" && body !== null && (body as Record<string, unknown>)[key] === true;

const serveOwnTokens = (app: FastifyInstance, context: RouteContext): void => {
  const { service, clock, sendRefusal } = context;
  app.post(
    "/_/account/tokens",
    forSignedIn(context, async (person, request, reply) => {
      const { body } = request;
      const settings = {
        name: parseTextParam(body, "name"),
        days: parseDays(body),
        roles: parseRoles(body),
        reads: isTrue(body, "reads"),
      };
      const refused =
        refuseToken(service.model, person, settings) ?? (await refuseUnconfirmed(context, person, request));
      if (refused !== null) return sendRefusal(reply, refused);
      const notice = noticeSettings(context, request);
      return sendResult(context, reply, await createToken(service, person, settings, clock(), notice), 201);
    }),
  );
  app.delete(
    "/_/account/tokens/:id",
    forSignedIn(context, async (person, request, reply) => {
      const { id } = request.params as { readonly id: string };
      const notice = noticeSettings(context, request);
      return sendDone(
        context,
        reply,
        isId(id) ? await endToken(service, { owner: person.id, token: id }, person, clock(), notice) : null,
      );
    }),
  );
};

const serveOwnSessions = (app: FastifyInstance, context: RouteContext): void => {
  const { service, clock, readToken } = context;
  app.delete(
    "/_/account/sessions/:id",
    forSignedIn(context, async (person, request, reply) => {
      const { id } = request.params as { readonly id: string };
      if (isId(id)) await endOwnSessions(service, person, { id }, clock());
      return reply.code(204).send();
    }),
  );
  app.delete(
    "/_/account/sessions",
    forSignedIn(context, async (person, request, reply) => {
      await endOwnSessions(service, person, { butToken: readToken(request) ?? "" }, clock());
      return reply.code(204).send();
    }),
  );
};
