import type { Database } from "../postgres/database.ts";
import { passwordMatches } from "./passwords.ts";
import { type Refusal, refuse } from "./refusal.ts";

const WINDOW_MINUTES = 15;

/**
 * Who has this email address and password. The answer is the same, and takes as long, whichever half was wrong, whether
 * the person exists, and whether the account is active. Attempts are counted by account and by address.
 */
export const checkPassword = async (
  database: Database,
  given: { readonly email: string; readonly password: string; readonly address: string },
  most: number,
): Promise<string | Refusal> => {
  const account = `account:${given.email.trim().toLowerCase()}`;
  const address = `address:${given.address}`;
  const [count] = await database.query({
    name: "attempts",
    text: `select (select count(*) from ninefold.attempt where key = $1 and at > now() - make_interval(mins => $3))::int as account,
                  (select count(*) from ninefold.attempt where key = $2 and at > now() - make_interval(mins => $3))::int as address`,
    values: [account, address, WINDOW_MINUTES],
  });
  // An address may be a whole office behind one router.
  if (Number(count?.account) >= most || Number(count?.address) >= most * 10)
    return refuse("TOO_MANY_ATTEMPTS", "9.sign_in_attempts");
  const [row] = await database.query({
    name: "credential",
    text: `select u."id", c.password from app."user" u join ninefold.credential c on c.person = u."id" where lower(u."email") = $1 and u."active"`,
    values: [given.email.trim().toLowerCase()],
  });
  const right = await passwordMatches(row === undefined ? undefined : String(row.password), given.password);
  if (right && row !== undefined) {
    await database.query({ text: "delete from ninefold.attempt where key = $1", values: [account] });
    return String(row.id);
  }
  await database.query({
    text: `with old as (delete from ninefold.attempt where at < now() - make_interval(mins => $3))
           insert into ninefold.attempt (key) values ($1), ($2)`,
    values: [account, address, WINDOW_MINUTES],
  });
  return refuse("BAD_CREDENTIALS", "7.sign in");
};
