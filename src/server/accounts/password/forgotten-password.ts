import { TOO_MANY } from "../../auth/password-sign-in.ts";
import type { Service } from "../../execution/service.ts";
import { type AttemptLimit, countAttempt, limitKey } from "../../limits/attempts.ts";
import { getNetwork } from "../../limits/network.ts";
import { CHOSEN_LANGUAGE, insertMailSql, writeInLanguages } from "../../mail/queue-mail.ts";
import { SIGN_IN_CLAUSE } from "../../plan/write/account-change.ts";
import { isRefusal, type Refusal, refuse } from "../../refusal.ts";
import { hashToken, newToken } from "../../util/token.ts";
import { parseAddress, type Registering } from "../registration.ts";
import { linkAfter, passwordLink } from "./password-links.ts";

/** Anybody can request this link, so it is valid for a shorter time than one from an administrator. */
const FORGOTTEN_HOURS = 1;
/** Mails per address and day, which limits unsolicited mail. */
const MAILS_TO_ADDRESS = 3;
/** Mails per network and hour. */
const MAILS_FROM_NETWORK = 30;

interface ForgottenPassword extends Registering {
  /** Address of a page of another program that sets the password, to which the token is added. */
  readonly link?: string | undefined;
}

/**
 * Mails a link for a new password to a person who has one, or who never signed in: their invitation can have expired, and
 * it went to the same address. People who sign in only through a provider get none. The response and its duration are the
 * same for an unknown address; only what cannot be an address is refused. Links from administrators remain valid.
 */
export const askForPassword = async (
  { database, model }: Service,
  { email: enteredEmail, address, language, origin, link }: ForgottenPassword,
  now: Date,
): Promise<Refusal | null> => {
  if (origin === null || !model.signIn.password) return refuse("FORBIDDEN", SIGN_IN_CLAUSE);
  const email = parseAddress(enteredEmail);
  if (isRefusal(email)) return email;
  const limits: readonly AttemptLimit[] = [
    { key: limitKey("forgotten-network", getNetwork(address)), most: MAILS_FROM_NETWORK, minutes: 60, beyond: "none" },
    { key: limitKey("forgotten", email), most: MAILS_TO_ADDRESS, minutes: 24 * 60, beyond: "none" },
  ];
  if (!(await countAttempt(database, limits, now))) return TOO_MANY;
  const token = newToken();
  const page = link === undefined || link === "" ? `${origin}${passwordLink(token)}` : `${link}${token}`;
  const write = (isFirst: boolean) => [
    ...writeInLanguages(model, (words, say) => words.forgotten(say(model.name), page, isFirst)),
    language,
    now.toISOString(),
  ];
  await database.query({
    name: "password forgotten",
    text: `with u as (select u."id", u."email", ${CHOSEN_LANGUAGE} as language,
                        not exists (select from ninefold.credential c where c.person = u."id") as is_first
                      from app."user" u where lower(u."email") = $1 and u."active"),
             p as (select * from u where not is_first or not exists (select from ninefold.identity i where i.person = u."id")),
             l as (insert into ninefold.once_link (token_hash, purpose, person, made_at, expires_at) select $2, 'password', "id", $3, $4 from p),
             again as (select * from p where not is_first),
             first as (select * from p where is_first),
             m as (${insertMailSql("again", "$2", 5)})
           ${insertMailSql("first", "$2", 10)}`,
    values: [
      email,
      hashToken(token),
      now.toISOString(),
      linkAfter(now, FORGOTTEN_HOURS).toISOString(),
      ...write(false),
      ...write(true),
    ],
  });
  return null;
};
