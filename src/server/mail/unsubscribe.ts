import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Database } from "../../postgres/database.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

/** Ends mails without signing in (RFC 8058). */
const ROUTE = "/_/mail/unsubscribe";

const TOKEN = /^([\da-f-]{36})\.([\w-]{43})$/u;

/** The signature does not expire, because old mails must work too. All it allows is to end mails of one person. */
const sign = async (database: Database, person: string): Promise<string> => {
  const [row] = await database.query({
    name: "mail secret",
    text: "select value from ninefold.secret where name = 'device'",
    values: [],
  });
  if (!Buffer.isBuffer(row?.value)) throw new Error("the database has no secret for mails");
  return createHmac("sha256", row.value).update(`unsubscribe ${person}`).digest("base64url");
};

/** The page that asks once, and the address at which mail programs end mails. */
export const unsubscribeAddress = async (
  database: Database,
  origin: string,
  person: string,
): Promise<{ readonly page: string; readonly post: string }> => {
  const token = `${person}.${await sign(database, person)}`;
  return { page: `${origin}/sign-in#stop-mails=${token}`, post: `${origin}${ROUTE}?token=${token}` };
};

const findPerson = async (database: Database, token: string): Promise<string | null> => {
  const [, person, given] = TOKEN.exec(token) ?? [];
  if (person === undefined || given === undefined) return null;
  const right = Buffer.from(await sign(database, person));
  return timingSafeEqual(Buffer.from(given), right) ? person : null;
};

/** `POST` ends all mails about notifications of the person in the token. A `GET` never acts: mail scanners follow links. */
export const serveUnsubscribe = (app: FastifyInstance, { service, refuseWith }: RouteContext): void => {
  const { database } = service;
  void app.register((scope, _, done) => {
    // Mail programs send a form, whose content is always the same.
    for (const type of ["application/x-www-form-urlencoded", "multipart/form-data"])
      scope.addContentTypeParser(type, { parseAs: "buffer", bodyLimit: 4_096 }, (_request, _body, parsed) =>
        parsed(null, undefined),
      );
    scope.post(ROUTE, async (request, reply) => {
      const token = parseTextParam(request.query, "token") || parseTextParam(request.body, "token");
      const person = await findPerson(database, token);
      if (person === null) return refuseWith(reply, refuse("LINK_USED", SIGN_IN_CLAUSE));
      await database.query({
        name: "mails ended",
        text: `insert into ninefold.preference as p (person, name, value) select "id", 'mail', '{"when":"never"}' from app."user" where "id" = $1
               on conflict (person, name) do update set value = (p.value::jsonb - 'kinds' || '{"when":"never"}')::text`,
        values: [person],
      });
      return reply.code(204).send();
    });
    done();
  });
};
