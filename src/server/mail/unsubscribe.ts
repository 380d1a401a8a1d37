import { createHmac, timingSafeEqual } from "node:crypto";
import type { Database } from "../../postgres/database.ts";

/** Ends mails without signing in (RFC 8058). */
export const UNSUBSCRIBE = "/_/mail/unsubscribe";

const TOKEN = /^([\da-f-]{36})\.([\w-]{43})$/u;

/**
 * Signs a person's id. The signature does not expire, because old mails must work too. It only allows ending the mails
 * of one person.
 */
const sign = async (database: Database, person: string): Promise<string> => {
  const [row] = await database.query({
    name: "mail secret",
    text: "select value from ninefold.secret where name = 'device'",
    values: [],
  });
  if (!Buffer.isBuffer(row?.value)) throw new Error("the database has no secret for mails");
  return createHmac("sha256", row.value).update(`unsubscribe ${person}`).digest("base64url");
};

/** The address of the page that asks for confirmation, and the one at which mail programs unsubscribe. */
export const unsubscribeAddress = async (
  database: Database,
  origin: string,
  person: string,
): Promise<{ readonly page: string; readonly post: string }> => {
  const token = `${person}.${await sign(database, person)}`;
  return { page: `${origin}/sign-in#stop-mails=${token}`, post: `${origin}${UNSUBSCRIBE}?token=${token}` };
};

/** The person in a token; null if this program did not sign it. */
export const findUnsubscriber = async (database: Database, token: string): Promise<string | null> => {
  const [, person, signature] = TOKEN.exec(token) ?? [];
  if (person === undefined || signature === undefined) return null;
  const expected = Buffer.from(await sign(database, person));
  return timingSafeEqual(Buffer.from(signature), expected) ? person : null;
};
