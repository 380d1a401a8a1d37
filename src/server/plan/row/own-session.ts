import { heldRolesSql } from "../../../core/derive/sql/held-roles.ts";
import type { Model } from "../../../core/model/model.ts";
import { type Sql, slot, sql } from "../../../core/sql.ts";
import type { Query } from "../../../postgres/database.ts";
import { type Caller, callerParams, type PlanContext } from "../context.ts";
import { toQuery } from "../statements.ts";

/** The session for whose person a request is planned, as its statements check it. */
export interface OwnSession {
  readonly tokenHash: Uint8Array;
  readonly name: string;
  readonly roles: ReadonlySet<string>;
}

const TOKEN = "session token";
const NAME = "session name";
const ROLES = "session roles";

/** The roles of a person as one text. `user`: the row of the person. */
export const rolesTextSql = (model: Model, user: Sql, now: Sql): Sql =>
  sql`array_to_string(${heldRolesSql(model, user, now)}, ',')`;

const noRoles: ReadonlySet<string> = new Set();

/** The roles in a text of `rolesTextSql`. Role names contain no comma. */
export const decodeRoles = (roles: unknown): ReadonlySet<string> =>
  roles === "" ? noRoles : new Set(String(roles).split(","));

/** Reads the roles of active people at the time of the caller. */
export const heldRolesQuery = (
  { model, statements }: PlanContext,
  people: readonly string[],
  caller: Caller,
): Query => {
  const written = statements.get(["held roles"], () => ({
    more: undefined,
    sql: sql`SELECT u."id", ${rolesTextSql(model, sql`u`, sql`${slot("now", "timestamptz")}`)} AS "roles" FROM app."user" u WHERE u."id" = ANY(${slot("people", "uuid[]")}) AND u."active"`,
  }));
  return toQuery(written, { ...callerParams(caller), people });
};

/**
 * `FROM … WHERE …`: a row if the token still belongs to the caller, with this name and these roles. Only for sessions of the
 * person's own: an administrator viewing as somebody else may not write, and Postgres prepares the check of a view anew with
 * each run, although there is nearly always none.
 */
export const ownSessionSql = (model: Model): Sql => {
  const now = sql`${slot("now", "timestamptz")}`;
  return sql`FROM ninefold.session s JOIN app."user" u ON u."id" = s.person WHERE s.token_hash = ${slot(TOKEN, "bytea")} AND s.expires_at > ${now} AND s.viewed IS NULL AND u."active" AND u."id" = ${slot("user", "uuid")} AND u."name" = ${slot(NAME, "text")} AND ${rolesTextSql(model, sql`u`, now)} = ${slot(ROLES, "text")}`;
};

/** A condition of another statement: the session is valid. Postgres evaluates it once, before it reads any row. */
export const sessionHolds = (model: Model): Sql => sql`EXISTS (SELECT ${ownSessionSql(model)})`;

/** The parameters of `ownSessionSql`, beside those of the caller. */
export const ownSessionParams = (session: OwnSession | undefined): Readonly<Record<string, unknown>> =>
  session === undefined
    ? noParams
    : { [TOKEN]: session.tokenHash, [NAME]: session.name, [ROLES]: [...session.roles].join() };

const noParams: Readonly<Record<string, unknown>> = {};
