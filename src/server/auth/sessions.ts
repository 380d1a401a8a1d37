import { hash } from "node:crypto";
import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { Model } from "../../core/model/model.ts";
import { definitionText, fill, render, type Sql, type Statement, sql } from "../../core/sql.ts";
import { type Database, type Query, type Row, StoreRefusal } from "../../postgres/database.ts";
import {
  decodeRoles,
  type OwnSession,
  ownSessionParams,
  ownSessionSql,
  rolesTextSql,
} from "../plan/row/own-session.ts";
import { hashToken, newToken } from "../util/token.ts";

/** A signed-in user. */
export interface SignedIn extends Principal {
  readonly id: string;
  readonly name: string;
  /** The administrator who views the application as this person and may change nothing; otherwise null. */
  readonly impersonator: string | null;
}

/**
 * The user responsible for actions in a session: an administrator answers for what they do while viewing as somebody
 * else.
 */
export const getResponsibleId = ({ id, impersonator }: SignedIn): string => impersonator ?? id;

/**
 * Ignores a view that has expired or whose administrator lost the role. The session then belongs to nobody until the
 * view is ended, so that no page takes it for the administrator's own.
 */
const VALID_IMPERSONATION = `(s.viewed is null or s.viewed_until > $2 and exists (select from app."user" l where l."id" = s.person and l."active" and 'administrator' = any(l."roles")))`;

type NamedText = Pick<Query, "name" | "text">;

/** A statement whose parameters are filled by name. */
interface NamedStatement {
  readonly query: NamedText;
  readonly statement: Statement;
}

/** A text that depends on the deputies of the document has a name of its own, since a prepared statement keeps its text. */
const named = ({ deputies }: Model, name: string, text: string): NamedText => ({
  name: deputies === null ? name : `${name} ${hash("sha256", text, "base64url").slice(0, 30)}`,
  text,
});

const namedStatement = (model: Model, name: string, fragment: Sql): NamedStatement => {
  const statement = render(fragment);
  return { query: named(model, name, statement.text), statement };
};

/** The statements about sessions, which depend on the document only by its deputies. */
interface SessionTexts {
  readonly session: NamedText;
  readonly sameSession: NamedStatement;
  readonly requireSession: NamedStatement;
  readonly person: NamedText;
}

const textsByModel = new WeakMap<Model, SessionTexts>();

/** Kept for each document, because every request needs one of them. */
const getTexts = (model: Model): SessionTexts => {
  const known = textsByModel.get(model);
  if (known !== undefined) return known;
  // `$2` is the time.
  const roles = definitionText(rolesTextSql(model, sql`u`, sql`$2`));
  const texts: SessionTexts = {
    session: named(
      model,
      "session",
      `select u."id", u."name", ${roles} as "roles", case when s.viewed is not null then s.person end as impersonator
         from ninefold.session s join app."user" u on u."id" = coalesce(s.viewed, s.person)
         where s.token_hash = $1 and s.expires_at > $2 and u."active" and ${VALID_IMPERSONATION}`,
    ),
    sameSession: namedStatement(model, "same session", sql`SELECT ${ownSessionSql(model)}`),
    requireSession: namedStatement(model, "require session", sql`SELECT 1 / count(*) ${ownSessionSql(model)}`),
    person: named(
      model,
      "person",
      `select u."id", u."name", ${roles} as "roles" from app."user" u where u."id" = $1 and u."active"`,
    ),
  };
  textsByModel.set(model, texts);
  return texts;
};

/** Finds the user of a session token, in one prepared statement. */
export const sessionQuery = (model: Model, token: string, now: Date): Query => ({
  ...getTexts(model).session,
  values: [hashToken(token), now.toISOString()],
});

/** A session of the person's own, for statements that check it themselves. */
export const getOwnSession = (token: string, { name, granted }: SignedIn): OwnSession => ({
  tokenHash: hashToken(token),
  name,
  roles: granted,
});

const queryOwnSession = ({ query, statement }: NamedStatement, token: string, person: SignedIn, now: Date): Query => ({
  ...query,
  values: fill(statement, {
    user: person.id,
    now: now.toISOString(),
    ...ownSessionParams(getOwnSession(token, person)),
  }),
});

/** Finds a row, which has no columns, if the token is that of the person's own session. */
export const sameSessionQuery = (model: Model, token: string, person: SignedIn, now: Date): Query =>
  queryOwnSession(getTexts(model).sameSession, token, person, now);

/**
 * Fails unless the token is that of the person's own session, so that later statements of the transaction are not executed
 * (`isOtherPersonError`).
 */
export const requireSessionQuery = (model: Model, token: string, person: SignedIn, now: Date): Query =>
  queryOwnSession(getTexts(model).requireSession, token, person, now);

const DIVISION_BY_ZERO = "22012";

/** True if a statement failed because the token does not belong to the expected person. */
export const isOtherPersonError = (error: unknown): boolean =>
  error instanceof StoreRefusal && error.code === DIVISION_BY_ZERO;

/** The user in a row of `sessionQuery`; null if there is none. */
export const decodeSession = (row: Row | undefined): SignedIn | null =>
  row === undefined
    ? null
    : {
        id: String(row.id),
        name: String(row.name),
        impersonator: typeof row.impersonator === "string" ? row.impersonator : null,
        granted: decodeRoles(row.roles),
      };

/** An active person with their roles, as a session of theirs has them; null if there is none. */
export const readPerson = async (
  { database, model }: { readonly database: Database; readonly model: Model },
  id: string,
  now: Date,
): Promise<SignedIn | null> => {
  const [row] = await database.query({
    ...getTexts(model).person,
    values: model.deputies === null ? [id] : [id, now.toISOString()],
  });
  return decodeSession(row);
};

/** No session token is longer. */
const isToken = (text: string): boolean => text.length <= 100;

/** The user of a session token; null if it is unknown, ended or expired. */
export const readSession = async (
  { database, model }: { readonly database: Database; readonly model: Model },
  token: string,
  now: Date,
): Promise<SignedIn | null> => {
  if (!isToken(token)) return null;
  const [row] = await database.query(sessionQuery(model, token, now));
  return decodeSession(row);
};

/** The origin of a session, by which its owner recognises it. */
export interface SessionOrigin {
  readonly agent: string;
  readonly address: string;
}

/** Starts a session and returns its token, which is not stored anywhere. */
export const beginSession = async (
  database: Database,
  person: string,
  hours: number,
  now: Date,
  { agent, address }: SessionOrigin = { agent: "", address: "" },
): Promise<string> => {
  const token = newToken();
  await database.query({
    text: `with old as (delete from ninefold.session where expires_at < $4)
           insert into ninefold.session (token_hash, person, made_at, expires_at, agent, address) values ($1, $2, $4, $3, $5, $6)`,
    values: [hashToken(token), person, new Date(now.getTime() + hours * 3_600_000), now, agent.slice(0, 300), address],
  });
  return token;
};

/**
 * Ends a session and starts another of its person. Of two requests with one token, one is served. Undefined for a token
 * that has ended, and for a session in which an administrator views the application as somebody else.
 */
export const renewSession = async (
  database: Database,
  token: string,
  hours: number,
  now: Date,
  { agent, address }: SessionOrigin,
): Promise<{ readonly token: string; readonly person: string } | undefined> => {
  if (!isToken(token)) return undefined;
  const fresh = newToken();
  const [row] = await database.query({
    text: `with old as (delete from ninefold.session s using app."user" u
                        where s.token_hash = $1 and s.expires_at > $4 and s.viewed is null and u."id" = s.person and u."active" returning s.person)
           insert into ninefold.session (token_hash, person, made_at, expires_at, agent, address) select $2, person, $4, $3, $5, $6 from old returning person`,
    values: [
      hashToken(token),
      hashToken(fresh),
      new Date(now.getTime() + hours * 3_600_000),
      now,
      agent.slice(0, 300),
      address,
    ],
  });
  return row === undefined ? undefined : { token: fresh, person: String(row.person) };
};

/** Maximum duration of viewing as somebody else. */
export const IMPERSONATION_MINUTES = 30;

/**
 * Lets an administrator view the application as somebody else, read-only, with an entry in the audit. The session stays
 * the administrator's, so whatever ends it ends the view. False if the person does not exist.
 */
export const beginImpersonation = async (
  database: Database,
  token: string,
  {
    administrator,
    person,
    clause,
    document,
  }: Readonly<Record<"administrator" | "person" | "clause", string>> & { readonly document: number },
  now: Date,
): Promise<boolean> => {
  const rows = await database.query({
    text: `with "s" as (update ninefold.session set viewed = u."id", viewed_until = $5 from app."user" u
                        where token_hash = $1 and person = $3 and viewed is null and u."id" = $2 and u."id" <> $3 and u."active" returning u."id"),
                "a" as (insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
                        select $4, $3, 'Account', "id", 'look_as', $6, $7, '{}' from "s")
           select "id" from "s"`,
    values: [
      hashToken(token),
      person,
      administrator,
      now,
      new Date(now.getTime() + IMPERSONATION_MINUTES * 60_000),
      clause,
      document,
    ],
  });
  return rows.length > 0;
};

/** Ends the view, even if it has expired; false if there is no session. */
export const endImpersonation = async (database: Database, token: string, now: Date): Promise<boolean> => {
  const rows = await database.query({
    text: "update ninefold.session set viewed = null, viewed_until = null where token_hash = $1 and expires_at > $2 returning id",
    values: [hashToken(token), now],
  });
  return rows.length > 0;
};

export const endSession = async (database: Database, token: string): Promise<void> => {
  await database.query({ text: "delete from ninefold.session where token_hash = $1", values: [hashToken(token)] });
};
