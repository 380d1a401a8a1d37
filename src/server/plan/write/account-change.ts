import type { Entity } from "../../../core/model/entity.ts";
import { ADMINISTRATOR } from "../../../core/model/permissions.ts";
import { type Sql, slot, sql } from "../../../core/sql.ts";
import { refuse } from "../../refusal.ts";
import {
  ADMINISTRATORS,
  CURRENT,
  LINES,
  LINKS,
  MAIL_LINKS,
  MAILS,
  OLD_LINKS,
  SESSIONS,
  TABLE,
  TOKENS,
  VIEWS,
  WRITTEN_ROWS,
} from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext } from "../context.ts";
import { DONE_OUTCOME, type Done } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { asBoolean, resultShape } from "../result-columns.ts";
import { auditLine } from "../row/audit-line.ts";
import { toQuery } from "../statements.ts";
import { updateRowsSql } from "../transaction/update-rows.ts";
import { tableAs, writeStatementSql } from "../transaction/write-statement.ts";

/** The clause of account operations that no clause of point 6 decides. */
export const SIGN_IN_CLAUSE = "7.sign in";

/** The clause of tokens for programs. */
export const TOKEN_CLAUSE = "7.token";

/** The clause of the built-in role: administrators manage people. */
export const MANAGES_CLAUSE = "6.administrator";

/** A change of an account other than its creation. */
export type AccountChange =
  | { readonly kind: "activate" | "deactivate" | "end_sessions" }
  | { readonly kind: "grant" | "take"; readonly role: string }
  /** A link for setting a password, stored as the hash of its token; it replaces earlier ones. */
  | { readonly kind: "password_link"; readonly hash: Buffer; readonly until: Date }
  /** A token for programs, stored as its hash, with a subset of the person's roles. */
  | {
      readonly kind: "make_token";
      readonly hash: Buffer;
      readonly name: string;
      readonly roles: readonly string[];
      readonly reads: boolean;
      readonly until: Date;
    }
  | { readonly kind: "end_token"; readonly token: string }
  /** The provider account with which the person signs in from now on. */
  | { readonly kind: "link_provider"; readonly issuer: string; readonly subject: string };

/** A mail that notifies the person of a change. */
export interface Notice {
  readonly language: string;
  readonly subject: string;
  readonly text: string;
}

interface Shape {
  readonly clause: string;
  /** The condition that there is something to change. Otherwise nothing is written, not even to the audit table. */
  readonly pending: Sql;
  /** The column of the person that changes, and its new value. */
  readonly assigned?: { readonly column: string; readonly value: Sql };
  /** True if the person stops being an administrator, so that another one must remain. */
  readonly unseats: boolean;
  /** Further table expressions on the person in "d", each after a comma. */
  readonly moreTables: Sql;
  /** The audit entry, if it is not about a field of the person. */
  readonly auditEntry?: Sql;
}

/** Ends the person's sessions, and the sessions of administrators who view the application as that person. */
export const deleteSessionsSql = sql`, ${SESSIONS} AS (DELETE FROM ninefold.session WHERE person IN (SELECT "id" FROM ${WRITTEN_ROWS}) AND token_hash IS DISTINCT FROM ${slot("keep", "bytea")}),
  ${VIEWS} AS (UPDATE ninefold.session SET viewed_until = ${slot("now", "timestamptz")} WHERE viewed IN (SELECT "id" FROM ${WRITTEN_ROWS}))`;
/** Ends whatever acts for the person without a session: API tokens, and links to transitions in mails. */
export const deleteTokensSql = sql`, ${TOKENS} AS (DELETE FROM ninefold.token WHERE person IN (SELECT "id" FROM ${WRITTEN_ROWS})),
  ${MAIL_LINKS} AS (DELETE FROM ninefold.mail_transition WHERE person IN (SELECT "id" FROM ${WRITTEN_ROWS}))`;
export const deleteLinksSql = sql`, ${LINKS} AS (DELETE FROM ninefold.once_link WHERE person IN (SELECT "id" FROM ${WRITTEN_ROWS}))`;

const describeChange = (change: AccountChange): Shape => {
  switch (change.kind) {
    case "deactivate":
      return {
        clause: SIGN_IN_CLAUSE,
        pending: sql`${CURRENT}."active"`,
        assigned: { column: "active", value: sql`FALSE` },
        unseats: true,
        moreTables: sql`${deleteSessionsSql}${deleteLinksSql}${deleteTokensSql}`,
      };
    case "activate":
      return {
        clause: SIGN_IN_CLAUSE,
        pending: sql`NOT ${CURRENT}."active"`,
        assigned: { column: "active", value: sql`TRUE` },
        unseats: false,
        moreTables: sql``,
      };
    case "grant":
      return {
        clause: getRoleClause(change.role),
        pending: sql`NOT ${CURRENT}."roles" @> ARRAY[${slot("role", "text")}]`,
        assigned: { column: "roles", value: sql`array_append(${TABLE}."roles", ${slot("role", "text")})` },
        unseats: false,
        moreTables: sql``,
      };
    case "take":
      return {
        clause: getRoleClause(change.role),
        pending: sql`${CURRENT}."roles" @> ARRAY[${slot("role", "text")}]`,
        assigned: { column: "roles", value: sql`array_remove(${TABLE}."roles", ${slot("role", "text")})` },
        unseats: change.role === ADMINISTRATOR,
        moreTables: sql``,
      };
    case "end_sessions":
      return {
        clause: SIGN_IN_CLAUSE,
        pending: sql`TRUE`,
        unseats: false,
        moreTables: sql`${deleteSessionsSql}${deleteTokensSql}`,
      };
    case "password_link":
      return {
        clause: SIGN_IN_CLAUSE,
        pending: sql`${CURRENT}."active"`,
        unseats: false,
        moreTables: sql`, ${OLD_LINKS} AS (DELETE FROM ninefold.once_link WHERE person IN (SELECT "id" FROM ${WRITTEN_ROWS}) AND token_hash <> ${slot("link", "bytea")}),
          ${LINKS} AS (INSERT INTO ninefold.once_link (token_hash, purpose, person, made_at, expires_at) SELECT ${slot("link", "bytea")}, 'password', "id", ${slot("now", "timestamptz")}, ${slot("until", "timestamptz")} FROM ${WRITTEN_ROWS})`,
      };
    case "make_token":
      return {
        clause: TOKEN_CLAUSE,
        pending: sql`${CURRENT}."active"`,
        unseats: false,
        moreTables: sql`, ${LINKS} AS (INSERT INTO ninefold.token (token_hash, person, name, roles, reads, made_at, expires_at) SELECT ${slot("link", "bytea")}, "id", ${slot("name", "text")}, ${slot("roles", "text[]")}, ${slot("reads", "boolean")}, ${slot("now", "timestamptz")}, ${slot("until", "timestamptz")} FROM ${WRITTEN_ROWS})${mailNoticeSql}`,
        auditEntry: sql`jsonb_build_object('token', jsonb_build_array(NULL, ${slot("name", "text")}))`,
      };
    case "link_provider":
      return {
        clause: SIGN_IN_CLAUSE,
        pending: sql`${CURRENT}."active"`,
        unseats: false,
        moreTables: sql`, ${LINKS} AS (INSERT INTO ninefold.identity (issuer, subject, person, made_at) SELECT ${slot("issuer", "text")}, ${slot("subject", "text")}, "id", ${slot("now", "timestamptz")} FROM ${WRITTEN_ROWS} ON CONFLICT DO NOTHING)`,
        auditEntry: sql`jsonb_build_object('provider', jsonb_build_array(NULL, ${slot("issuer", "text")}))`,
      };
    case "end_token":
      return {
        clause: TOKEN_CLAUSE,
        pending: sql`EXISTS (SELECT FROM ninefold.token WHERE id = ${slot("token", "uuid")} AND person = ${CURRENT}."id")`,
        unseats: false,
        moreTables: sql`, ${LINKS} AS (DELETE FROM ninefold.token WHERE id = ${slot("token", "uuid")} AND person IN (SELECT "id" FROM ${WRITTEN_ROWS}) RETURNING name)${mailNoticeSql}`,
        auditEntry: sql`jsonb_build_object('token', jsonb_build_array((SELECT name FROM ${LINKS}), NULL))`,
      };
  }
};

/** A mail to the person in "d" about the change, if requested. */
export const mailNoticeSql = sql`, ${MAILS} AS (INSERT INTO ninefold.mail (recipient, subject, text, headers, at, next_at)
    SELECT "email", ${slot("notice_subject", "text")}, ${slot("notice_text", "text")}, ${slot("notice_headers", "jsonb")}, ${slot("now", "timestamptz")}, ${slot("now", "timestamptz")} FROM ${WRITTEN_ROWS} WHERE ${slot("notice_subject", "text")} IS NOT NULL)`;

export const noticeParams = (notice: Notice | null) => ({
  notice_subject: notice?.subject ?? null,
  notice_text: notice?.text ?? null,
  notice_headers: notice === null ? null : JSON.stringify({ "content-language": notice.language }),
});

const getRoleClause = (role: string): string => (role === ADMINISTRATOR ? MANAGES_CLAUSE : `6.roles.${role}`);

/** The entity name in audit lines of changes that concern no field of User. */
export const asAccount = (entity: Entity): Entity => ({ ...entity, name: "Account" });

/** `others`: an administrator remains. `done`: the change was made. */
const account = resultShape({ active: asBoolean, others: asBoolean, done: asBoolean });

/**
 * Changes an account in one statement. It locks the administrators if one might be removed, in a fixed order, so that
 * two who remove each other take turns. It then locks the person, and writes the change, its consequences and the audit
 * line.
 */
export const planAccount = (
  context: PlanContext,
  change: AccountChange,
  person: string,
  caller: Caller,
  notice: Notice | null = null,
): BatchPlan<Done> => {
  const entity = getEntity(context, "User");
  const shape = describeChange(change);
  const role = "role" in change ? change.role : null;
  const key = ["account", change.kind, role === ADMINISTRATOR, shape.clause];
  const written = context.statements.get(key, () => {
    const administrators = tableAs(
      ADMINISTRATORS,
      sql`SELECT "id" FROM "app"."user" WHERE "roles" @> ARRAY[${slot("administrator", "text")}] AND "active" ORDER BY "id" FOR NO KEY UPDATE`,
    );
    const current = sql`SELECT ${TABLE}.* FROM "app"."user" AS ${TABLE}${shape.unseats ? sql`, (SELECT count(*) FROM ${ADMINISTRATORS}) AS "turns"` : sql``} WHERE ${TABLE}."id" = ${slot("id", "uuid")} FOR NO KEY UPDATE OF ${TABLE}`;
    const others = sql`(NOT EXISTS (SELECT FROM ${ADMINISTRATORS} WHERE "id" = ${slot("id", "uuid")}) OR EXISTS (SELECT FROM ${ADMINISTRATORS} WHERE "id" <> ${slot("id", "uuid")}))`;
    const holds = shape.unseats ? sql`${shape.pending} AND ${others}` : shape.pending;
    const { assigned, clause } = shape;
    const rows =
      assigned === undefined
        ? sql`${tableAs(WRITTEN_ROWS, sql`SELECT ${CURRENT}.* FROM ${CURRENT} WHERE ${holds}`)}${shape.moreTables},
        ${LINES} AS (${auditLine({ entity: asAccount(entity), action: change.kind, clause, version: context.version, changes: shape.auditEntry ?? sql`'{}'::jsonb`, from: sql`FROM ${WRITTEN_ROWS}` })})`
        : sql`${updateRowsSql({
            context,
            entity,
            action: change.kind,
            clause,
            changed: new Set([assigned.column]),
            changesState: false,
            value: () => assigned.value,
            from: sql`FROM ${CURRENT} WHERE ${TABLE}."id" = ${CURRENT}."id" AND ${holds}`,
            lines: sql`FROM ${CURRENT}, ${WRITTEN_ROWS}`,
          })}${shape.moreTables}`;
    return {
      more: undefined,
      sql: writeStatementSql({
        rows: [...(shape.unseats ? [administrators] : []), tableAs(CURRENT, current)],
        written: () => rows,
        result: {
          columns: [
            account.select({
              active: sql`${CURRENT}."active"`,
              others: shape.unseats ? others : sql`TRUE`,
              done: sql`EXISTS (SELECT FROM ${WRITTEN_ROWS})`,
            }),
          ],
          from: sql`FROM ${CURRENT}`,
        },
      }),
    };
  });
  return planBatch<Done>(
    [
      toQuery(written, {
        ...callerParams(caller),
        id: person,
        administrator: ADMINISTRATOR,
        keep: null,
        ...noticeParams(notice),
        role,
        link: "hash" in change ? change.hash : null,
        until: "until" in change ? change.until.toISOString() : null,
        token: change.kind === "end_token" ? change.token : null,
        ...(change.kind === "link_provider" ? { issuer: change.issuer, subject: change.subject } : {}),
        ...(change.kind === "make_token" ? { name: change.name, roles: change.roles, reads: change.reads } : {}),
      }),
    ],
    ([rows]) => {
      const row = rows?.[0];
      if (row === undefined) return refuse("NOT_FOUND", MANAGES_CLAUSE);
      const { active, others } = account.read(row);
      if (others !== true) return refuse("LAST_ADMINISTRATOR", MANAGES_CLAUSE);
      if ("hash" in change && active !== true) return refuse("ACCOUNT_INACTIVE", SIGN_IN_CLAUSE);
      return DONE_OUTCOME;
    },
  );
};
