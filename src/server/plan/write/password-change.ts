import { type Sql, slot, sql } from "../../../core/sql.ts";
import { refuse } from "../../refusal.ts";
import { ATTEMPTS, CREDENTIALS, LINES, LINKS, TABLE, WRITTEN_ROWS } from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext } from "../context.ts";
import { DONE_OUTCOME, type Done } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { auditLine } from "../row/audit-line.ts";
import { toQuery } from "../statements.ts";
import { tableAs, writeStatementSql } from "../transaction/write-statement.ts";
import {
  asAccount,
  deleteLinksSql,
  deleteSessionsSql,
  deleteTokensSql,
  mailNoticeSql,
  type Notice,
  noticeParams,
  SIGN_IN_CLAUSE,
} from "./account-change.ts";

export interface PasswordChange {
  readonly person: string;
  /** The hash of the new password. */
  readonly password: string;
  /** The hash of the link that is used up; null for people who are signed in. */
  readonly link: Buffer | null;
  /** The hash of the session that remains. */
  readonly keptSession: Buffer | null;
}

/** Sets a password in one statement, which also ends sessions, tokens and links, and resets failed sign-in attempts. */
export const planPasswordChange = (
  context: PlanContext,
  { person, password, link, keptSession }: PasswordChange,
  caller: Caller,
  notice: Notice | null,
): BatchPlan<Done> => {
  const entity = asAccount(getEntity(context, "User"));
  const written = context.statements.get(["set password", link !== null], () => ({
    more: undefined,
    sql: writeStatementSql({
      rows:
        link === null ? [tableAs(WRITTEN_ROWS, ownAccountSql)] : [takeLinkSql, tableAs(WRITTEN_ROWS, linkedAccountSql)],
      written:
        () => sql`${storePasswordSql}${link === null ? deleteLinksSql : sql``}${deleteSessionsSql}${deleteTokensSql}${mailNoticeSql}${forgetAttemptsSql},
        ${LINES} AS (${auditLine({ entity, action: "set_password", clause: SIGN_IN_CLAUSE, version: context.version, changes: sql`'{}'::jsonb`, from: sql`FROM ${WRITTEN_ROWS}` })})`,
      result: { columns: [sql`${WRITTEN_ROWS}."id"`], from: sql`FROM ${WRITTEN_ROWS}` },
    }),
  }));
  return planBatch<Done>(
    [
      toQuery(written, {
        ...callerParams(caller),
        id: person,
        link,
        keep: keptSession,
        password,
        ...noticeParams(notice),
      }),
    ],
    ([rows]) => (rows?.[0] === undefined ? refuse("LINK_USED", SIGN_IN_CLAUSE) : DONE_OUTCOME),
  );
};

const ownAccountSql: Sql = sql`SELECT ${TABLE}."id", ${TABLE}."email" FROM "app"."user" AS ${TABLE} WHERE ${TABLE}."id" = ${slot("id", "uuid")} AND ${TABLE}."active"`;

const linkedAccountSql: Sql = sql`SELECT ${TABLE}."id", ${TABLE}."email" FROM "app"."user" AS ${TABLE} JOIN ${LINKS} ON ${LINKS}.person = ${TABLE}."id" WHERE ${TABLE}."active"`;

const takeLinkSql = tableAs(
  LINKS,
  sql`DELETE FROM ninefold.once_link WHERE token_hash = ${slot("link", "bytea")} AND purpose = 'password' AND expires_at > ${slot("now", "timestamptz")} RETURNING person`,
);

const storePasswordSql = sql`${CREDENTIALS} AS (INSERT INTO ninefold.credential (person, password) SELECT "id", ${slot("password", "text")} FROM ${WRITTEN_ROWS} ON CONFLICT (person) DO UPDATE SET password = excluded.password)`;

const forgetAttemptsSql = sql`,
        ${ATTEMPTS} AS (DELETE FROM ninefold.attempt WHERE EXISTS (SELECT FROM ${WRITTEN_ROWS} WHERE starts_with(key, 'account:' || encode(sha256(convert_to(lower("email"), 'UTF8')), 'hex'))))`;
