import { createTranslator } from "../../core/derive/client/localize.ts";
import { specless } from "../../core/field/kind.ts";
import { fieldKinds } from "../../core/field/kinds.ts";
import type { Model } from "../../core/model/model.ts";
import type { SignUp } from "../../core/model/sign-in.ts";
import { nameFromAddress } from "../../core/util/name-from-address.ts";
import type { LinkJson, RegistrationJson } from "../../core/wire/accounts/people.ts";
import { networkLimit, TOO_MANY } from "../auth/password-sign-in.ts";
import type { Service } from "../execution/service.ts";
import type { Values } from "../intent.ts";
import { type AttemptLimit, countAttempt, limitKey } from "../limits/attempts.ts";
import { getNetwork } from "../limits/network.ts";
import { getMails, languageHeader } from "../mail/email-templates.ts";
import { MANAGES_CLAUSE, SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { forbid, isRefusal, type Refusal, type RefusalAt, refuse, refuseAt, typeMismatch } from "../refusal.ts";
import { hashToken, newToken } from "../util/token.ts";
import { createPerson } from "./create-person.ts";
import { linkAfter } from "./password/password-links.ts";

/** The lifetime of the link that confirms an address. */
const REGISTRATION_HOURS = 24;

/** Mails per address and day, which limits unsolicited mail. The last link stays valid. */
const MAILS_TO_ADDRESS = 3;
/** Mails per network and hour. */
const MAILS_FROM_NETWORK = 30;

const CLOSED = "SIGN_UP_CLOSED";

const registrationLink = (token: string): string => `/sign-in#sign-up=${token}`;

/** The address as it is stored; refused if no account can have it. A mailed link proves that it exists. */
export const parseAddress = (entered: string): string | Refusal => {
  const email = entered.trim().toLowerCase();
  return fieldKinds.email.read(email, specless).ok
    ? email
    : refuseAt([typeMismatch("/email", "3.User.email", { field: "Email", type: "email" })]);
};

/** Checks whether an address may register; the refusal says which addresses can. */
export const checkAdmission = (model: Model, email: string, language: string): SignUp | Refusal => {
  const { signUp } = model.signIn;
  if (signUp === null) return refuse("FORBIDDEN", CLOSED);
  const domain = email.slice(email.lastIndexOf("@") + 1);
  if (signUp.emails?.includes(domain) !== false) return signUp;
  return forbid(signUp.clause.id, getMails(language).only(signUp.emails));
};

/** A person who asks to register, and how to reach them. */
export interface Registering {
  readonly email: string;
  readonly address: string;
  readonly language: string;
  /** Base of links in mails; null if mail is not configured. */
  readonly origin: string | null;
}

/**
 * Mails a link by which the recipient creates an account; nothing is created before that. An address with an account
 * receives a mail that says so. Response and effort are the same in both cases. Without mail, an administrator sees the
 * request and passes the link on.
 */
export const askToRegister = async (
  service: Service,
  registration: Registering,
  now: Date,
): Promise<Refusal | null> => {
  const { database, model } = service;
  const email = parseAddress(registration.email);
  if (isRefusal(email)) return email;
  const signUp = checkAdmission(model, email, registration.language);
  if ("kind" in signUp) return signUp;
  const limits: readonly AttemptLimit[] = [
    {
      key: limitKey("sign-up-network", getNetwork(registration.address)),
      most: MAILS_FROM_NETWORK,
      minutes: 60,
      beyond: "none",
    },
    { key: limitKey("sign-up", email), most: MAILS_TO_ADDRESS, minutes: 24 * 60, beyond: "none" },
  ];
  if (!(await countAttempt(database, limits, now))) return TOO_MANY;
  const token = newToken();
  const until = linkAfter(now, REGISTRATION_HOURS);
  const words = getMails(registration.language);
  const name = createTranslator(model, registration.language)(model.name);
  const fresh = words.register(name, `${registration.origin}${registrationLink(token)}`);
  const known = words.known(name, `${registration.origin}/sign-in`);
  await database.query({
    name: "sign up",
    text: `with known as (select exists (select from app."user" where lower("email") = $1) as there),
             s as (insert into ninefold.sign_up (email, token_hash, made_at, expires_at) select $1, $2, $3, $4 from known where not there
                   on conflict (email) do update set token_hash = excluded.token_hash, made_at = excluded.made_at, expires_at = excluded.expires_at)
           insert into ninefold.mail (recipient, subject, text, headers, at, next_at)
             select $1, case when there then $5 else $6 end, case when there then $7 else $8 end, $10::jsonb, $3, $3 from known where $9`,
    values: [
      email,
      hashToken(token),
      now.toISOString(),
      until.toISOString(),
      known.subject,
      fresh.subject,
      known.text,
      fresh.text,
      registration.origin !== null,
      JSON.stringify(languageHeader(fresh.language)),
    ],
  });
  return null;
};

/** The registration that a link completes. */
export const findRegistration = async (
  { database }: Service,
  token: string,
  now: Date,
): Promise<{ readonly email: string } | Refusal> => {
  const [row] = await database.query({
    text: "select email from ninefold.sign_up where token_hash = $1 and expires_at > $2",
    values: [hashToken(token), now.toISOString()],
  });
  return row === undefined ? refuse("LINK_USED", CLOSED) : { email: String(row.email) };
};

/** Uses the link and creates the person with the roles granted on registration. Returns the person. */
export const register = async (
  service: Service,
  token: string,
  { name, password, more }: { readonly name: string; readonly password: string; readonly more: Values },
  now: Date,
): Promise<string | Refusal> => {
  const found = await findRegistration(service, token, now);
  if ("kind" in found) return found;
  // The document may have changed since the link was sent.
  const signUp = checkAdmission(service.model, found.email, "en");
  if ("kind" in signUp) return signUp;
  return createPerson(service, { name, email: found.email, roles: signUp.roles, password, more }, now, {
    link: { hash: hashToken(token), purpose: "sign up" },
    required: signUp.asks,
  });
};

/** Text members of an immediate registration, and their clauses. */
const texts = [
  ["name", "3.User.name"],
  ["email", "3.User.email"],
  ["password", SIGN_IN_CLAUSE],
] as const;

/**
 * Creates an account without proof of the address, if the document allows it, and returns the person. Every attempt
 * counts, because the response tells whether an address has an account. `unknown`: errors of the body that are reported with
 * those of its values. `takesPassword`: false for a program that only has the token of its session.
 */
export const registerAtOnce = async (
  service: Service,
  sent: Values,
  address: string,
  now: Date,
  { unknown, takesPassword }: { readonly unknown: readonly RefusalAt[]; readonly takesPassword: boolean },
): Promise<string | Refusal> => {
  const { database, model } = service;
  const { signUp } = model.signIn;
  if (signUp === null) return refuse("FORBIDDEN", CLOSED);
  if (!(await countAttempt(database, [networkLimit("register", address, model.limits.signInAttempts)], now)))
    return TOO_MANY;
  const wrong = texts.flatMap(([name, clause]): readonly RefusalAt[] => {
    const value = sent[name];
    return value === undefined || value === null || typeof value === "string"
      ? []
      : [typeMismatch(`/${name}`, clause, { field: name, type: name === "email" ? "email" : "text" })];
  });
  const { name, email: enteredEmail, password, ...more } = sent;
  const email = typeof enteredEmail === "string" ? enteredEmail.trim() : "";
  const hasPassword = typeof password === "string" && password !== "";
  if (takesPassword && !hasPassword && wrong.every(({ at }) => at !== "/password"))
    wrong.push({ at: "/password", code: "REQUIRED", clause: SIGN_IN_CLAUSE, values: { field: "password" } });
  const usualName = signUp.asks.includes("name") ? "" : nameFromAddress(email);
  const person = {
    name: typeof name === "string" ? name : usualName,
    email,
    roles: signUp.roles,
    ...(hasPassword ? { password } : {}),
    more,
  };
  return createPerson(service, person, now, { required: signUp.asks, wrong: [...unknown, ...wrong] });
};

/** Pending registrations, for administrators. */
export const listRegistrations = async ({ database }: Service, now: Date): Promise<readonly RegistrationJson[]> => {
  const rows = await database.query({
    text: "select id, email, made_at, expires_at from ninefold.sign_up where expires_at > $1 order by made_at desc limit 200",
    values: [now.toISOString()],
  });
  return rows.map((row) => ({
    id: String(row.id),
    email: String(row.email),
    made_at: String(row.made_at),
    until: String(row.expires_at),
  }));
};

/** Creates a new link for an administrator to pass on. */
export const linkFor = async ({ database }: Service, id: string, now: Date): Promise<LinkJson | Refusal> => {
  const token = newToken();
  const until = linkAfter(now, REGISTRATION_HOURS);
  const [row] = await database.query({
    text: "update ninefold.sign_up set token_hash = $2, expires_at = $3 where id = $1 and expires_at > $4 returning id",
    values: [id, hashToken(token), until.toISOString(), now.toISOString()],
  });
  return row === undefined
    ? refuse("NOT_FOUND", MANAGES_CLAUSE)
    : { id, link: registrationLink(token), until: until.toISOString() };
};

/** Rejects a pending registration. */
export const rejectRegistration = async ({ database }: Service, id: string): Promise<void> => {
  await database.query({ text: "delete from ninefold.sign_up where id = $1", values: [id] });
};
