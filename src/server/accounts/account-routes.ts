import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isAdministrator } from "../../core/derive/authorization/grants.ts";
import { isId } from "../../core/field/reference.ts";
import { endToken, makeToken, refuseToken } from "../auth/api-tokens.ts";
import { confirmIdentity } from "../auth/confirm-identity.ts";
import { confirmPassword } from "../auth/password-sign-in.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { listSignIns, signInLine } from "../auth/sign-in-log.ts";
import type { Values } from "../intent.ts";
import { mailedEntities } from "../mail/notification-mails.ts";
import { MANAGES_CLAUSE, SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse, refuseAt } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import {
  changeAccount,
  changeOwnPassword,
  endOwnSessions,
  invite,
  linkOwner,
  listPeople,
  makePasswordLink,
  readAccount,
  readOwnAccount,
  usePasswordLink,
} from "./accounts.ts";
import { askForPassword } from "./forgotten-password.ts";
import { changeOwnName, closeOwnAccount } from "./own-account.ts";

const queryIn = (request: FastifyRequest, key: string): string => parseTextParam(request.query, key);

const parseRoles = (body: unknown): readonly string[] => {
  const roles = typeof body === "object" && body !== null && "roles" in body ? body.roles : [];
  return Array.isArray(roles) ? [...new Set(roles.map(String))].slice(0, 100) : [];
};

const isTrue = (body: unknown, key: string): boolean =>
  typeof body === "object" && body !== null && (body as Record<string, unknown>)[key] === true;

const parseDays = (body: unknown): number => {
  const days = typeof body === "object" && body !== null && "days" in body ? body.days : undefined;
  return typeof days === "number" ? days : Number.NaN;
};

export const parseMoreFields = (body: unknown): Values => {
  const more = typeof body === "object" && body !== null && "more" in body ? body.more : {};
  return typeof more === "object" && more !== null && !Array.isArray(more) ? (more as Values) : {};
};

type HandlerResult = FastifyReply | Promise<FastifyReply>;

/** Routes for people and for the user's own account: `/_/people` and `/_/account`. */
export const serveAccounts = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, readToken, authenticate, completeSignIn, sendRefusal, signIns } = routeContext;
  const { database, model } = service;
  const mailSettings = (request: FastifyRequest) => ({
    language: routeContext.phrasesFor(request).language,
    origin: routeContext.mailOrigin,
  });

  /** Logs a wrong password at a confirmation. */
  const logWrongPassword = (request: FastifyRequest, { id }: SignedIn, code: string): void =>
    signIns.add(signInLine(request, { way: "confirmation", person: id, refused: code }, clock()));
  const noticeSettings = (request: FastifyRequest) => ({ origin: routeContext.mailOrigin, address: request.ip });

  const forSignedIn =
    (then: (person: SignedIn, request: FastifyRequest, reply: FastifyReply) => HandlerResult) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const person = await authenticate(request);
      return person === null
        ? sendRefusal(reply, refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE))
        : then(person, request, reply);
    };
  const forAdministrator = (then: (person: SignedIn, request: FastifyRequest, reply: FastifyReply) => HandlerResult) =>
    forSignedIn((person, request, reply) =>
      isAdministrator(person) ? then(person, request, reply) : sendRefusal(reply, refuse("FORBIDDEN", MANAGES_CLAUSE)),
    );
  const answer = (reply: FastifyReply, outcome: object, status = 200): FastifyReply =>
    "kind" in outcome && outcome.kind === "refusal"
      ? sendRefusal(reply, outcome as Refusal)
      : reply.code(status).send(outcome);
  const sendOutcome = (reply: FastifyReply, outcome: Refusal | null): FastifyReply =>
    outcome === null ? reply.code(204).send() : sendRefusal(reply, outcome);
  /** An invalid id is treated like one that does not exist. */
  const forPerson = (
    then: (person: SignedIn, id: string, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ) =>
    forAdministrator((person, request, reply) => {
      const { id } = request.params as { readonly id: string };
      return isId(id) ? then(person, id, request, reply) : sendRefusal(reply, refuse("NOT_FOUND", MANAGES_CLAUSE));
    });

  app.get(
    "/_/people",
    forAdministrator(async (_, request, reply) =>
      answer(
        reply,
        await listPeople(service, { search: queryIn(request, "search"), after: queryIn(request, "after") }, clock()),
      ),
    ),
  );
  app.post(
    "/_/people",
    forAdministrator(async (person, request, reply) => {
      const { body } = request;
      const newPerson = {
        name: parseTextParam(body, "name"),
        email: parseTextParam(body, "email").trim(),
        roles: parseRoles(body),
        more: parseMoreFields(body),
      };
      return answer(reply, await invite(service, newPerson, person, clock(), mailSettings(request)), 201);
    }),
  );
  app.get(
    "/_/people/:id",
    forPerson(async (_, id, request, reply) =>
      answer(reply, await readAccount(service, id, readToken(request), clock())),
    ),
  );
  for (const kind of ["activate", "deactivate", "end_sessions"] as const)
    app.post(
      `/_/people/:id/${kind}`,
      forPerson(async (person, id, _, reply) =>
        sendOutcome(reply, await changeAccount(service, id, { kind }, person, clock())),
      ),
    );
  for (const kind of ["grant", "take"] as const)
    app.post(
      `/_/people/:id/${kind}`,
      forPerson(async (person, id, { body }, reply) =>
        sendOutcome(
          reply,
          await changeAccount(service, id, { kind, role: parseTextParam(body, "role") }, person, clock()),
        ),
      ),
    );
  app.post(
    "/_/people/:id/password_link",
    forPerson(async (person, id, request, reply) =>
      answer(reply, await makePasswordLink(service, id, person, clock(), mailSettings(request)), 201),
    ),
  );

  app.get(
    "/_/sign-ins",
    forAdministrator(async (_, request, reply) => {
      const after = queryIn(request, "after");
      if (after !== "" && !/^\d{1,18}$/u.test(after)) return sendRefusal(reply, refuse("BAD_CURSOR"));
      await signIns.write();
      const search = queryIn(request, "search").replaceAll("\0", "");
      const failed = queryIn(request, "failed") === "true";
      return reply.send(await listSignIns(database, { search, failed, after: after === "" ? null : after }));
    }),
  );

  // No session needed. The token is in the body, to keep it out of access logs.
  app.post("/_/password-link", async (request, reply) => {
    const owner = await linkOwner(service, parseTextParam(request.body, "token"), clock());
    return "kind" in owner ? sendRefusal(reply, owner) : reply.send({ name: owner.name, email: owner.email });
  });
  app.post("/_/forgotten-password", async (request, reply) => {
    const asking = {
      ...mailSettings(request),
      email: parseTextParam(request.body, "email"),
      address: request.ip,
    };
    const refused = await askForPassword(service, asking, clock());
    return refused === null ? reply.code(202).send() : sendRefusal(reply, refused);
  });
  app.post("/_/password", async (request, reply) => {
    const { body } = request;
    const owner = await usePasswordLink(
      service,
      parseTextParam(body, "token"),
      parseTextParam(body, "password"),
      clock(),
      noticeSettings(request),
    );
    if (typeof owner === "string") return completeSignIn(request, reply, owner, "link");
    if (owner.at.length === 0)
      signIns.add(signInLine(request, { way: "link", person: null, refused: owner.code }, clock()));
    return sendRefusal(reply, owner);
  });

  app.get(
    "/_/account",
    forSignedIn(async (person, request, reply) => {
      const account = await readOwnAccount(service, person, readToken(request), clock());
      return answer(reply, {
        ...account,
        mails: routeContext.mailOrigin === null ? null : mailedEntities(model, person),
      });
    }),
  );
  app.post(
    "/_/account/name",
    forSignedIn(async (principal, request, reply) => {
      const name = parseTextParam(request.body, "name");
      const asking = { principal, now: clock(), phrases: routeContext.phrasesFor(request) };
      return sendOutcome(reply, await changeOwnName(service, name, asking));
    }),
  );
  app.post(
    "/_/account/close",
    forSignedIn(async (person, request, reply) => {
      const token = readToken(request) ?? "";
      const proof = { person: person.id, token, password: parseTextParam(request.body, "password"), at: "/password" };
      const wrong = await confirmIdentity(database, proof, model.limits.signInAttempts, clock());
      if (wrong !== null) {
        logWrongPassword(request, person, wrong.at[0]?.code ?? wrong.code);
        return sendRefusal(reply, wrong);
      }
      const refused = await closeOwnAccount(service, person, clock());
      if (refused === null) await routeContext.signOut(request, reply);
      return sendOutcome(reply, refused);
    }),
  );
  app.post(
    "/_/account/password",
    forSignedIn(async (person, request, reply) => {
      const { body } = request;
      const proof = { person: person.id, password: parseTextParam(body, "current") };
      const isConfirmed = await confirmPassword(database, proof, model.limits.signInAttempts, clock());
      if (isConfirmed !== true)
        logWrongPassword(request, person, isConfirmed === false ? "WRONG_PASSWORD" : isConfirmed.code);
      if (isConfirmed === false)
        return sendRefusal(
          reply,
          refuseAt([{ at: "/current", code: "WRONG_PASSWORD", clause: SIGN_IN_CLAUSE, values: {} }]),
        );
      if (isConfirmed !== true) return sendRefusal(reply, isConfirmed);
      const token = readToken(request) ?? "";
      return sendOutcome(
        reply,
        await changeOwnPassword(
          service,
          person,
          parseTextParam(body, "password"),
          token,
          clock(),
          noticeSettings(request),
        ),
      );
    }),
  );
  app.post(
    "/_/account/tokens",
    forSignedIn(async (person, request, reply) => {
      const { body } = request;
      const settings = {
        name: parseTextParam(body, "name"),
        days: parseDays(body),
        roles: parseRoles(body),
        reads: isTrue(body, "reads"),
      };
      const refused = refuseToken(model, person, settings);
      if (refused !== null) return sendRefusal(reply, refused);
      const token = readToken(request) ?? "";
      const proof = {
        person: person.id,
        token,
        password: parseTextParam(body, "password"),
        at: "/password",
      };
      const wrong = await confirmIdentity(database, proof, model.limits.signInAttempts, clock());
      if (wrong === null)
        return answer(reply, await makeToken(service, person, settings, clock(), noticeSettings(request)), 201);
      logWrongPassword(request, person, wrong.at[0]?.code ?? wrong.code);
      return sendRefusal(reply, wrong);
    }),
  );
  app.delete(
    "/_/account/tokens/:id",
    forSignedIn(async (person, request, reply) => {
      const { id } = request.params as { readonly id: string };
      return sendOutcome(
        reply,
        isId(id) ? await endToken(service, person.id, id, person, clock(), noticeSettings(request)) : null,
      );
    }),
  );
  app.delete(
    "/_/people/:id/tokens/:token",
    forPerson(async (person, id, request, reply) => {
      const { token } = request.params as { readonly token: string };
      return sendOutcome(
        reply,
        isId(token) ? await endToken(service, id, token, person, clock(), noticeSettings(request)) : null,
      );
    }),
  );
  app.delete(
    "/_/account/sessions/:id",
    forSignedIn(async (person, request, reply) => {
      const { id } = request.params as { readonly id: string };
      if (isId(id)) await endOwnSessions(service, person, { id }, clock());
      return reply.code(204).send();
    }),
  );
  app.delete(
    "/_/account/sessions",
    forSignedIn(async (person, request, reply) => {
      await endOwnSessions(service, person, { butToken: readToken(request) ?? "" }, clock());
      return reply.code(204).send();
    }),
  );
};
