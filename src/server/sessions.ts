import { hash, randomBytes } from "node:crypto";
import type { Person } from "../core/derive/access.ts";
import { type Database, type Query, type Row, StoreRefusal } from "../postgres/database.ts";

/** A person who is signed in. */
export interface SignedIn extends Person {
  readonly id: string;
  readonly name: string;
}

/** Tokens are kept as their SHA-256 alone: who reads the database cannot use them. */
export const hashToken = (token: string): Buffer => hash("sha256", token, "buffer");

export const newToken = (): string => randomBytes(32).toString("base64url");

const borne = `from ninefold.session s join app."user" u on u."id" = s.person
         where s.token_hash = $1 and s.expires_at > $2 and u."active"`;

/** Who bears a token: one statement, named, on the hashed token. */
export const sessionQuery = (token: string, now: Date): Query => ({
  name: "session",
  text: `select u."id", u."name", array_to_string(u."roles", ',') as "roles" ${borne}`,
  values: [hashToken(token), now.toISOString()],
});

/**
 * Fails where a token is not borne by this person with these roles: what stands behind it in one transaction is not done
 * then (`isAnother`).
 */
export const sameSessionQuery = (token: string, { id, granted }: SignedIn, now: Date): Query => ({
  name: "same session",
  text: `select 1 / count(*) ${borne} and u."id" = $3 and array_to_string(u."roles", ',') = $4`,
  values: [hashToken(token), now.toISOString(), id, [...granted].join()],
});

const DIVISION_BY_ZERO = "22012";

/** Whether a statement may have failed because a token is not borne by whom it was written for. */
export const isAnother = (error: unknown): boolean => error instanceof StoreRefusal && error.code === DIVISION_BY_ZERO;

const none: ReadonlySet<string> = new Set();

/** The person of a row of `sessionQuery`; null where there is none. */
export const signedInBy = (row: Row | undefined): SignedIn | null =>
  row === undefined
    ? null
    : {
        id: String(row.id),
        name: String(row.name),
        // No role has a comma in its name.
        granted: row.roles === "" ? none : new Set(String(row.roles).split(",")),
      };

/** No token of ours is longer. */
const isToken = (text: string): boolean => text.length <= 100;

/** Who bears the token; null when it is unknown, ended or too old. One statement, named, on a hashed token. */
export const readSession = async (database: Database, token: string, now: Date): Promise<SignedIn | null> => {
  if (!isToken(token)) return null;
  const [row] = await database.query(sessionQuery(token, now));
  return signedInBy(row);
};

/** From where a session was begun, so that its person knows it again. */
export interface Whence {
  readonly agent: string;
  readonly address: string;
}

/** Begins a session and answers its token, which is known to nobody else from then on. */
export const beginSession = async (
  database: Database,
  person: string,
  hours: number,
  now: Date,
  { agent, address }: Whence = { agent: "", address: "" },
): Promise<string> => {
  const token = newToken();
  await database.query({
    text: `with old as (delete from ninefold.session where expires_at < $4)
           insert into ninefold.session (token_hash, person, made_at, expires_at, agent, address) values ($1, $2, $4, $3, $5, $6)`,
    values: [hashToken(token), person, new Date(now.getTime() + hours * 3_600_000), now, agent.slice(0, 300), address],
  });
  return token;
};

export const endSession = async (database: Database, token: string): Promise<void> => {
  await database.query({ text: "delete from ninefold.session where token_hash = $1", values: [hashToken(token)] });
};
