import type { FastifyInstance } from "fastify";
import type { OutboundHoldJson } from "../../core/wire/outbound-hold.ts";
import { storedReasons } from "../../core/wire/unsent.ts";
import { forAdministrator } from "../auth/for-signed-in.ts";
import type { SignedIn } from "../auth/sessions.ts";
import type { Service } from "../execution/service.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { refuse, refuseAt, typeMismatch } from "../refusal.ts";
import type { RouteContext } from "../route-context.ts";

/**
 * A restored database sends no outgoing calls or mails until an administrator confirms that it replaces the original:
 * the original may have sent everything that was pending in the backup.
 */

/** Reads the pending messages of a held database; null if it is not held. */
const readHold = async ({ database }: Service): Promise<OutboundHoldJson | null> => {
  const [row] = await database.query({
    name: "held",
    text: `select r.held_since, r.held_from,
             (select count(*) from ninefold.outbox o where o.state = 'waiting' and o.at <= r.held_from) as old,
             (select count(*) from ninefold.outbox o where o.state = 'waiting' and o.at > r.held_from) as fresh,
             (select count(*) from ninefold.mail) as mails
           from ninefold.release r where r.held_since is not null`,
    values: [],
  });
  return row === undefined
    ? null
    : {
        since: String(row.held_since),
        from: String(row.held_from),
        old: Number(row.old),
        fresh: Number(row.fresh),
        mails: Number(row.mails),
      };
};

/** Releases the hold. With `old`, also sends messages that were pending in the backup; otherwise they are dropped. */
const releaseHold = async (service: Service, old: boolean, by: SignedIn, now: Date): Promise<void> => {
  await service.database.query({
    name: "let go",
    text: `with r as (update ninefold.release set held_since = null, held_from = null where held_since is not null returning old.held_from),
             o as (update ninefold.outbox set state = 'given up', said = $6 from r
                   where state = 'waiting' and at <= r.held_from and not $1),
             a as (insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
                   select $2, $3, 'Account', $3, 'let_go', $4, $5, '{}' from r)
           select from r`,
    values: [old, now.toISOString(), by.id, MANAGES_CLAUSE, service.version, storedReasons.restored],
  });
};

export const serveOutboundHold = (app: FastifyInstance, routeContext: RouteContext, isPreview: boolean): void => {
  const { service, clock, sendRefusal } = routeContext;
  app.get(
    "/_/held",
    forAdministrator(routeContext, async (_person, _request, reply) => reply.send({ held: await readHold(service) })),
  );
  app.post(
    "/_/held/let-go",
    forAdministrator(routeContext, async (person, request, reply) => {
      if (isPreview) return sendRefusal(reply, refuse("PREVIEW_SENDS_NOTHING", MANAGES_CLAUSE));
      const { body } = request;
      const old = typeof body === "object" && body !== null && "old" in body ? body.old : undefined;
      if (typeof old !== "boolean")
        return sendRefusal(reply, refuseAt([typeMismatch("/old", MANAGES_CLAUSE, { field: "old", type: "boolean" })]));
      await releaseHold(service, old, person, clock());
      return reply.code(204).send();
    }),
  );
};
