import type { FastifyInstance } from "fastify";
import { seesScreen } from "../../core/derive/authorization/grants.ts";
import { isId } from "../../core/field/reference.ts";
import type { ViewJson, ViewsJson } from "../../core/wire/lists.ts";
import { forSignedIn } from "../auth/for-signed-in.ts";
import { badQuery, refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

const MAX_TITLE_LENGTH = 80;
const MAX_QUERY_LENGTH = 2_000;
/** Maximum number of views per person. */
const MAX_VIEWS = 100;

/**
 * Saved views: the query string of a list, with a name. A shared view is available to everybody with access to its
 * screen. It contains no records, and each person sees only records that they can read.
 */
export const serveViews = (app: FastifyInstance, routeContext: RouteContext): void => {
  const { service, clock, sendRefusal } = routeContext;
  const { database, model } = service;

  app.get(
    "/_/views",
    forSignedIn(routeContext, async (person, _request, reply) => {
      const rows = await database.query({
        name: "views",
        text: `select id, screen, title, query, shared, person = $1 as own from ninefold.view
             where person = $1 or shared order by title collate "und-x-icu", id limit 1000`,
        values: [person.id],
      });
      const hidden = new Set(
        model.screens.filter((screen) => !seesScreen(model, screen, person)).map((screen) => screen.path),
      );
      const body: ViewsJson = {
        items: rows
          .filter((row) => !hidden.has(String(row.screen)))
          .map(
            (row): ViewJson => ({
              id: String(row.id),
              screen: String(row.screen),
              title: String(row.title),
              query: String(row.query),
              shared: row.shared === true,
              own: row.own === true,
            }),
          ),
      };
      return reply.send(body);
    }),
  );

  app.post(
    "/_/views",
    forSignedIn(routeContext, async (person, request, reply) => {
      const { body } = request;
      const [screen, title] = [parseTextParam(body, "screen"), parseTextParam(body, "title").trim()];
      const query = typeof body === "object" && body !== null && "query" in body ? body.query : undefined;
      const shared = typeof body === "object" && body !== null && "shared" in body && body.shared === true;
      const isValid =
        screen.startsWith("/") && title !== "" && [...title].length <= MAX_TITLE_LENGTH && typeof query === "string";
      if (!isValid || query.length > MAX_QUERY_LENGTH || query.includes("\0"))
        return sendRefusal(reply, refuse("MALFORMED"));
      const [created] = await database.query({
        name: "view made",
        text: `insert into ninefold.view (person, screen, title, query, shared, made_at)
             select $1, $2, $3, $4, $5, $6 where (select count(*) from ninefold.view where person = $1) < $7 returning id`,
        values: [person.id, screen, title, query, shared, clock().toISOString(), MAX_VIEWS],
      });
      if (created === undefined) return sendRefusal(reply, badQuery("TOO_MANY_VIEWS", { most: String(MAX_VIEWS) }));
      return reply.code(201).send({ id: String(created.id) });
    }),
  );

  app.delete(
    "/_/views/:id",
    forSignedIn(routeContext, async (person, request, reply) => {
      const { id } = request.params as { readonly id: string };
      const deleted = isId(id)
        ? await database.query({
            name: "view gone",
            text: "delete from ninefold.view where id = $1 and person = $2 returning id",
            values: [id, person.id],
          })
        : [];
      return deleted.length === 0 ? sendRefusal(reply, refuse("NOT_FOUND")) : reply.code(204).send();
    }),
  );
};
