import type { FastifyInstance } from "fastify";
import { anonymousPrincipal, type Principal } from "../../core/derive/authorization/grants.ts";
import { isId } from "../../core/field/reference.ts";
import { constant, slot, sql } from "../../core/sql.ts";
import type { PicturesJson } from "../../core/wire/people.ts";
import type { Service } from "../execution/service.ts";
import { entityOf, signatureOf, slotsOf } from "../plan/context.ts";
import { asCondition, eyesOf } from "../plan/row/read-scope.ts";
import { tableOf } from "../plan/row/sql-env.ts";
import { queryOf } from "../plan/statements.ts";
import { refuse } from "../refusal.ts";
import type { Door } from "../route-context.ts";

/** Maximum number of people per request. */
const MOST = 100;

/** Maximum size in bytes of a picture shown beside a name; larger ones appear on the person's page only. */
const LARGEST = 1_000_000;

/** Serves the pictures of people: the file of each whose picture the caller may read. */
export const servePictures = (app: FastifyInstance, { service, clock, personOf, refuseWith }: Door): void => {
  app.get("/_/pictures", async (request, reply) => {
    const { of } = request.query as Readonly<Record<"of", unknown>>;
    const ids = typeof of === "string" ? of.split(",") : [];
    if (ids.length === 0 || ids.length > MOST || !ids.every(isId)) return refuseWith(reply, refuse("NOT_FOUND"));
    const person = (await personOf(request)) ?? anonymousPrincipal;
    return reply.send({ items: await picturesOf(service, person, ids, clock()) } satisfies PicturesJson);
  });
};

const picturesOf = async (
  { context, database, asker }: Service,
  person: Principal,
  ids: readonly string[],
  now: Date,
): Promise<PicturesJson["items"]> => {
  const written = context.statements.get(["pictures", signatureOf(person)], () => {
    const user = entityOf(context, "User");
    const eyes = eyesOf(context.model, user, person, "t");
    const picture = user.served ? eyes.column("avatar") : undefined;
    return {
      more: picture !== undefined && eyes.gates.length > 0,
      sql: sql`SELECT "id", "picture" ->> 'id' AS "file" FROM (SELECT "t"."id", ${picture ?? sql`NULL::jsonb`} AS "picture" FROM ${tableOf(user)} AS "t" WHERE "t"."id" = ANY(${slot("ids", "uuid[]")}) AND ${asCondition(eyes.rows)}) AS "p" WHERE ("picture" ->> 'size')::bigint <= ${constant(LARGEST)} ORDER BY "id"`,
    };
  });
  if (!written.more) return [];
  const rows = await database.query(queryOf(written, { ...slotsOf(asker(person, now)), ids }));
  return rows.map((row) => ({ id: String(row.id), file: String(row.file) }));
};
