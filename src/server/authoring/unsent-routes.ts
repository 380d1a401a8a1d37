import type { FastifyInstance, FastifyReply } from "fastify";
import { isId } from "../../core/field/reference.ts";
import {
  claims,
  readMailReason,
  readReason,
  storedReasons,
  type UnsentJson,
  type UnsentPageJson,
  type UnsentReason,
} from "../../core/wire/unsent.ts";
import type { Row } from "../../postgres/database.ts";
import { forAdministrator } from "../auth/for-signed-in.ts";
import type { SignedIn } from "../auth/sessions.ts";
import type { Service } from "../execution/service.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { refuse } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";
import { parseTextParam } from "../util/text-param.ts";

const PAGE = 50;
const toReason = ({ kind, said }: Row): UnsentReason =>
  kind === "mail" ? readMailReason(String(said ?? "")) : readReason(String(said ?? ""));

/**
 * Lists messages whose newest attempt failed. Leaves out subjects and payloads, because an administrator may not be
 * allowed to read the records that they are about.
 */
const listUnsent = async ({ database }: Service, after: string | null): Promise<UnsentPageJson> => {
  const rows = await database.query({
    name: "unsent",
    text: `select * from (
             select id, 'mail' as kind, recipient as "to", at, tries, said, case when state = 'waiting' then next_at end as again
             from ninefold.mail where said is not null
             union all
             select id, 'call', call, at, tries, said, case when state = 'waiting' then next_at end
             from ninefold.outbox where said is not null and state <> 'done') u
           where $1::uuid is null or id < $1 order by id desc limit $2`,
    values: [after, PAGE + 1],
  });
  const items = rows.slice(0, PAGE).map(
    (row): UnsentJson => ({
      id: String(row.id),
      kind: row.kind === "mail" ? "mail" : "call",
      to: String(row.to),
      at: String(row.at),
      tries: Number(row.tries),
      reason: toReason(row),
      again: row.again === null ? null : String(row.again),
    }),
  );
  return { items, next: rows.length > PAGE ? (items.at(-1)?.id ?? null) : null };
};

/**
 * Makes a failed message due again, or with null all of them. False if there is none. Of all, those stay as they are that
 * an administrator dropped after a restore, and those that a server may be sending at the moment or will try soon.
 */
const sendAgain = async (service: Service, id: string | null, by: SignedIn, now: Date): Promise<boolean> => {
  const isMeant = (claim: number) =>
    `said is not null and (id = $1 or $1::uuid is null and (state <> 'waiting' or next_at > $2::timestamptz + ${claim} * interval '1 millisecond'))`;
  const rows = await service.database.query({
    name: "send again",
    text: `with m as (update ninefold.mail set state = 'waiting', tries = 0, next_at = $2 where ${isMeant(claims.mail)} returning id),
             o as (update ninefold.outbox set state = 'waiting', tries = 0, next_at = $2 where ${isMeant(claims.call)} and state <> 'done' and ($1::uuid is not null or said <> $6) returning id),
             found as (select id from m union all select id from o),
             a as (insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
                   select $2, $3, 'Account', $3, 'send_again', $4, $5, '{}' where exists (select from found))
           select id from found`,
    values: [id, now.toISOString(), by.id, MANAGES_CLAUSE, service.version, storedReasons.restored],
  });
  return rows.length > 0;
};

/** Messages that could not be sent, for administrators. */
export const serveUnsent = (app: FastifyInstance, routeContext: RouteContext, isPreview: boolean): void => {
  const { service, clock, sendRefusal } = routeContext;
  app.get(
    "/_/unsent",
    forAdministrator(routeContext, async (_person, request, reply) => {
      const after = parseTextParam(request.query, "after");
      if (after !== "" && !isId(after)) return sendRefusal(reply, refuse("BAD_CURSOR"));
      return reply.send(await listUnsent(service, after === "" ? null : after));
    }),
  );
  const send = async (person: SignedIn, reply: FastifyReply, id: string | null) => {
    if (isPreview) return sendRefusal(reply, refuse("PREVIEW_SENDS_NOTHING", MANAGES_CLAUSE));
    const isFound = (id === null || isId(id)) && (await sendAgain(service, id, person, clock()));
    // Nothing is left to send, which is what the administrator wants.
    return isFound || id === null ? reply.code(204).send() : sendRefusal(reply, refuse("NOT_FOUND", MANAGES_CLAUSE));
  };
  app.post(
    "/_/unsent/send",
    forAdministrator(routeContext, (person, _request, reply) => send(person, reply, null)),
  );
  app.post(
    "/_/unsent/:id/send",
    forAdministrator(routeContext, (person, request, reply) =>
      send(person, reply, (request.params as { readonly id: string }).id),
    ),
  );
};
