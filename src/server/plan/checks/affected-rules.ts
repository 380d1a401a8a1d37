import { grantsFor, type Principal } from "../../../core/derive/authorization/grants.ts";
import { affectedRuleRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { AffectedRule } from "../../../core/derive/consistency/read-sets.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { OWNER } from "../aliases.ts";
import { messageValues, readerEnv } from "../row/labels.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { leadsToMany, pathSql, type Replaced, rowEnv, tableSql } from "../row/sql-env.ts";
import type { WriteCheck } from "./check.ts";
import { createChecksWithMessages } from "./checks-with-messages.ts";
import { disclosedWhere, messageValuesSql, soughtEntityTitle } from "./rules.ts";

/** Aliases of the written row before and after the write; `null` if there is none on that side. */
export interface RowAliases {
  readonly was: string | null;
  readonly is: string | null;
}

export const presentAliases = ({ was, is }: RowAliases): readonly string[] =>
  [was, is].filter((alias) => alias !== null);

export const rowAliasesSql = (sides: RowAliases): Sql => {
  const [one, other] = presentAliases(sides).map(identifier);
  if (one === undefined) throw new Error("nothing is written");
  return other === undefined ? one : sql`(${one} JOIN ${other} ON ${one}."id" = ${other}."id")`;
};

/** `FROM` and `WHERE` of the records on which a rule must be checked again. */
export const ownersSql = (
  model: Model,
  { owner, recordRead, on = "all" }: Pick<AffectedRule, "owner" | "recordRead"> & Partial<Pick<AffectedRule, "on">>,
  sides: RowAliases,
  owners: Sql,
): Sql => {
  const { by, key } = recordRead;
  const aliases = presentAliases(sides);
  const from = sql`FROM ${owners} AS ${OWNER} CROSS JOIN ${rowAliasesSql(sides)}`;
  const ids = [sql`${OWNER}."id"`, sql`${identifier(aliases[0] ?? "")}."id"`];
  const among = { all: sql``, others: sql` AND ${join(ids, " <> ")}`, itself: sql` AND ${join(ids, " = ")}` }[on];
  if (by === undefined || key === undefined) return sql`${from} WHERE TRUE${among}`;
  const found = pathSql(model, owner, key, OWNER.alias);
  const values = aliases.map((side) => sql`${identifier(side)}.${identifier(by)}`);
  const several = model.entities.get(recordRead.entity)?.fields.get(by)?.many === true;
  if (several || leadsToMany(model, owner, key)) {
    const reaching = several ? sql`(${join(values, " || ")})` : sql`ARRAY[${join(values, ", ")}]`;
    const reached = leadsToMany(model, owner, key) ? sql`${found} && ${reaching}` : sql`${found} = ANY(${reaching})`;
    return sql`${from} WHERE (${reached})${among}`;
  }
  // Optional fields match if both sides are missing, which no index supports.
  const isRequired = by === "id" || model.entities.get(recordRead.entity)?.fields.get(by)?.optional === false;
  const reached = isRequired
    ? sql`${found} IN (${join(values, ", ")})`
    : join(
        values.map((value) => sql`${found} IS NOT DISTINCT FROM ${value}`),
        " OR ",
      );
  return sql`${from} WHERE (${reached})${among}`;
};

const checks = createChecksWithMessages("reach", "reached");

/** Checks that each rule holds on all records on which it must be checked again. */
export const affectedRuleChecks = (queries: readonly AffectedRuleQuery[]): readonly WriteCheck[] =>
  queries.map(({ failing }, i) => ({ column: checks.holdsColumn(i), condition: sql`NOT EXISTS (SELECT ${failing})` }));

/** A rule with the records that violate it: `FROM … WHERE …`. */
export interface AffectedRuleQuery {
  readonly affectedRule: AffectedRule;
  readonly failing: Sql;
}

export const failingOwnersQuery = (
  model: Model,
  entity: Entity,
  affectedRule: AffectedRule,
  sides: RowAliases,
  replaced: Replaced | null,
): AffectedRuleQuery => {
  const { owner, rule } = affectedRule;
  const owners = owner === entity && replaced !== null ? replaced.rows : tableSql(owner);
  const env = rowEnv(model, owner, OWNER.alias, replaceTables(replaced));
  const fails = sql`(${toSql(rule.rule, env).falsehood})`;
  const when = rule.when === null ? sql`` : sql` AND (${toSql(rule.when, env).truth})`;
  return {
    affectedRule,
    failing: sql`${ownersSql(model, affectedRule, sides, owners)}${when} AND ${fails}`,
  };
};

const replaceTables = (replaced: Replaced | null): Pick<SqlEnv, "table"> =>
  replaced === null ? {} : { table: replaced.table };

/** The message for the first violating record that the caller can see. */
export const affectedRuleMessages = (
  model: Model,
  principal: Principal,
  queries: readonly AffectedRuleQuery[],
  replaced: Replaced | null,
): readonly Sql[] =>
  checks.messageColumns(queries, ({ affectedRule: { owner, rule }, failing }) => {
    const scope = readScope(model, owner, principal, OWNER.alias);
    const disclosure = () =>
      disclosedWhere(model, principal, owner, { grants: [grantsFor(model, owner, "read", principal)] });
    const words = messageValuesSql(
      rule.message,
      readerEnv(model, owner, principal, OWNER.alias, replaced?.table),
      disclosure,
    );
    return sql`(SELECT ${words} ${failing} AND ${asCondition(scope.rows)} ORDER BY ${OWNER}."id" LIMIT 1)`;
  });

export const brokenAffectedRules = (
  model: Model,
  affectedRules: readonly AffectedRule[],
  row: Row,
  format: Format,
): readonly RefusalAt[] =>
  checks.findBroken(affectedRules, row).map(({ rule: affected, words }) => ({
    ...affectedRuleRefusal(affected),
    values: { ...soughtEntityTitle(model, affected.rule), ...messageValues(model, affected.rule, words, format) },
  }));
