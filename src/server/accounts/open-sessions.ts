import type { SessionJson } from "../../core/wire/accounts/account.ts";
import { IMPERSONATION_MINUTES, type SignedIn } from "../auth/sessions.ts";
import type { Service } from "../execution/service.ts";
import { hashToken } from "../util/token.ts";

/**
 * Lists the open sessions of a person. Only administrators learn who views the application as that person, and from
 * where.
 */
export const openSessions = async (
  { database }: Service,
  { person, token, named }: { readonly person: string; readonly token: string | undefined; readonly named: boolean },
  now: Date,
): Promise<readonly SessionJson[]> => {
  const rows = await database.query({
    text: `select s.id, s.made_at, s.expires_at, s.agent, s.address, s.token_hash = $3 as current, s.viewed = $1 as viewed,
             case when s.viewed = $1 then s.viewed_until - interval '${IMPERSONATION_MINUTES} minutes' end as since, s.viewed_until as until,
             case when s.viewed = $1 then p."name" when s.viewed_until > $2 then v."name" end as "name"
           from ninefold.session s join app."user" p on p."id" = s.person left join app."user" v on v."id" = s.viewed
           where s.expires_at > $2 and (s.person = $1 or s.viewed = $1 and s.viewed_until > $2) order by s.made_at desc, s.id limit 100`,
    values: [person, now.toISOString(), hashToken(token ?? "")],
  });
  return rows.map((row) => {
    const isViewed = row.viewed === true;
    const isDisclosed = !isViewed || named;
    return {
      id: String(row.id),
      made_at: String(isViewed ? row.since : row.made_at),
      expires_at: String(isViewed ? row.until : row.expires_at),
      agent: isDisclosed ? String(row.agent) : "",
      address: isDisclosed ? String(row.address) : "",
      current: row.current === true,
      ...(isViewed ? { viewer: named ? String(row.name) : null } : {}),
      ...(!isViewed && row.name !== null ? { viewing: String(row.name) } : {}),
    };
  });
};

/** Ends the user's own sessions and views of administrators: one, or all except the current one. */
export const endOwnSessions = async (
  { database }: Service,
  person: SignedIn,
  ended: { readonly id: string } | { readonly butToken: string },
  now: Date,
): Promise<void> => {
  const [condition, value] =
    "id" in ended ? (["id = $2", ended.id] as const) : (["token_hash <> $2", hashToken(ended.butToken)] as const);
  await database.query({
    text: `with ended as (delete from ninefold.session where person = $1 and ${condition})
           update ninefold.session set viewed_until = $3 where viewed = $1 and ${condition}`,
    values: [person.id, value, now.toISOString()],
  });
};
