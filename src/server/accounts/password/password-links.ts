import { grantableRoles } from "../../../core/derive/client/app-manifest.ts";
import type { Translate } from "../../../core/derive/client/localize.ts";
import type { Phrases } from "../../../core/explain/language.ts";
import { catalogueFor } from "../../../core/i18n/languages.ts";
import type { Model } from "../../../core/model/model.ts";
import { nameFromAddress } from "../../../core/util/name-from-address.ts";
import type { LinkJson, LinkOwnerJson } from "../../../core/wire/accounts/people.ts";
import { readPerson, type SignedIn } from "../../auth/sessions.ts";
import { execute } from "../../execution/execute.ts";
import type { Service } from "../../execution/service.ts";
import type { Mail, Mails } from "../../mail/email-templates.ts";
import { CHOSEN_LANGUAGE, insertMailSql, writeInLanguages } from "../../mail/queue-mail.ts";
import type { NoticeOrigin } from "../../mail/security-notices.ts";
import { planAccount, SIGN_IN_CLAUSE } from "../../plan/write/account-change.ts";
import { isRefusal, type Refusal, refuse, refuseAt } from "../../refusal.ts";
import { hashToken, newToken } from "../../util/token.ts";
import { isNewPerson, noSuchRole } from "../accounts.ts";
import { createPerson, type NewPerson, passwordFaults } from "../create-person.ts";
import { findRenameRefusal, planOwnName } from "../own-account.ts";
import { setPassword } from "./set-password.ts";

/** Lifetimes of links. An invited person may be on holiday; somebody who forgot a password is waiting. */
const INVITATION_HOURS = 7 * 24;
const RESET_HOURS = 24;

export const linkAfter = (now: Date, hours: number): Date => new Date(now.getTime() + hours * 3_600_000);

export const passwordLink = (token: string): string => `/sign-in#password=${token}`;

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
  const hash = hashToken(token);
  const until = linkAfter(now, INVITATION_HOURS);
  const id = await createPerson(service, person, now, { by, invitation: { hash, until } });
  if (typeof id !== "string") return id;
  const link = { id, link: passwordLink(token), until: until.toISOString() };
  return mailLink(service, { link, hash }, now, mailing, writeInvitation(service.model, by));
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
  { link, hash }: { readonly link: LinkJson; readonly hash: Buffer },
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
           ${insertMailSql("p", "$7::bytea", 2)} returning recipient`,
    values: [link.id, ...mails, catalogueFor(model.locale).language, now.toISOString(), hash],
  });
  return row === undefined ? link : { ...link, mailed: String(row.recipient) };
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
  const hash = hashToken(token);
  const change = { kind: "password_link", hash, until } as const;
  const outcome = await execute(service.database, planAccount(service.context, change, id, service.caller(by, now)));
  if (outcome.kind === "refusal") return outcome;
  const link = { id, link: passwordLink(token), until: until.toISOString() };
  const { model } = service;
  const write: WriteLinkMail = (words, say, address) =>
    words.password(say(model.name), address, { person: by.name, hours: RESET_HOURS });
  return mailLink(service, { link, hash }, now, mailing, isNew ? writeInvitation(model, by) : write);
};

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
