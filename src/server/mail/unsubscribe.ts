import { createHmac, timingSafeEqual } from "node:crypto";
import type { Database } from "../../postgres/database.ts";

/** Ends mails without signing in (RFC 8058). */
export const UNSUBSCRIBE = "/_/mail/unsubscribe";

const TOKEN = /^([\da-f-]{36})\.([\w-]{43})$/u;

/** The signature does not expire, because old mails must work too. All it allows is to end mails of one person. */
const sign = async (database: Database, person: string): Promise<string> => {
  const [row] = await database.query({
    name: "mail secret",
    text: "select value from ninefold.secret where name = 'device'",
    values: [],
  });
  if (!Buffer.isBuffer(row?.value)) throw new Error("the database has no secret for mails");
  return createHmac("sha256", row.value).update(`unsubscribe ${person}`).digest("base64url");
};

/** The page that asks once, and the address at which mail programs end mails. */
export const unsubscribeAddress = async (
  database: Database,
  origin: string,
  person: string,
): Promise<{ readonly page: string; readonly post: string }> => {
  const token = `${person}.${await sign(database, person)}`;
  return { page: `${origin}/sign-in#stop-mails=${token}`, post: `${origin}${UNSUBSCRIBE}?token=${token}` };
};

/** The person in a token; null if it is not signed by this program. */
export const findUnsubscriber = async (database: Database, token: string): Promise<string | null> => {
  const [, person, signature] = TOKEN.exec(token) ?? [];
  if (person === undefined || signature === undefined) return null;
  const expected = Buffer.from(await sign(database, person));
  return timingSafeEqual(Buffer.from(signature), expected) ? person : null;
};
