import type { Database } from "../postgres/database.ts";
import { passwordMatches } from "./passwords.ts";
import { type Refusal, refuse } from "./refusal.ts";

const WINDOW_MINUTES = 15;

/**
 * Whether somebody who is signed in knows their password. It is counted like an attempt to sign in, so that a session
 * left open is no way to find it out.
 */
export const confirmPassword = async (
  database: Database,
  given: { readonly person: string; readonly password: string; readonly address: string },
  most: number,
  now: Date,
): Promise<boolean | Refusal> => {
  const [row] = await database.query({
    text: `select lower(u."email") as email, c.password from app."user" u left join ninefold.credential c on c.person = u."id" where u."id" = $1`,
    values: [given.person],
  });
  const keys = [`account:${String(row?.email)}`, `address:${given.address}`];
  const [account = 0] = await countAttempts(database, keys, now);
  if (account > most) return refuse("TOO_MANY_ATTEMPTS", "9.sign_in_attempts");
  const kept = typeof row?.password === "string" ? row.password : undefined;
  if (!(await passwordMatches(kept, given.password))) return false;
  await forgive(database, keys);
  return true;
};

/**
 * Who has this email address and password. The answer is the same, and takes as long, whichever half was wrong, whether
 * the person exists, and whether the account is active. Attempts are counted by account and by address.
 */
export const checkPassword = async (
  database: Database,
  given: { readonly email: string; readonly password: string; readonly address: string },
  most: number,
  now: Date,
): Promise<string | Refusal> => {
  const email = given.email.trim().toLowerCase();
  const keys = [`account:${email}`, `address:${given.address}`];
  const [account = 0, address = 0] = await countAttempts(database, keys, now);
  // An address may be a whole office behind one router.
  if (account > most || address > most * 10) return refuse("TOO_MANY_ATTEMPTS", "9.sign_in_attempts");
  const [row] = await database.query({
    name: "credential",
    text: `select u."id", c.password from app."user" u join ninefold.credential c on c.person = u."id" where lower(u."email") = $1 and u."active"`,
    values: [email],
  });
  const right = await passwordMatches(row === undefined ? undefined : String(row.password), given.password);
  if (!right || row === undefined) return refuse("BAD_CREDENTIALS", "7.sign in");
  await forgive(database, keys);
  return String(row.id);
};

/** An attempt that succeeded does not count, and ends the count of its account. */
const forgive = async (database: Database, keys: readonly string[]): Promise<void> => {
  await database.query({
    text: `with known as (delete from ninefold.attempt where key = $1)
           update ninefold.attempt set count = greatest(count - 1, 0) where key = $2`,
    values: keys,
  });
};

/**
 * Counts this attempt before anything is checked, by account and by address, and answers how many there were in the
 * window with it. The rows are locked one after the other, so that trying all at once counts no less.
 */
export const countAttempts = async (
  database: Database,
  keys: readonly string[],
  now: Date,
): Promise<readonly number[]> => {
  const start = new Date(now.getTime() - WINDOW_MINUTES * 60_000);
  const rows = await database.query({
    name: "attempts",
    text: `insert into ninefold.attempt as a (key, count, since) select key, 1, $2 from unnest($1::text[]) as key order by key
           on conflict (key) do update set count = case when a.since < $3 then 1 else a.count + 1 end,
                                           since = case when a.since < $3 then $2 else a.since end
           returning key, count`,
    values: [keys, now, start],
  });
  return keys.map((key) => Number(rows.find((row) => row.key === key)?.count ?? 0));
};
