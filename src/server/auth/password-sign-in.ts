import { identifier, render, slot, sql } from "../../core/sql.ts";
import type { Database } from "../../postgres/database.ts";
import { type AttemptLimit, countAttempt, forgiveAttempt, limitKey } from "../limits/attempts.ts";
import { getNetwork } from "../limits/network.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { passwordMatches } from "../util/password-hash.ts";
import type { Device } from "./devices.ts";

const MINUTES = 15;

/** Limits that allow for a whole office behind one router, and for attacks on one account from many networks. */
const MANY = 10;

export const TOO_MANY = refuse("TOO_MANY_ATTEMPTS", "9.sign_in_attempts");

const limit = (key: string, most: number): AttemptLimit => ({ key, most, minutes: MINUTES, beyond: "slower" });

/** Limits failed attempts from one network that name no known person, such as invalid tokens. */
export const networkLimit = (kind: string, address: string, most: number): AttemptLimit =>
  limit(limitKey(kind, getNetwork(address)), most * MANY);

/**
 * Checks the password of a signed-in user. Attempts are counted, so that nobody can guess it in an unattended session.
 */
export const confirmPassword = async (
  database: Database,
  confirmation: { readonly person: string; readonly password: string },
  most: number,
  now: Date,
): Promise<boolean | Refusal> => {
  const [row] = await database.query({
    text: "select password from ninefold.credential where person = $1",
    values: [confirmation.person],
  });
  const limits = [limit(limitKey("confirm", confirmation.person), most)];
  if (!(await countAttempt(database, limits, now))) return TOO_MANY;
  const passwordHash = typeof row?.password === "string" ? row.password : undefined;
  if (!(await passwordMatches(passwordHash, confirmation.password))) return false;
  await forgiveAttempt(database, [], limits);
  return true;
};

/**
 * Builds the statement that finds an active person and the hash of their password by a unique field. $1 is its value.
 */
const readCredential = (by: string): { readonly name: string; readonly text: string } => {
  const found = by === "email" ? sql`lower(u."email")` : sql`u.${identifier(by)}`;
  const { text } = render(
    sql`select u."id", c.password from app."user" u join ninefold.credential c on c.person = u."id" where ${found} = ${slot("account", "text")} and u."active"`,
  );
  return { name: `credential by ${by}`, text };
};

/** The name of an account as it is compared: email addresses without regard to case. */
const normalizeAccount = ({ by, account }: { readonly by: string; readonly account: string }): string =>
  by === "email" ? account.trim().toLowerCase() : account.trim();

/** The active person with an account, and the hash of their password. */
export const findCredential = async (
  database: Database,
  credentials: { readonly by: string; readonly account: string },
): Promise<{ readonly person: string; readonly hash: string } | undefined> => {
  const [row] = await database.query({ ...readCredential(credentials.by), values: [normalizeAccount(credentials)] });
  return row === undefined ? undefined : { person: String(row.id), hash: String(row.password) };
};

/**
 * Signs in by a unique field of a person, usually the email address, and a password. The response and its duration do
 * not tell which half was wrong, whether the person exists, or whether the account is active. Attempts are counted by
 * network, by account and network, and by account. Attempts from a browser in which the person has signed in before are
 * counted separately, so that strangers cannot lock the owner out.
 */
export const checkPassword = async (
  database: Database,
  credentials: {
    /** A unique field of `User`. */
    readonly by: string;
    readonly account: string;
    readonly password: string;
    readonly address: string;
    readonly device: Device | null;
  },
  most: number,
  now: Date,
): Promise<string | Refusal> => {
  const { by } = credentials;
  const account = normalizeAccount(credentials);
  const found = await findCredential(database, credentials);
  const { device } = credentials;
  const network = getNetwork(credentials.address);
  // Each way to name an account has its own limit: a common one would tell which name belongs to which address.
  const named = by === "email" ? account : `${by} ${account}`;
  const pair = limit(limitKey("account", named, network), most);
  const limits =
    device !== null && device.person === found?.person
      ? [limit(limitKey("device", device.nonce), most)]
      : [limit(limitKey("network", network), most * MANY), pair, limit(limitKey("account", named), most * MANY)];
  if (!(await countAttempt(database, limits, now))) return TOO_MANY;
  const matches = await passwordMatches(found?.hash, credentials.password);
  if (!matches || found === undefined) return refuse("BAD_CREDENTIALS", "7.sign in");
  await forgiveAttempt(database, limits, limits.length === 1 ? limits : [pair]);
  return found.person;
};
