import { createHmac, timingSafeEqual } from "node:crypto";
import type { Database } from "../../postgres/database.ts";

/** Ends mails without signing in (RFC 8058). */
export const UNSUBSCRIBE = "/_/mail/unsubscribe";

/** Ends mails about notifications, or lists and overviews on a schedule. */
export type MailKind = "notifications" | "reports";

const TOKEN = /^([\da-f-]{36})\.([\w-]{43})(?:\.(reports))?$/u;

/**
 * Signs a person's id. The signature does not expire, because old mails must work too. It only allows ending the mails
 * of one person.
 */
const sign = async (database: Database, person: string, kind: MailKind): Promise<string> => {
  const [row] = await database.query({
    name: "mail secret",
    text: "select value from ninefold.secret where name = 'device'",
    values: [],
  });
  if (!Buffer.isBuffer(row?.value)) throw new Error("the database has no secret for mails");
  return createHmac("sha256", row.value)
    .update(kind === "reports" ? `unsubscribe ${person} ${kind}` : `unsubscribe ${person}`)
    .digest("base64url");
};

/** The address of the page that asks for confirmation, and the one at which mail programs unsubscribe. */
export const unsubscribeAddress = async (
  database: Database,
  origin: string,
  person: string,
  kind: MailKind = "notifications",
): Promise<{ readonly page: string; readonly post: string }> => {
  const token = `${person}.${await sign(database, person, kind)}${kind === "reports" ? ".reports" : ""}`;
  return { page: `${origin}/sign-in#stop-mails=${token}`, post: `${origin}${UNSUBSCRIBE}?token=${token}` };
};

/** The person in a token, and what they unsubscribe from; null if this program did not sign it. */
export const findUnsubscriber = async (
  database: Database,
  token: string,
): Promise<{ readonly person: string; readonly kind: MailKind } | null> => {
  const [, person, signature, reports] = TOKEN.exec(token) ?? [];
  if (person === undefined || signature === undefined) return null;
  const kind = reports === undefined ? "notifications" : "reports";
  const expected = Buffer.from(await sign(database, person, kind));
  return timingSafeEqual(Buffer.from(signature), expected) ? { person, kind } : null;
};
