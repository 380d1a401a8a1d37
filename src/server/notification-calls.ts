import type { FastifyInstance } from "fastify";
import { isId } from "../core/field/reference.ts";
import type { NotificationsJson } from "../core/wire.ts";
import type { Door } from "./account-calls.ts";
import { SIGN_IN } from "./plan/account.ts";
import { refuse } from "./refusal.ts";

/** Of one answer; the older ones follow after the last. */
const MOST = 50;

const isIdText = (given: unknown): given is string => typeof given === "string" && isId(given);

/** What the document tells a person, newest first, as it was written for them; and which of it they have read. */
export const serveNotifications = (app: FastifyInstance, { service, clock, personOf, refuseWith }: Door): void => {
  const { database, model } = service;

  app.get("/_/notifications", async (request, reply) => {
    const person = await personOf(request);
    if (person === null) return refuseWith(reply, refuse("NOT_SIGNED_IN", SIGN_IN));
    const { after } = request.query as { readonly after?: unknown };
    if (after !== undefined && !isIdText(after)) return refuseWith(reply, refuse("BAD_CURSOR"));
    const [rows, counted] = await database.batch([
      {
        name: "notifications",
        text: `select id, at, text, entity, record, clause, read_at from ninefold.notification
               where person = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
        values: [person.id, after ?? null, MOST + 1],
      },
      {
        name: "notifications unread",
        text: "select count(*)::int as unread from ninefold.notification where person = $1 and read_at is null",
        values: [person.id],
      },
    ]);
    const page = (rows ?? []).slice(0, MOST);
    const body: NotificationsJson = {
      items: page.map((row) => ({
        id: String(row.id),
        at: String(row.at),
        text: String(row.text),
        entity: String(row.entity),
        // Where the record is, if the calls serve it; whether it may be read is asked there.
        path: pathOf(String(row.entity), String(row.record)),
        clause: String(row.clause),
        read: row.read_at !== null,
      })),
      next: (rows ?? []).length > MOST ? String(page.at(-1)?.id) : null,
      unread: Number(counted?.[0]?.unread ?? 0),
    };
    return reply.send(body);
  });

  /** `{ "until": id }`: that one and all before it, as a list that was looked at has them. */
  app.post("/_/notifications/read", async (request, reply) => {
    const person = await personOf(request);
    if (person === null) return refuseWith(reply, refuse("NOT_SIGNED_IN", SIGN_IN));
    const { body } = request;
    const until = typeof body === "object" && body !== null && "until" in body ? body.until : undefined;
    if (!isIdText(until)) return refuseWith(reply, refuse("MALFORMED"));
    await database.query({
      name: "notifications read",
      text: "update ninefold.notification set read_at = $3 where person = $1 and id <= $2 and read_at is null",
      values: [person.id, until, clock().toISOString()],
    });
    return reply.code(204).send();
  });

  const pathOf = (name: string, record: string): string | null => {
    const entity = model.entities.get(name);
    return entity === undefined || !entity.served ? null : `/${entity.path}/${record}`;
  };
};
