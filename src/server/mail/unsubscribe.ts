import { createHmac, timingSafeEqual } from "node:crypto";
import { LONGEST_TITLE, parseMailToken, writeMailTokenEnd } from "../../core/wire/accounts/mail-token.ts";
import type { Database } from "../../postgres/database.ts";

/** Ends mails without signing in (RFC 8058). */
export const UNSUBSCRIBE = "/_/mail/unsubscribe";

/**
 * Mails about notifications, all lists and overviews on a schedule, or one of them by its address. Its page names it by its
 * title, as the reader of the mail knows it.
 */
export type MailKind = "notifications" | "reports" | { readonly screen: string; readonly title: string | null };

const encode = (text: string): string => Buffer.from(text).toString("base64url");

const decode = (text: string): string => Buffer.from(text, "base64url").toString("utf8");

/** The part of a token that says what it ends. */
const nameKind = (kind: MailKind): string =>
  typeof kind === "string"
    ? writeMailTokenEnd(kind)
    : writeMailTokenEnd("report", ...[kind.screen, kind.title?.slice(0, LONGEST_TITLE) ?? []].flat().map(encode));

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
    .update(`unsubscribe ${person}${nameKind(kind).replaceAll(".", " ")}`)
    .digest("base64url");
};

/** The address of the page about a token, below the origin. */
export const unsubscribePage = (token: string): string => `/sign-in#stop-mails=${token}`;

/** The address of the page that asks for confirmation, and the one at which mail programs unsubscribe. */
export const unsubscribeAddress = async (
  database: Database,
  origin: string,
  person: string,
  kind: MailKind = "notifications",
): Promise<{ readonly page: string; readonly post: string }> => {
  const token = `${person}.${await sign(database, person, kind)}${nameKind(kind)}`;
  return { page: `${origin}${unsubscribePage(token)}`, post: `${origin}${UNSUBSCRIBE}?token=${token}` };
};

/** The person in a token, and what they unsubscribe from; null if this program did not sign it. */
export const findUnsubscriber = async (
  database: Database,
  token: string,
): Promise<{ readonly person: string; readonly kind: MailKind } | null> => {
  const read = parseMailToken(token);
  if (read === null) return null;
  const { person, signature } = read;
  const kind: MailKind =
    read.kind === "report"
      ? { screen: decode(read.screen ?? ""), title: read.title === null ? null : decode(read.title) }
      : read.kind;
  const expected = Buffer.from(await sign(database, person, kind));
  return timingSafeEqual(Buffer.from(signature), expected) ? { person, kind } : null;
};
