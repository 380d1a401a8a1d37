import type { Database } from "../../postgres/database.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, refuse, refuseAt } from "../refusal.ts";
import { hashToken } from "../util/token.ts";
import { confirmPassword } from "./password-sign-in.ts";

/** A person who asks for something that outlasts their session, with their proof of identity. */
interface Confirming {
  readonly person: string;
  /** Token of the session. */
  readonly token: string;
  readonly password: string;
  /** JSON pointer to the password in the body. */
  readonly at: string;
}

/** A person without a password must have signed in within this time. */
const FRESH_MINUTES = 10;

/**
 * Protects unattended sessions: the user must enter their password again. A user without one, who signs in through a
 * provider, must have signed in just now.
 */
export const confirmIdentity = async (
  database: Database,
  { person, token, password, at }: Confirming,
  most: number,
  now: Date,
): Promise<Refusal | null> => {
  const [row] = await database.query({
    name: "confirm",
    text: `select c.person is not null as password, s.made_at > $3 as fresh from ninefold.session s left join ninefold.credential c on c.person = s.person
           where s.token_hash = $1 and s.person = $2`,
    values: [hashToken(token), person, new Date(now.getTime() - FRESH_MINUTES * 60_000).toISOString()],
  });
  if (row?.password !== true) return row?.fresh === true ? null : refuse("SIGN_IN_AGAIN", SIGN_IN_CLAUSE);
  const isConfirmed = await confirmPassword(database, { person, password }, most, now);
  if (isConfirmed === true) return null;
  return isConfirmed === false
    ? refuseAt([{ at, code: "WRONG_PASSWORD", clause: SIGN_IN_CLAUSE, values: {} }])
    : isConfirmed;
};
