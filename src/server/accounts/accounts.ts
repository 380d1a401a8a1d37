import { fieldsOfNewPeople, grantableRoles } from "../../core/derive/client/app-manifest.ts";
import type { Translate } from "../../core/derive/client/localize.ts";
import type { Phrases } from "../../core/explain/language.ts";
import { catalogueFor } from "../../core/i18n/languages.ts";
import type { Model } from "../../core/model/model.ts";
import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import { nameFromAddress } from "../../core/util/name-from-address.ts";
import type { OwnAccountJson, SessionJson } from "../../core/wire/accounts/account.ts";
import type {
  AccountAct,
  AccountJson,
  AccountLine,
  LinkJson,
  LinkOwnerJson,
  PeopleJson,
  PersonAccountJson,
} from "../../core/wire/accounts/people.ts";
import type { Row } from "../../postgres/database.ts";
import { canHaveTokens, listTokens } from "../auth/api-tokens.ts";
import { IMPERSONATION_MINUTES, readPerson, type SignedIn } from "../auth/sessions.ts";
import { listOwnSignIns } from "../auth/sign-in-log.ts";
import { execute } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import type { Mail, Mails } from "../mail/email-templates.ts";
import { CHOSEN_LANGUAGE, insertMailSql, writeInLanguages } from "../mail/queue-mail.ts";
import { createNotice, type NoticeOrigin } from "../mail/security-notices.ts";
import { type Plan, planTogether } from "../plan/plan.ts";
import { type AccountChange, MANAGES_CLAUSE, planAccount, SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type PasswordChange, planPasswordChange } from "../plan/write/password-change.ts";
import { isRefusal, type Refusal, refuse, refuseAt } from "../refusal.ts";
import { hashPassword } from "../util/password-hash.ts";
import { isSamplePerson } from "../util/sample-person.ts";
import { hashToken, newToken } from "../util/token.ts";
import { createPerson, type NewPerson, passwordFaults } from "./create-person.ts";
import { findClosingCall, findRenameRefusal, planOwnName } from "./own-account.ts";
import { readRoleRelations } from "./role-relations.ts";

/** Lifetimes of links. An invited person may be on holiday; somebody who forgot a password is waiting. */
const INVITATION_HOURS = 7 * 24;
const RESET_HOURS = 24;
export const REGISTRATION_HOURS = 24;
export const linkAfter = (now: Date, hours: number): Date => new Date(now.getTime() + hours * 3_600_000);
export const passwordLink = (token: string): string => `/sign-in#password=${token}`;

const PAGE = 50;
const HISTORY = 50;

const isSample = isSamplePerson('u."id"');

const columns = `u."id", u."name", u."email", u."active", u."roles", u."created_at",
  exists (select from ninefold.credential c where c.person = u."id") as "password",
  (select max(l.expires_at) from ninefold.once_link l where l.person = u."id" and l.expires_at > $1) as "link_until",
  (select count(*) from ninefold.session s where s.person = u."id" and s.expires_at > $1)::int as "sessions",
  ${isSample} as "sample"`;

const toAccountJson = (row: Row): AccountJson => ({
  id: String(row.id),
  name: String(row.name),
  email: String(row.email),
  active: row.active === true,
  roles: readRoles(row.roles),
  created_at: String(row.created_at),
  password: row.password === true,
  link_until: row.link_until === null ? null : String(row.link_until),
  sessions: Number(row.sessions),
  sample: row.sample === true,
});

const readRoles = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** All people by name, regardless of the document's permissions: administrators of people must see them. */
export const listPeople = async (
  service: Service,
  {
    search,
    roles,
    samples,
    after: page,
  }: {
    readonly search: string;
    readonly roles: readonly string[];
    /** True for sample people only. */
    readonly samples: boolean;
    readonly after: string;
  },
  caller: string,
  now: Date,
): Promise<Omit<PeopleJson, "mails"> | Refusal> => {
  const from = page === "" ? ["", NOWHERE] : parseCursor(page);
  if (from === undefined) return refuse("BAD_CURSOR");
  const [counted] = await service.database.query({
    text: `select count(*)::int as "samples" from app."user" u where u."id" <> $1 and ${isSample}`,
    values: [caller],
  });
  const rows = await service.database.query({
    text: `select ${columns}, lower(u."name") as "key" from app."user" u
           where (lower(u."name"), u."id") > ($2, $3::uuid)
             and ($4 = '' or position(lower($4) in lower(u."name")) > 0 or position(lower($4) in lower(u."email")) > 0)
             and ($5::text[] = '{}' or u."roles" && $5::text[])
             and (not $6 or ${isSample})
           order by lower(u."name"), u."id" limit ${PAGE + 1}`,
    values: [now.toISOString(), ...from, search.trim(), roles, samples],
  });
  const shown = rows.slice(0, PAGE);
  const last = shown.at(-1);
  return {
    items: shown.map(toAccountJson),
    next:
      rows.length > PAGE && last !== undefined
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
    text: `select ${columns} from app."user" u where u."id" = $2`,
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

/**
 * Lists the open sessions of a person. Only administrators learn who views the application as that person, and from
 * where.
 */
const openSessions = async (
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

/** Creates a person who sets their password through a link, which is returned once. */
export const invite = async (
  service: Service,
  person: Omit<NewPerson, "password">,
  by: SignedIn,
  now: Date,
  mailing: Mailing,
): Promise<LinkJson | Refusal> => {
  const unknown = person.roles.find((role) => !grantableRoles(service.model).includes(role));
  if (unknown !== undefined) return noSuchRole;
  const token = newToken();
  const until = linkAfter(now, INVITATION_HOURS);
  const id = await createPerson(service, person, now, { by, invitation: { hash: hashToken(token), until } });
  if (typeof id !== "string") return id;
  const link = { id, link: passwordLink(token), until: until.toISOString() };
  return mailLink(service, link, now, mailing, writeInvitation(service.model, by));
};

const writeInvitation =
  ({ name, sentence }: Model, by: SignedIn): WriteLinkMail =>
  (words, say, address) =>
    words.invited(say(name), address, {
      person: by.name,
      about: sentence === null ? "" : say(sentence),
      days: INVITATION_HOURS / 24,
    });

/** Writes the mail with a link to this address. */
type WriteLinkMail = (words: Mails, say: Translate, address: string) => Mail;

/** Base of links in mails; null if mail is not configured. */
export interface Mailing {
  readonly origin: string | null;
}

/**
 * Mails the link if mail is configured, in the language that its reader chose, otherwise in the language of the document.
 * Its creator receives it in any case.
 */
const mailLink = async (
  service: Service,
  link: LinkJson,
  now: Date,
  { origin }: Mailing,
  write: WriteLinkMail,
): Promise<LinkJson> => {
  if (origin === null) return link;
  const { model } = service;
  const mails = writeInLanguages(model, (words, say) => write(words, say, `${origin}${link.link}`));
  const [row] = await service.database.query({
    name: "mail a link",
    text: `with p as (select u."id", u."email", ${CHOSEN_LANGUAGE} as language from app."user" u where u."id" = $1)
           ${insertMailSql("p", 2)} returning recipient`,
    values: [link.id, ...mails, catalogueFor(model.locale).language, now.toISOString()],
  });
  return row === undefined ? link : { ...link, mailed: String(row.recipient) };
};

const noSuchRole = refuseAt([{ at: "/role", code: "NOT_A_CHOICE", clause: MANAGES_CLAUSE, values: { field: "Role" } }]);

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

/**
 * Creates a link to set a password. It replaces earlier ones and is returned once. Somebody who could not sign in so far is
 * invited again.
 */
export const createPasswordLink = async (
  service: Service,
  id: string,
  by: SignedIn,
  now: Date,
  mailing: Mailing,
): Promise<LinkJson | Refusal> => {
  const token = newToken();
  const [row] = await service.database.query({
    text: `select ${isNewPerson("$1::uuid")} as "new"`,
    values: [id],
  });
  const isNew = row?.new === true;
  const until = linkAfter(now, isNew ? INVITATION_HOURS : RESET_HOURS);
  const change = { kind: "password_link", hash: hashToken(token), until } as const;
  const outcome = await execute(service.database, planAccount(service.context, change, id, service.caller(by, now)));
  if (outcome.kind === "refusal") return outcome;
  const link = { id, link: passwordLink(token), until: until.toISOString() };
  const { model } = service;
  const write: WriteLinkMail = (words, say, address) => words.password(say(model.name), address, RESET_HOURS);
  return mailLink(service, link, now, mailing, isNew ? writeInvitation(model, by) : write);
};

/** True if the person could not sign in so far. */
const isNewPerson = (id: string): string =>
  `(not exists (select from ninefold.credential c where c.person = ${id}) and not exists (select from ninefold.identity i where i.person = ${id}))`;

interface LinkOwner extends Pick<LinkOwnerJson, "name" | "email"> {
  readonly id: string;
  /** True if they could not sign in so far. */
  readonly isNew: boolean;
}

/** The person whose password a link sets; an invalid link is refused. */
const linkOwner = async (service: Service, token: string, now: Date): Promise<LinkOwner | Refusal> => {
  const [row] = await service.database.query({
    text: `select u."id", u."name", u."email", ${isNewPerson('u."id"')} as "first"
           from ninefold.once_link l join app."user" u on u."id" = l.person
           where l.token_hash = $1 and l.purpose = 'password' and l.expires_at > $2 and u."active"`,
    values: [hashToken(token), now.toISOString()],
  });
  if (row === undefined) return refuse("LINK_USED", SIGN_IN_CLAUSE);
  return { id: String(row.id), name: String(row.name), email: String(row.email), isNew: row.first === true };
};

/**
 * The person of a link, for its page. A new person is asked for their name if it is only a guess from their address, and
 * the document lets them change it.
 */
export const readLinkOwner = async (
  service: Service,
  token: string,
  { now, phrases }: { readonly now: Date; readonly phrases: Phrases },
): Promise<LinkOwnerJson | Refusal> => {
  const owner = await linkOwner(service, token, now);
  if ("kind" in owner) return owner;
  const { name, email } = owner;
  const isGuess = owner.isNew && name === nameFromAddress(email);
  const principal = isGuess ? await readPerson(service, owner.id, now) : null;
  const asksName = principal !== null && (await findRenameRefusal(service, { principal, now, phrases })) === null;
  return { name, email, asksName };
};

/**
 * Uses a link: sets the password and ends all sessions and tokens. A new person can set their name with it, with the
 * permissions of the document. Returns the person.
 */
export const redeemPasswordLink = async (
  service: Service,
  { token, password, name }: { readonly token: string; readonly password: string; readonly name?: string | undefined },
  { now, phrases }: { readonly now: Date; readonly phrases: Phrases },
  noticeOrigin: NoticeOrigin,
): Promise<string | Refusal> => {
  // Checked before hashing, so that nobody without a link can cause that cost.
  const owner = await linkOwner(service, token, now);
  if ("kind" in owner) return owner;
  const wrong = await passwordFaults(service.model, password, { ...owner, name: name ?? owner.name });
  if (wrong.length > 0) return refuseAt(wrong);
  const principal = owner.isNew && name !== undefined ? await readPerson(service, owner.id, now) : null;
  const renamed =
    principal !== null && name !== undefined && name.trim() !== owner.name
      ? planOwnName(service, name, { principal, now, phrases })
      : null;
  if (renamed !== null && isRefusal(renamed)) return renamed;
  const outcome = await setPassword(
    service,
    { person: owner.id, password, link: hashToken(token), keptSession: null },
    now,
    // A first password changes nothing that its owner should know of.
    owner.isNew ? null : noticeOrigin,
    renamed,
  );
  return outcome === null ? owner.id : outcome;
};

/** Changes the user's own password. This session remains; all others and all tokens end. */
export const changeOwnPassword = async (
  service: Service,
  person: SignedIn,
  { password, sessionToken }: { readonly password: string; readonly sessionToken: string },
  now: Date,
  noticeOrigin: NoticeOrigin,
): Promise<Refusal | null> => {
  const [row] = await service.database.query({
    text: `select u."name", u."email" from app."user" u where u."id" = $1`,
    values: [person.id],
  });
  const wrong = await passwordFaults(service.model, password, {
    name: String(row?.name ?? ""),
    email: String(row?.email ?? ""),
  });
  if (wrong.length > 0) return refuseAt(wrong);
  return setPassword(
    service,
    { person: person.id, password, link: null, keptSession: hashToken(sessionToken) },
    now,
    noticeOrigin,
  );
};

const setPassword = async (
  service: Service,
  /** The new password itself. */
  set: PasswordChange,
  now: Date,
  /** Null to send no mail. */
  noticeOrigin: NoticeOrigin | null,
  /** A further write of the same transaction, such as that of a corrected name. */
  further: Plan | null = null,
): Promise<Refusal | null> => {
  const notice =
    noticeOrigin === null
      ? null
      : await createNotice(service, set.person, noticeOrigin, now, (words, name, by) => words.passwordSet(name, by));
  const hashed = await hashPassword(set.password);
  const own: SignedIn = { id: set.person, name: "", granted: new Set(), impersonator: null };
  const plan = planPasswordChange(service.context, { ...set, password: hashed }, service.caller(own, now), notice);
  const outcome =
    further === null
      ? await execute(service.database, plan)
      : await execute(service.database, planTogether(plan, further));
  return outcome.kind === "refusal" ? outcome : null;
};

/** The user's own account and sessions. */
export const readOwnAccount = async (
  service: Service,
  person: SignedIn,
  token: string | undefined,
  { now, phrases }: { readonly now: Date; readonly phrases: Phrases },
): Promise<Omit<OwnAccountJson, "mails" | "reports"> | Refusal> => {
  const [row] = await service.database.query({
    text: `select ${columns} from app."user" u where u."id" = $2`,
    values: [now.toISOString(), person.id],
  });
  if (row === undefined) return refuse("NOT_SIGNED_IN", SIGN_IN_CLAUSE);
  const { name, email, roles, password, sample } = toAccountJson(row);
  const settings = service.model.callSettings.token;
  const [relations, renameRefused] = await Promise.all([
    readRoleRelations(service, person, { now, phrases }),
    findRenameRefusal(service, { principal: person, now, phrases }),
  ]);
  return {
    name,
    email,
    roles,
    relations,
    password,
    sample,
    renameRefused,
    closes: findClosingCall(service.model, person) !== undefined,
    open: await openSessions(service, { person: person.id, token, named: false }, now),
    recent: await listOwnSignIns(service.database, person.id),
    tokens:
      settings === null || !canHaveTokens(service.model, person)
        ? null
        : {
            items: await listTokens(service, person.id),
            longest: settings.longestDays,
            header: settings.header,
            scheme: settings.scheme,
            roles: roles.filter((role) => role !== ADMINISTRATOR && service.model.roles.has(role)),
          },
  };
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
