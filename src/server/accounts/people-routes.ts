import type { FastifyInstance } from "fastify";
import { isId } from "../../core/field/reference.ts";
import { endToken } from "../auth/api-tokens.ts";
import { forAdministrator, type SignedInHandler } from "../auth/for-signed-in.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { listSignIns } from "../auth/sign-in-log.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";
import { linkMailSettings, noticeSettings, parseMoreFields, parseRoles, sendDone, sendResult } from "./account-http.ts";
import { changeAccount, listPeople, readAccount } from "./accounts.ts";
import { createPasswordLink, invite } from "./password/password-links.ts";

/** Maximum number of accounts that a request can name, those of one list of invitations. */
const MOST_IDS = 100;

/** Routes for administrators: the accounts of all people, and sign-ins. */
export const servePeople = (app: FastifyInstance, context: RouteContext): void => {
  const { service, clock } = context;

  app.get(
    "/_/people",
    forAdministrator(context, async (administrator, { query }, reply) => {
      const page = {
        search: parseTextParam(query, "search"),
        roles: parseRoleFilter(query),
        samples: parseTextParam(query, "sample") === "true",
        ids: parseIds(query),
        after: parseTextParam(query, "after"),
      };
      const found = await listPeople(service, page, administrator.id, clock());
      return sendResult(context, reply, "kind" in found ? found : { ...found, mails: context.mailOrigin !== null });
    }),
  );
  app.post(
    "/_/people",
    forAdministrator(context, async (administrator, request, reply) => {
      const { body } = request;
      const newPerson = {
        name: parseTextParam(body, "name"),
        email: parseTextParam(body, "email").trim(),
        roles: parseRoles(body),
        more: parseMoreFields(body),
      };
      const mail = linkMailSettings(context);
      return sendResult(context, reply, await invite(service, newPerson, administrator, clock(), mail), 201);
    }),
  );
  serveAccountOfPerson(app, context);
  serveSignIns(app, context);
};

/** The roles of `?role=buyer&role=receiver`; none for people with any role. */
const parseRoleFilter = (query: unknown): readonly string[] => {
  const { role = [] } = query as { readonly role?: string | readonly string[] };
  return [role].flat().flatMap((name) => (name === "" || name.includes("\0") ? [] : [name]));
};

/** The accounts of `?id=…&id=…`; undefined for all. An invalid id is treated like one that does not exist. */
const parseIds = (query: unknown): readonly string[] | undefined => {
  const { id } = query as { readonly id?: string | readonly string[] };
  return id === undefined ? undefined : [id].flat().filter(isId).slice(0, MOST_IDS);
};

/** The person in the address of a request, and the administrator who sent it. */
interface AddressedPerson {
  readonly id: string;
  readonly administrator: SignedIn;
}

/** Routes for one account: `/_/people/:id`. */
const serveAccountOfPerson = (app: FastifyInstance, context: RouteContext): void => {
  const { service, clock, readToken } = context;
  /** An invalid id is treated like one that does not exist. */
  const forPerson = (
    handle: (
      person: AddressedPerson,
      request: Parameters<SignedInHandler>[1],
      reply: Parameters<SignedInHandler>[2],
    ) => ReturnType<SignedInHandler>,
  ) =>
    forAdministrator(context, (administrator, request, reply) => {
      const { id } = request.params as { readonly id: string };
      return isId(id)
        ? handle({ id, administrator }, request, reply)
        : context.sendRefusal(reply, refuse("NOT_FOUND", MANAGES_CLAUSE));
    });

  app.get(
    "/_/people/:id",
    forPerson(async ({ id }, request, reply) =>
      sendResult(context, reply, await readAccount(service, id, readToken(request), clock())),
    ),
  );
  for (const kind of ["activate", "deactivate", "end_sessions"] as const)
    app.post(
      `/_/people/:id/${kind}`,
      forPerson(async ({ id, administrator }, _, reply) =>
        sendDone(context, reply, await changeAccount(service, id, { kind }, administrator, clock())),
      ),
    );
  for (const kind of ["grant", "take"] as const)
    app.post(
      `/_/people/:id/${kind}`,
      forPerson(async ({ id, administrator }, { body }, reply) => {
        const change = { kind, role: parseTextParam(body, "role") };
        return sendDone(context, reply, await changeAccount(service, id, change, administrator, clock()));
      }),
    );
  app.post(
    "/_/people/:id/password_link",
    forPerson(async ({ id, administrator }, _, reply) => {
      const mail = linkMailSettings(context);
      return sendResult(context, reply, await createPasswordLink(service, id, administrator, clock(), mail), 201);
    }),
  );
  app.delete(
    "/_/people/:id/tokens/:token",
    forPerson(async ({ id, administrator }, request, reply) => {
      const { token } = request.params as { readonly token: string };
      const notice = noticeSettings(context, request);
      return sendDone(
        context,
        reply,
        isId(token) ? await endToken(service, { owner: id, token }, administrator, clock(), notice) : null,
      );
    }),
  );
};

/** The list of sign-ins and of failed attempts. */
const serveSignIns = (app: FastifyInstance, context: RouteContext): void => {
  const { service, sendRefusal, signIns } = context;
  app.get(
    "/_/sign-ins",
    forAdministrator(context, async (_, { query }, reply) => {
      const after = parseTextParam(query, "after");
      if (after !== "" && !/^\d{1,18}$/u.test(after)) return sendRefusal(reply, refuse("BAD_CURSOR"));
      await signIns.write();
      const search = parseTextParam(query, "search").replaceAll("\0", "");
      const failed = parseTextParam(query, "failed") === "true";
      return reply.send(await listSignIns(service.database, { search, failed, after: after === "" ? null : after }));
    }),
  );
};
