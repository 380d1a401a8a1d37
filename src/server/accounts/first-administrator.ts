import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import type { Database } from "../../postgres/database.ts";
import { networkLimit, TOO_MANY } from "../auth/password-sign-in.ts";
import type { Service } from "../execution/service.ts";
import { countAttempt } from "../limits/attempts.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { hashToken, newToken } from "../util/token.ts";
import { createPerson, hasAdministrator, type NewPerson } from "./create-person.ts";

const PURPOSE = "first administrator";

/**
 * Creates a link by which one person becomes the first administrator. It is valid for a day and replaces earlier ones.
 */
export const createFirstAdministratorToken = async (database: Database, now: Date): Promise<string> => {
  const token = newToken();
  await database.query({
    text: `with old as (delete from ninefold.once_link where purpose = $2)
           insert into ninefold.once_link (token_hash, purpose, expires_at) values ($1, $2, $3)`,
    values: [hashToken(token), PURPOSE, new Date(now.getTime() + 86_400_000)],
  });
  return token;
};

/**
 * Uses the link and creates the person; refuses an invalid or used link. Checks the link and counts attempts before
 * hashing, so that nobody without a link can cause that cost.
 */
export const createFirstAdministrator = async (
  service: Service,
  { token, address }: { readonly token: string; readonly address: string },
  person: Omit<NewPerson, "roles">,
  now: Date,
): Promise<string | Refusal> => {
  const { database, model } = service;
  const limits = [networkLimit("first-administrator", address, model.limits.signInAttempts)];
  if (!(await countAttempt(database, limits, now))) return TOO_MANY;
  const hash = hashToken(token);
  const [link] = await database.query({
    name: "first administrator's link",
    text: "select 1 from ninefold.once_link where token_hash = $1 and purpose = $2 and expires_at > $3",
    values: [hash, PURPOSE, now.toISOString()],
  });
  if (link === undefined || (await hasAdministrator(service))) return refuse("LINK_USED", SIGN_IN_CLAUSE);
  return createPerson(service, { ...person, roles: [ADMINISTRATOR] }, now, {
    link: { hash, purpose: PURPOSE },
    isChecked: false,
  });
};
