import type { Service } from "../execution/service.ts";
import { groupBy } from "../util/group-by.ts";
import { claimDueNotices, type DueNotice } from "./due-notices.ts";
import { nextDigest, timingFor } from "./mail-preference.ts";
import { type ComposedMail, NotificationComposer } from "./notification-composer.ts";
import type { NewTransitionLink } from "./transition-links.ts";

/**
 * Mails about notifications. A mail is composed when it is due, from values that its reader can read at that moment, and
 * queued; the same run of the jobs sends it, unless sending fails.
 * A value that has been hidden since the notification was written appears as “…”.
 */

/** A later mail is no longer useful: mail was not configured, or the program did not run. */
const MAX_DELAY_MS = 86_400_000;

/** Composes the mails that are due and queues them. Returns their number. */
export const mailNotifications = async (service: Service, origin: string | null, now: Date): Promise<number> => {
  if (origin === null) return 0;
  const notices = await claimDueNotices(service, now);
  if (notices.length === 0) return 0;
  const isDaily = ({ to, entity }: DueNotice) => timingFor(to.preference, entity) === "daily";
  const later = new Map<string, Date>();
  const dueNotices = notices.filter((notice) => {
    const { id, to, entity, at } = notice;
    const timing = timingFor(to.preference, entity);
    if (timing === "never") return false;
    const time = timing === "now" ? at : nextDigest(to.preference, at, service.model.timezone);
    if (time > now) later.set(id, time);
    return time <= now && now.getTime() - time.getTime() < MAX_DELAY_MS;
  });
  const composer = new NotificationComposer(service, origin, now);
  await composer.read(dueNotices);
  const digests = groupBy(dueNotices.filter(isDaily), ({ person }) => person);
  const mails = [
    ...dueNotices.filter((notice) => !isDaily(notice)).map((notice) => composer.single(notice)),
    ...[...digests.values()].map((some) =>
      some.length === 1 && some[0] ? composer.single(some[0]) : composer.digest(some),
    ),
  ];
  const composed = await Promise.all(mails);
  await finish(service, { notices, later, mails: composed, links: composer.links }, now);
  return mails.length;
};

interface Finished {
  readonly notices: readonly DueNotice[];
  /** When notifications that are not due are considered again. */
  readonly later: ReadonlyMap<string, Date>;
  readonly mails: readonly ComposedMail[];
  readonly links: readonly NewTransitionLink[];
}

/** Queues the mails with their links, and records for each notification that it is mailed, or when to try again. */
const finish = async (
  { database, model }: Service,
  { notices, later, mails, links }: Finished,
  now: Date,
): Promise<void> => {
  await database.query({
    text: `with n as (update ninefold.notification n set mail_at = g.at, mailed = case when g.at is not null then n.mailed end
                      from unnest($1::uuid[], $2::timestamptz[]) as g (id, at) where n.id = g.id),
             l as (insert into ninefold.mail_transition (token_hash, person, email, entity, record, transition, made_at, expires_at)
                   select decode(l.hash, 'hex'), l.person, l.email, l.entity, l.record, l.transition, $4, $4::timestamptz + make_interval(hours => $6)
                   from jsonb_to_recordset($5::jsonb) as l (hash text, person uuid, email text, entity text, record uuid, transition text))
           insert into ninefold.mail (recipient, person, subject, text, html, headers, letters, at, next_at)
           select m.recipient, m.person, m.subject, m.text, m.html, m.headers, m.letters, $4, $4
           from jsonb_to_recordset($3::jsonb) as m (recipient text, person uuid, subject text, text text, html text, headers jsonb, letters jsonb)`,
    values: [
      notices.map(({ id }) => id),
      notices.map(({ id }) => later.get(id)?.toISOString() ?? null),
      JSON.stringify(mails),
      now.toISOString(),
      JSON.stringify(links),
      model.limits.mailTransitionHours,
    ],
  });
};
