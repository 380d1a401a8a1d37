import type { FastifyInstance } from "fastify";
import { anonymousPrincipal, type Principal } from "../../core/derive/authorization/grants.ts";
import { isId } from "../../core/field/reference.ts";
import { constant, slot, sql } from "../../core/sql.ts";
import type { PicturesJson } from "../../core/wire/accounts/people.ts";
import type { Service } from "../execution/service.ts";
import { callerParams, getEntity, principalKey } from "../plan/context.ts";
import { asCondition, readScope } from "../plan/row/read-scope.ts";
import { tableSql } from "../plan/row/sql-env.ts";
import { toQuery } from "../plan/statements.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";

/** Maximum number of people per request. */
const MAX_PEOPLE = 100;

/** Maximum size in bytes of a picture shown beside a name; larger ones appear on the person's page only. */
const MAX_BYTES = 1_000_000;

/** Serves the pictures of people: the file of each whose picture the caller can read. */
export const servePictures = (
  app: FastifyInstance,
  { service, clock, authenticate, sendRefusal }: RouteContext,
): void => {
  app.get("/_/pictures", async (request, reply) => {
    const { of } = request.query as Readonly<Record<"of", unknown>>;
    const ids = typeof of === "string" ? of.split(",") : [];
    if (ids.length === 0 || ids.length > MAX_PEOPLE || !ids.every(isId)) return sendRefusal(reply, refuse("NOT_FOUND"));
    const principal = (await authenticate(request)) ?? anonymousPrincipal;
    return reply.send({ items: await findPictures(service, principal, ids, clock()) } satisfies PicturesJson);
  });
};

const findPictures = async (
  { context, database, caller }: Service,
  principal: Principal,
  ids: readonly string[],
  now: Date,
): Promise<PicturesJson["items"]> => {
  const written = context.statements.get(["pictures", principalKey(principal)], () => {
    const user = getEntity(context, "User");
    const scope = readScope(context.model, user, principal, "t");
    const picture = user.served ? scope.column("avatar") : undefined;
    return {
      more: picture !== undefined && scope.grants.length > 0,
      sql: sql`SELECT "id", "picture" ->> 'id' AS "file" FROM (SELECT "t"."id", ${picture ?? sql`NULL::jsonb`} AS "picture" FROM ${tableSql(user)} AS "t" WHERE "t"."id" = ANY(${slot("ids", "uuid[]")}) AND ${asCondition(scope.rows)}) AS "p" WHERE ("picture" ->> 'size')::bigint <= ${constant(MAX_BYTES)} ORDER BY "id"`,
    };
  });
  if (!written.more) return [];
  const rows = await database.query(toQuery(written, { ...callerParams(caller(principal, now)), ids }));
  return rows.map((row) => ({ id: String(row.id), file: String(row.file) }));
};
