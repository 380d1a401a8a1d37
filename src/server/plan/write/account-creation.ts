import { anonymousPrincipal } from "../../../core/derive/authorization/grants.ts";
import { uniquenessRulesAt } from "../../../core/derive/consistency/uniqueness.ts";
import { isConstraint } from "../../../core/derive/tables/checks.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import { readsItsRecord } from "../../../core/expression/inspect/read-set.ts";
import type { Entity, UniquenessRule, ValidationRule } from "../../../core/model/entity.ts";
import { rulesAt } from "../../../core/model/facts/applicable-rules.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { ADMINISTRATOR } from "../../../core/model/permissions.ts";
import { type Sql, slot, sql } from "../../../core/sql.ts";
import { refuse, refuseAt } from "../../refusal.ts";
import { CANDIDATE, CHECKED, CREDENTIALS, INVITATIONS, LINKS, TABLE, WRITTEN_ROWS } from "../aliases.ts";
import { brokenRules, disclosedWhere, ruleChecks, ruleMessageColumns } from "../checks/rules.ts";
import { brokenUniqueness, uniquenessChecks, uniquenessMessageColumns } from "../checks/uniqueness.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { runConditionTriggers } from "../effects/condition-triggers.ts";
import { runEffects } from "../effects/run-effects.ts";
import { drawOne, findSequences, generatedValue, sequenceParams, slugParams } from "../input/generated-values.ts";
import { inputParam, inputParams, type ParsedInput } from "../input/parse-input.ts";
import { DONE_OUTCOME, type Done } from "../outcome.ts";
import { type Ending, type Plan, undo } from "../plan.ts";
import { booleanColumn, readColumn, selectAs } from "../result-columns.ts";
import { initialEnv } from "../row/initial-env.ts";
import { readerEnvIfReadable } from "../row/labels.ts";
import { columnTypeSql } from "../row/proposed-row.ts";
import { replacedRows, rowEnv } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { constraintRefusal, isUniquenessConstraint, notNullRefusal } from "../transaction/constraint-errors.ts";
import { runFinalChecks } from "../transaction/final-checks.ts";
import { insertRowsSql, newRowsSql } from "../transaction/insert-rows.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { rootColumns, rootRow, type WriteSet } from "../transaction/write-set.ts";
import { CHECK_COLUMNS, tableAs, writeStatementSql } from "../transaction/write-statement.ts";
import { SIGN_IN_CLAUSE } from "./account-change.ts";

/** A link that is used up by creating the person. An invalid or used link creates nobody. */
export interface UsedLink {
  readonly hash: Buffer;
  readonly purpose: "first administrator" | "sign up";
}

/** A link by which the new person sets a password. */
export interface Invitation {
  readonly hash: Buffer;
  readonly until: Date;
}

/** A person to be created. The values are parsed, and the password is hashed. */
export interface AccountCreation {
  readonly id: string;
  readonly values: ParsedInput["values"];
  /** The fields that were sent; the others have their defaults. */
  readonly sentFields: readonly string[];
  readonly roles: readonly string[];
  /** Null for people who cannot sign in with a password. */
  readonly password: string | null;
  readonly link?: UsedLink;
  readonly invitation?: Invitation;
}

/**
 * Plans the creation of a person, for every way to create an account: the record with its audit line, the password or
 * the invitation, the effects of creating a person, and all checks. The caller is the administrator who invites, or
 * nobody.
 */
export const planAccountCreation = (
  context: PlanContext,
  { id, values, sentFields, roles, password, link, invitation }: AccountCreation,
  caller: Caller,
  format: Format,
  /**
   * False for people whom the program creates, such as the first administrator. Only the database then checks their
   * rules.
   */
  isChecked: boolean,
): Plan<Done> => {
  const { model } = context;
  const entity = getEntity(context, "User");
  const series = findSequences(entity, "create");
  const checks = checksOfInsert(model, entity);
  const key = ["person", link?.purpose ?? "", invitation !== undefined, principalKey(caller.principal), sentFields];
  const written = context.statements.get(key, () =>
    insertPersonSql(context, caller, { checks, sentFields, link, invitation }),
  );
  const query = toQuery(written, {
    ...callerParams(caller),
    ...inputParams(values),
    ...slugParams(entity, values),
    ...sequenceParams(series, caller.today),
    id,
    roles,
    password,
    link: link?.hash ?? null,
    purpose: link?.purpose ?? null,
    invitation: invitation?.hash ?? null,
    until: invitation?.until.toISOString() ?? null,
    administrator: ADMINISTRATOR,
  });
  return {
    kind: "plan",
    transaction: "whole",
    steps: function* (): Steps<Ending<Done>> {
      const [[found] = []] = yield [query];
      if (found === undefined || !readColumn(found, IS_LINKED)) return undo(refuse("LINK_USED", SIGN_IN_CLAUSE));
      const wrong = [
        ...brokenRules(model, checks.rules, found, format),
        ...brokenUniqueness(model, entity, checks.uniquenessRules, found, format),
      ];
      if (wrong.length > 0) return undo(refuseAt(wrong));
      const root: WriteSet = { entity, action: "create", changed: null, rows: [rootRow(id, found)] };
      const tx: WriteTransaction = { context, caller, format, isOfSteps: true, written: [root] };
      const refused = (yield* runEffects(tx, root)) ?? (yield* runConditionTriggers(tx));
      if (refused !== undefined) return undo(refused);
      const unchecked = isChecked ? tx : { ...tx, written: tx.written.filter((writeSet) => writeSet !== root) };
      const broken = yield* runFinalChecks(unchecked, new Map([[id, ""]]));
      return broken === undefined ? DONE_OUTCOME : undo(broken);
    },
    constraint: (name) => constraintRefusal(model, entity, name),
    notNull: (table, column) => notNullRefusal(model, table, column),
    isRetryable: (name) => isUniquenessConstraint(entity, name),
  };
};

/** Checks made when the record is inserted. All others are made after everything is written. */
interface InsertChecks {
  readonly rules: readonly ValidationRule[];
  readonly uniquenessRules: readonly UniquenessRule[];
}

const checksOfInsert = (model: Model, entity: Entity): InsertChecks => ({
  rules: rulesAt(entity, "create", new Set()).filter((rule) => isConstraint(rule, entity, model)),
  uniquenessRules: uniquenessRulesAt(entity, "create", new Set()),
});

interface InsertedPerson {
  readonly link: UsedLink | undefined;
  readonly invitation: Invitation | undefined;
  readonly checks: InsertChecks;
  readonly sentFields: readonly string[];
}

/** The link is valid, or none is needed. */
const IS_LINKED = booleanColumn("is:linked");

/**
 * Builds the statement that creates a person. It returns why nothing was written, with the values for the messages of
 * rules.
 */
const insertPersonSql = (
  context: PlanContext,
  { principal }: Caller,
  { checks: { rules, uniquenessRules }, sentFields, link, invitation }: InsertedPerson,
): { readonly sql: Sql; readonly more: undefined } => {
  const { model } = context;
  const entity = getEntity(context, "User");
  const replaced = replacedRows(model, entity, NEW_ID, CANDIDATE.alias);
  const seen = readerEnvIfReadable(model, entity, principal, CANDIDATE.alias, {
    rows: replaced.table,
    given: sentFields,
  });
  const isLinked = link === undefined ? sql`TRUE` : sql`EXISTS (SELECT FROM ${LINKS})`;
  const written = (holds: Sql): Sql => {
    const from = sql`FROM ${CANDIDATE}, ${CHECKED} WHERE ${isLinked} AND ${holds}`;
    const rows = insertRowsSql({
      context,
      entity,
      clause: SIGN_IN_CLAUSE,
      more: ["roles"],
      numbers: drawOne(entity, findSequences(entity, "create"), CANDIDATE.alias, () => from),
      from,
      readsLines: true,
    });
    return sql`${rows}${storePasswordSql}${invitation === undefined ? sql`` : storeInvitationSql}`;
  };
  return {
    more: undefined,
    sql: writeStatementSql({
      rows: [
        ...(link === undefined ? [] : [tableAs(LINKS, takeLinkSql(link))]),
        tableAs(CANDIDATE, newPersonSql(model, entity)),
      ],
      checked: {
        from: sql`FROM ${CANDIDATE}`,
        checks: [
          ...ruleChecks(rules, rowEnv(model, entity, CANDIDATE.alias, replaced)),
          ...uniquenessChecks(model, entity, uniquenessRules),
        ],
      },
      written,
      result: {
        columns: [
          CHECK_COLUMNS,
          ...ruleMessageColumns(rules, seen, () => disclosedWhere(model, principal, entity)),
          ...uniquenessMessageColumns(uniquenessRules, seen),
          selectAs(isLinked, IS_LINKED),
          ...rootColumns("new"),
        ],
        from: sql`FROM ${CHECKED} CROSS JOIN ${CANDIDATE} LEFT JOIN ${WRITTEN_ROWS} ON TRUE`,
      },
    }),
  };
};

const newPersonSql = (model: Model, entity: Entity): Sql =>
  newRowsSql(model, entity, {
    id: sql`${slot("id", "uuid")}`,
    value: (field) => newPersonValue(model, entity, field),
    more: [sql`${slot("roles", "text[]")} AS "roles"`],
    from: sql``,
  });

/** Uses up the link. The link of the first administrator works only while there is no administrator. */
const takeLinkSql = ({ purpose }: UsedLink): Sql => {
  const holds = sql`token_hash = ${slot("link", "bytea")} AND expires_at > ${slot("now", "timestamptz")}`;
  if (purpose === "sign up")
    return sql`DELETE FROM ninefold.sign_up WHERE ${holds} AND email = lower(${slot("v:email", "text")}) RETURNING 1`;
  return sql`DELETE FROM ninefold.once_link WHERE ${holds} AND purpose = ${slot("purpose", "text")}
        AND NOT EXISTS (SELECT FROM "app"."user" AS ${TABLE} WHERE ${TABLE}."roles" @> ARRAY[${slot("administrator", "text")}] AND ${TABLE}."active") RETURNING 1`;
};

const storePasswordSql = sql`,
      ${CREDENTIALS} AS (INSERT INTO ninefold.credential (person, password) SELECT "id", ${slot("password", "text")} FROM ${WRITTEN_ROWS} WHERE ${slot("password", "text")} IS NOT NULL)`;

const storeInvitationSql = sql`,
      ${INVITATIONS} AS (INSERT INTO ninefold.once_link (token_hash, purpose, person, made_at, expires_at)
        SELECT ${slot("invitation", "bytea")}, 'password', "id", ${slot("now", "timestamptz")}, ${slot("until", "timestamptz")} FROM ${WRITTEN_ROWS})`;

/**
 * The value of a field of a new person. Its default reads other records in the read scope of a visitor, who can
 * register.
 */
const newPersonValue = (model: Model, entity: Entity, field: Field): Sql => {
  const generated = generatedValue(entity, field);
  const { default: initial } = field;
  if (generated !== undefined) return sql`COALESCE(${inputParam(field)}, ${generated})`;
  if (initial === null || !readsItsRecord(initial)) return inputParam(field);
  const newPerson = { id: NEW_ID, value: (other: Field) => newPersonValue(model, entity, other) };
  const { value } = toSql(initial, initialEnv(model, entity, newPerson, anonymousPrincipal));
  return sql`COALESCE(${inputParam(field)}, (${value})::${columnTypeSql(field)})`;
};

const NEW_ID = sql`${slot("id", "uuid")}`;
