import { anonymousPrincipal } from "../../../core/derive/authorization/grants.ts";
import { ruleRefusal, uniquenessRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { ruleName, togetherName } from "../../../core/derive/tables/names.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import { readsItsRecord } from "../../../core/expression/inspect/read-set.ts";
import type { Format } from "../../../core/model/format.ts";
import { ADMINISTRATOR, type Entity, type Field, type Model } from "../../../core/model/model.ts";
import { type Sql, slot, sql } from "../../../core/sql.ts";
import { type Refusal, refuse } from "../../refusal.ts";
import { CANDIDATE, CREDENTIALS, INVITATIONS, LINKS, TABLE, WRITTEN_ROWS } from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext } from "../context.ts";
import { drawOne, findSequences, generatedValue, sequenceParams, slugParams } from "../input/generated-values.ts";
import { inputParam, inputParams, type ParsedInput } from "../input/parse-input.ts";
import { DONE_OUTCOME, type Done } from "../outcome.ts";
import { type Ending, type Plan, planBatch, undo } from "../plan.ts";
import { initialEnv } from "../row/initial-env.ts";
import { columnTypeSql } from "../row/proposed-row.ts";
import { toQuery } from "../statements.ts";
import type { BatchRows, Steps } from "../steps.ts";
import { constraintRefusal } from "../transaction/constraint-errors.ts";
import { runFinalChecks } from "../transaction/final-checks.ts";
import { insertRowsSql, newRowsSql } from "../transaction/insert-rows.ts";
import { tableAs, writeStatementSql } from "../transaction/write-statement.ts";
import { SIGN_IN_CLAUSE } from "./account-change.ts";

/** A link that is used up by creating the person: an invalid or used link creates nobody. */
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
  readonly roles: readonly string[];
  /** Null for people who cannot sign in with a password. */
  readonly password: string | null;
  readonly link?: UsedLink;
  readonly invitation?: Invitation;
}

/** Creates a person in one statement: the record with its audit line, and a password or an invitation. */
export const planAccountCreation = (
  context: PlanContext,
  { id, values, roles, password, link, invitation }: AccountCreation,
  caller: Caller,
  /** The format of refusals by the rules of the document; null if they do not apply. */
  checks: Format | null = null,
): Plan<Done> => {
  const entity = getEntity(context, "User");
  const series = findSequences(entity, "create");
  const written = context.statements.get(["person", link?.purpose ?? "", invitation !== undefined], () => {
    const invited = link === undefined ? sql`` : sql`FROM ${LINKS}`;
    const rows = insertRowsSql({
      context,
      entity,
      clause: SIGN_IN_CLAUSE,
      more: ["roles"],
      numbers: drawOne(entity, series, CANDIDATE.alias, () => invited),
      from: sql`FROM ${CANDIDATE}${link === undefined ? sql`` : sql`, ${LINKS}`}`,
    });
    return {
      more: undefined,
      sql: writeStatementSql({
        rows: [
          ...(link === undefined ? [] : [tableAs(LINKS, takeLinkSql(link))]),
          tableAs(CANDIDATE, newPersonSql(context.model, entity)),
        ],
        written: () => sql`${rows}${storePasswordSql}${invitation === undefined ? sql`` : storeInvitationSql}`,
        result: { columns: [sql`${WRITTEN_ROWS}."id"`], from: sql`FROM ${WRITTEN_ROWS}` },
      }),
    };
  });
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
  const decode = (rows: BatchRows): Done | Refusal =>
    rows[0]?.[0] === undefined ? refuse("LINK_USED", SIGN_IN_CLAUSE) : DONE_OUTCOME;
  const constraint = (name: string) => constraintOfPerson(context.model, entity, name);
  if (checks === null) return planBatch<Done>([query], decode, constraint);
  return {
    kind: "plan",
    transaction: "whole",
    steps: function* (): Steps<Ending<Done>> {
      const made = decode(yield [query]);
      if (made.kind === "refusal") return made;
      const row = { id, before: null, line: null };
      const tx = { context, caller, format: checks, isOfSteps: true } as const;
      const written = [{ entity, moment: "create", changed: null, rows: [row] }];
      const broken = yield* runFinalChecks({ ...tx, written }, new Map([[id, ""]]));
      return broken === undefined ? made : undo(broken);
    },
    constraint,
  };
};

/**
 * The refusal for a violated constraint. Nothing checks the rules of a person before the insert, so a rule that the
 * database checks names its field here.
 */
const constraintOfPerson = (model: Model, entity: Entity, constraint: string): Refusal | undefined => {
  const refusal = constraintRefusal(model, entity, constraint);
  const rule = entity.rules.find((one) => constraint === ruleName(entity, one));
  const together = entity.together.find((one) => constraint === togetherName(entity, one));
  const found =
    rule !== undefined
      ? ruleRefusal(model, rule)
      : together === undefined
        ? undefined
        : uniquenessRefusal(model, together);
  if (refusal === undefined || found === undefined) return refusal;
  return { ...refusal, at: refusal.at.map((one) => ({ ...one, at: found.at })) };
};

const newPersonSql = (model: Model, entity: Entity): Sql =>
  newRowsSql(model, entity, {
    id: sql`${slot("id", "uuid")}`,
    value: (field) => newPersonValue(model, entity, field),
    more: [sql`${slot("roles", "text[]")} AS "roles"`],
    from: sql``,
  });

/** Uses up the link; the first administrator's link only while there is no administrator. */
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

/** A field of a new person. Its default reads other records as a visitor may, who can register. */
const newPersonValue = (model: Model, entity: Entity, field: Field): Sql => {
  const drawn = generatedValue(entity, field);
  const { default: initial } = field;
  if (drawn !== undefined) return sql`COALESCE(${inputParam(field)}, ${drawn})`;
  if (initial === null || !readsItsRecord(initial)) return inputParam(field);
  const made = { id: NEW_ID, value: (other: Field) => newPersonValue(model, entity, other) };
  const { value } = toSql(initial, initialEnv(model, entity, made, anonymousPrincipal));
  return sql`COALESCE(${inputParam(field)}, (${value})::${columnTypeSql(field)})`;
};

const NEW_ID = sql`${slot("id", "uuid")}`;
