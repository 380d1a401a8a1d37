import type { FastifyInstance } from "fastify";
import type { MailLinkJson } from "../../core/wire/accounts/mail-token.ts";
import type { Database } from "../../postgres/database.ts";
import { MAX_STOPPED } from "../mail/mail-preference.ts";
import { findUnsubscriber, type MailKind, UNSUBSCRIBE, unsubscribePage } from "../mail/unsubscribe.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

/**
 * `POST` ends the mails that the token is about: notifications, one list or overview on a schedule, or all of these. A
 * `GET` only names them, as far as the signature covers the words: mail scanners follow links. Mail programs that do not
 * know how to unsubscribe with one click open its address in a browser, which gets the page.
 */
export const serveUnsubscribe = (app: FastifyInstance, { service, sendRefusal }: RouteContext): void => {
  const { database } = service;
  app.get(UNSUBSCRIBE, async (request, reply) => {
    const token = parseTextParam(request.query, "token");
    if (request.headers.accept?.includes("text/html") === true)
      return reply.redirect(unsubscribePage(encodeURIComponent(token)), 303);
    const found = await findUnsubscriber(database, token);
    if (found === null) return sendRefusal(reply, refuse("LINK_USED", SIGN_IN_CLAUSE));
    const { kind } = found;
    const body: MailLinkJson = typeof kind === "string" ? { kind, title: null } : { kind: "report", title: kind.title };
    return reply.send(body);
  });
  void app.register((scope, _, done) => {
    // Mail programs send a form with a fixed content.
    for (const type of ["application/x-www-form-urlencoded", "multipart/form-data"])
      scope.addContentTypeParser(type, { parseAs: "buffer", bodyLimit: 4_096 }, (_request, _body, parsed) =>
        parsed(null, undefined),
      );
    scope.post(UNSUBSCRIBE, async (request, reply) => {
      const token = parseTextParam(request.query, "token") || parseTextParam(request.body, "token");
      const found = await findUnsubscriber(database, token);
      if (found === null) return sendRefusal(reply, refuse("LINK_USED", SIGN_IN_CLAUSE));
      const { person, kind } = found;
      // The page of a link about one list or overview can also end all of them.
      const ended = typeof kind === "object" && parseTextParam(request.body, "all") === "reports" ? "reports" : kind;
      await endMails(database, person, ended);
      return reply.code(204).send();
    });
    done();
  });
};

/** Stores what the person no longer wants, beside their other choices; of lists and overviews, the newest that it can hold. */
const endMails = async (database: Database, person: string, kind: MailKind): Promise<void> => {
  const screen = typeof kind === "object" ? kind.screen : null;
  const change =
    screen !== null ? { stopped: [screen] } : kind === "reports" ? { reports: "never" } : { when: "never" };
  await database.query({
    name: "mails ended",
    text: `insert into ninefold.preference as p (person, name, value) select "id", 'mail', $2 from app."user" where "id" = $1
           on conflict (person, name) do update set value = ((case when $3 then p.value::jsonb - 'kinds' else p.value::jsonb end) || case
             when $4::text is null then $2::jsonb
             else jsonb_build_object('stopped', (select jsonb_agg(s.one order by s.place) from (
               select e.one, e.place
                 from jsonb_array_elements((coalesce(p.value::jsonb -> 'stopped', '[]') - $4::text) || to_jsonb($4::text)) with ordinality as e (one, place)
                 order by e.place desc limit $5) as s)) end)::text`,
    values: [person, JSON.stringify(change), kind === "notifications", screen, MAX_STOPPED],
  });
};
