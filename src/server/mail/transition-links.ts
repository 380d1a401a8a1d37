import type { Model } from "../../core/model/model.ts";
import type { Database, Query } from "../../postgres/database.ts";
import { hashToken, newToken } from "../util/token.ts";

/**
 * Links in mails that make one transition of one record in the name of one person, once. Only hashes are stored, and
 * every use is judged like the same request of the person's session.
 */

/** A link that is stored together with its mail. */
export interface NewTransitionLink {
  readonly hash: string;
  readonly person: string;
  readonly email: string;
  readonly entity: string;
  readonly record: string;
  readonly transition: string;
}

/**
 * True if mails offer transitions. With a password, a mailbox opens the account anyway (“Forgot password?”). If people
 * sign in only through a provider, a link would evade the provider's checks.
 */
export const offersTransitions = ({ signIn, limits }: Model): boolean =>
  signIn.password && limits.mailTransitionHours > 0;

/** Creates a link, and its address. */
export const createTransitionLink = (
  origin: string,
  of: Omit<NewTransitionLink, "hash">,
): { readonly link: NewTransitionLink; readonly address: string } => {
  const token = newToken();
  return { link: { ...of, hash: hashToken(token).toString("hex") }, address: `${origin}/sign-in#act=${token}` };
};

export interface TransitionLink {
  readonly person: string;
  readonly entity: string;
  readonly record: string;
  readonly transition: string;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
}

/** The link of a token; undefined if it is unknown or its mail was sent to a former address. A restored copy has none. */
export const findTransitionLink = async (database: Database, token: string): Promise<TransitionLink | undefined> => {
  const [row] = await database.query({
    name: "transition link",
    text: `select l.person, l.entity, l.record, l.transition, l.expires_at, l.used_at
           from ninefold.mail_transition l join app."user" u on u."id" = l.person and u."active" and lower(u."email") = l.email
           where l.token_hash = $1 and (select held_since is null from ninefold.release)`,
    values: [hashToken(token)],
  });
  if (row === undefined) return undefined;
  return {
    person: String(row.person),
    entity: String(row.entity),
    record: String(row.record),
    transition: String(row.transition),
    expiresAt: new Date(String(row.expires_at)),
    usedAt: row.used_at === null ? null : new Date(String(row.used_at)),
  };
};

/** Marks a link as used; returns no row if it cannot be used any more. */
export const takeLinkQuery = (token: string, now: Date): Query => ({
  name: "take transition link",
  text: `update ninefold.mail_transition l set used_at = $2 from app."user" u
         where l.token_hash = $1 and l.used_at is null and l.expires_at > $2 and u."id" = l.person and u."active" and lower(u."email") = l.email
           and (select held_since is null from ninefold.release)
         returning l.person`,
  values: [hashToken(token), now.toISOString()],
});

/** Audit lines that are written in the transaction will name the mail. */
export const nameMailQuery: Query = {
  name: "via mail",
  text: "select set_config('ninefold.via', 'mail', true)",
  values: [],
};
