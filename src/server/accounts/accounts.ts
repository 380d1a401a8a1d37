import { fieldsOfNewPeople, grantableRoles } from "../../core/derive/client/app-manifest.ts";
import type {
  AccountAct,
  AccountJson,
  AccountLine,
  PeopleJson,
  PersonAccountJson,
} from "../../core/wire/accounts/people.ts";
import { readMailReason } from "../../core/wire/unsent.ts";
import type { Row } from "../../postgres/database.ts";
import { listTokens } from "../auth/api-tokens.ts";
import type { SignedIn } from "../auth/sessions.ts";
import { execute } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import { type AccountChange, MANAGES_CLAUSE, planAccount, SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse, refuseAt } from "../refusal.ts";
import { isSamplePerson } from "../util/sample-person.ts";
import { openSessions } from "./open-sessions.ts";

const PAGE = 50;

const HISTORY = 50;

const isSample = isSamplePerson('u."id"');

/** True if the person could not sign in so far. */
export const isNewPerson = (id: string): string =>
  `(not exists (select from ninefold.credential c where c.person = ${id}) and not exists (select from ninefold.identity i where i.person = ${id}))`;

/** True if somebody invited the person. Links that have expired are deleted, so the history knows it. */
const wasInvited = `exists (select from ninefold.audit a where a.record = u."id" and a.person is not null
    and (a.action = 'password_link' or a.entity = 'User' and a.action = 'create' and a.clause = '${SIGN_IN_CLAUSE}'))`;

export const accountColumns = `u."id", u."name", u."email", u."active", u."roles", u."created_at",
  exists (select from ninefold.credential c where c.person = u."id") as "password",
  (select max(l.expires_at) from ninefold.once_link l where l.person = u."id" and l.expires_at > $1) as "link_until",
  (select jsonb_build_object('said', m.said) from ninefold.once_link l join ninefold.mail m on m.link = l.token_hash
     where l.person = u."id" and l.expires_at > $1 order by m.id desc limit 1) as "link_mail",
  case when not ${isNewPerson('u."id"')} then null
    when exists (select from ninefold.once_link l where l.person = u."id" and l.expires_at > $1) then 'open'
    when ${wasInvited} then 'expired' end as "invitation",
  (select count(*) from ninefold.session s where s.person = u."id" and s.expires_at > $1)::int as "sessions",
  ${isSample} as "sample"`;

export const toAccountJson = (row: Row): AccountJson => ({
  id: String(row.id),
  name: String(row.name),
  email: String(row.email),
  active: row.active === true,
  roles: readRoles(row.roles),
  created_at: String(row.created_at),
  password: row.password === true,
  link_until: row.link_until === null ? null : String(row.link_until),
  link_mail: readLinkMail(row.link_mail),
  invitation: row.invitation === "open" || row.invitation === "expired" ? row.invitation : null,
  sessions: Number(row.sessions),
  sample: row.sample === true,
});

const readLinkMail = (value: unknown): AccountJson["link_mail"] => {
  if (value === null || value === undefined) return null;
  const { said } = value as { readonly said: string | null };
  return said === null ? "waiting" : readMailReason(said);
};

const readRoles = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** All people by name, regardless of the document's permissions: administrators of people must see them. */
export const listPeople = async (
  service: Service,
  {
    search,
    roles,
    samples,
    ids,
    after: page,
  }: {
    readonly search: string;
    readonly roles: readonly string[];
    /** True for sample people only. */
    readonly samples: boolean;
    /** All of these accounts, on one page; undefined for any. */
    readonly ids: readonly string[] | undefined;
    readonly after: string;
  },
  caller: string,
  now: Date,
): Promise<Omit<PeopleJson, "mails"> | Refusal> => {
  const from = page === "" ? ["", NOWHERE] : parseCursor(page);
  if (from === undefined) return refuse("BAD_CURSOR");
  const most = ids?.length ?? PAGE;
  const [counted] = await service.database.query({
    text: `select count(*)::int as "samples" from app."user" u where u."id" <> $1 and ${isSample}`,
    values: [caller],
  });
  const rows = await service.database.query({
    text: `select ${accountColumns}, lower(u."name") as "key" from app."user" u
           where (lower(u."name"), u."id") > ($2, $3::uuid)
             and ($4 = '' or position(lower($4) in lower(u."name")) > 0 or position(lower($4) in lower(u."email")) > 0)
             and ($5::text[] = '{}' or u."roles" && $5::text[])
             and (not $6 or ${isSample})
             and ($7::uuid[] is null or u."id" = any($7::uuid[]))
           order by lower(u."name"), u."id" limit $8`,
    values: [now.toISOString(), ...from, search.trim(), roles, samples, ids ?? null, most + 1],
  });
  const shown = rows.slice(0, most);
  const last = shown.at(-1);
  return {
    items: shown.map(toAccountJson),
    next:
      rows.length > most && last !== undefined
        ? Buffer.from(JSON.stringify([last.key, last.id])).toString("base64url")
        : null,
    roles: grantableRoles(service.model),
    fields: fieldsOfNewPeople(service.model),
    samples: Number(counted?.samples ?? 0),
  };
};

const NOWHERE = "00000000-0000-0000-0000-000000000000";

const isUuid = (text: unknown): text is string => typeof text === "string" && /^[0-9a-f-]{36}$/u.test(text);

const parseCursor = (page: string): readonly [string, string] | undefined => {
  try {
    const read: unknown = JSON.parse(Buffer.from(page, "base64url").toString("utf8"));
    if (!Array.isArray(read) || read.length !== 2) return undefined;
    const [name, id]: readonly unknown[] = read;
    return typeof name === "string" && !name.includes("\0") && isUuid(id) ? [name, id] : undefined;
  } catch {
    return undefined;
  }
};

/** An account with its open sessions and its history. */
export const readAccount = async (
  service: Service,
  id: string,
  token: string | undefined,
  now: Date,
): Promise<PersonAccountJson | Refusal> => {
  const [row] = await service.database.query({
    text: `select ${accountColumns} from app."user" u where u."id" = $2`,
    values: [now.toISOString(), id],
  });
  if (row === undefined) return refuse("NOT_FOUND", MANAGES_CLAUSE);
  const lines = await service.database.query({
    text: `select a.at, a.person, p."name" as "by", a.action, a.clause, a.changes -> 'roles' as "roles", a.changes -> 'token' as "token", a.changes ->> 'retired' as "retired", (a.changes ->> 'removed')::integer as "removed"
           from ninefold.audit a left join app."user" p on p."id" = a.person
           where a.record = $1 and a.entity in ('User', 'Account') and a.action = any($2) order by a.id desc limit ${HISTORY}`,
    values: [id, acts],
  });
  return {
    ...toAccountJson(row),
    open: await openSessions(service, { person: id, token, named: true }, now),
    tokens: await listTokens(service, id),
    history: lines.map(toAccountLine),
    grantable: grantableRoles(service.model),
  };
};

const acts: readonly AccountAct[] = [
  "create",
  "activate",
  "deactivate",
  "grant",
  "take",
  "password_link",
  "set_password",
  "end_sessions",
  "make_token",
  "end_token",
  "link_provider",
  "look_as",
  "ask_for",
  "export_retired",
  "delete_retired",
  "remove_samples",
];

const toAccountLine = (row: Row): AccountLine => {
  const [before, later] = Array.isArray(row.roles) ? row.roles.map(readRoles) : [[], []];
  return {
    at: String(row.at),
    person: row.person === null ? null : { id: String(row.person), label: row.by === null ? "…" : String(row.by) },
    action: acts.find((act) => act === row.action) ?? "create",
    clause: String(row.clause),
    granted: (later ?? []).filter((role) => before?.includes(role) !== true),
    taken: (before ?? []).filter((role) => later?.includes(role) !== true),
    ...(typeof row.retired === "string" ? { retired: row.retired } : {}),
    ...(typeof row.removed === "number" ? { removed: row.removed } : {}),
    ...(Array.isArray(row.token) ? { token: row.token.find((name) => name !== null) as string } : {}),
  };
};

export const noSuchRole = refuseAt([
  { at: "/role", code: "NOT_A_CHOICE", clause: MANAGES_CLAUSE, values: { field: "Role" } },
]);

/**
 * Changes an account on behalf of an administrator: grants and revokes roles, activates, deactivates, ends sessions.
 */
export const changeAccount = async (
  service: Service,
  id: string,
  change: Exclude<AccountChange, { kind: "password_link" | "make_token" | "end_token" | "link_provider" }>,
  by: SignedIn,
  now: Date,
): Promise<Refusal | null> => {
  if ("role" in change && !grantableRoles(service.model).includes(change.role)) return noSuchRole;
  const outcome = await execute(service.database, planAccount(service.context, change, id, service.caller(by, now)));
  return outcome.kind === "refusal" ? outcome : null;
};
