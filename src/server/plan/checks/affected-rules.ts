import { grantsFor, type Principal } from "../../../core/derive/authorization/grants.ts";
import type { AffectedRule } from "../../../core/derive/consistency/read-sets.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { seenEnv, spokenValues } from "../row/labels.ts";
import { asCondition, eyesOf } from "../row/read-scope.ts";
import { leadsToMany, pathSql, type Replaced, rowEnv, tableOf } from "../row/sql-env.ts";
import { JUDGED, type Verdict } from "./check.ts";
import { toldTo, wordsSql } from "./rules.ts";

export const OWNER = "o";

/** Under which names what is written stands as it was and as it is or will be; `null` where it was not, or is no more. */
export interface Sides {
  readonly was: string | null;
  readonly is: string | null;
}

export const aliasesOf = ({ was, is }: Sides): readonly string[] => [was, is].filter((alias) => alias !== null);

export const sidesSql = (sides: Sides): Sql => {
  const [one, other] = aliasesOf(sides).map(identifier);
  if (one === undefined) throw new Error("nothing is written");
  return other === undefined ? one : sql`(${one} JOIN ${other} ON ${one}."id" = ${other}."id")`;
};

/** `FROM` and `WHERE` of the records on which a rule has to be judged again. */
export const ownersOf = (
  model: Model,
  { owner, recordRead, on = "all" }: Pick<AffectedRule, "owner" | "recordRead"> & Partial<Pick<AffectedRule, "on">>,
  sides: Sides,
  owners: Sql,
): Sql => {
  const { by, key } = recordRead;
  const aliases = aliasesOf(sides);
  const from = sql`FROM ${owners} AS ${identifier(OWNER)} CROSS JOIN ${sidesSql(sides)}`;
  const ids = [sql`${identifier(OWNER)}."id"`, sql`${identifier(aliases[0] ?? "")}."id"`];
  const among = { all: sql``, others: sql` AND ${join(ids, " <> ")}`, itself: sql` AND ${join(ids, " = ")}` }[on];
  if (by === undefined || key === undefined) return sql`${from} WHERE TRUE${among}`;
  const found = pathSql(model, owner, key, OWNER);
  const values = aliases.map((side) => sql`${identifier(side)}.${identifier(by)}`);
  const several = model.entities.get(recordRead.entity)?.fields.get(by)?.many === true;
  if (several || leadsToMany(model, owner, key)) {
    const reaching = several ? sql`(${join(values, " || ")})` : sql`ARRAY[${join(values, ", ")}]`;
    const reached = leadsToMany(model, owner, key) ? sql`${found} && ${reaching}` : sql`${found} = ANY(${reaching})`;
    return sql`${from} WHERE (${reached})${among}`;
  }
  // What may be missing on both sides is found by it too, and then no index helps.
  const isThere = by === "id" || model.entities.get(recordRead.entity)?.fields.get(by)?.optional === false;
  const reached = isThere
    ? sql`${found} IN (${join(values, ", ")})`
    : join(
        values.map((value) => sql`${found} IS NOT DISTINCT FROM ${value}`),
        " OR ",
      );
  return sql`${from} WHERE (${reached})${among}`;
};

/** Each rule holds on all the records on which it has to be judged again. */
export const reachVerdicts = (reaches: readonly Judged[]): readonly Verdict[] =>
  reaches.map(({ failing }, i) => ({ column: `reach:${i}`, condition: sql`NOT EXISTS (SELECT ${failing})` }));

/** A rule with the records on which it does not hold: `FROM … WHERE …`. */
export interface Judged {
  readonly reach: AffectedRule;
  readonly failing: Sql;
}

export const failingOf = (
  model: Model,
  entity: Entity,
  affectedRule: AffectedRule,
  sides: Sides,
  replaced: Replaced | null,
): Judged => {
  const { owner, rule } = affectedRule;
  const owners = owner === entity && replaced !== null ? replaced.rows : tableOf(owner);
  const env = rowEnv(model, owner, OWNER, tablesIn(replaced));
  const fails = sql`(${toSql(rule.rule, env).falsehood})`;
  const when = rule.when === null ? sql`` : sql` AND (${toSql(rule.when, env).truth})`;
  return {
    reach: affectedRule,
    failing: sql`${ownersOf(model, affectedRule, sides, owners)}${when} AND ${fails}`,
  };
};

const tablesIn = (replaced: Replaced | null): Pick<SqlEnv, "table"> =>
  replaced === null ? {} : { table: replaced.table };

/** The message of the first record on which a rule does not hold, of those that who is told may see. */
export const reachWords = (
  model: Model,
  person: Principal,
  judged: readonly Judged[],
  replaced: Replaced | null,
): readonly Sql[] =>
  judged.map(({ reach: { owner, rule }, failing }, i) => {
    const eyes = eyesOf(model, owner, person, OWNER);
    const isTold = () => toldTo(model, person, owner, [grantsFor(model, owner, "read", person)], new Set());
    const words = wordsSql(rule.message, seenEnv(model, owner, person, OWNER, replaced?.table), isTold);
    return sql`CASE WHEN NOT ${identifier(JUDGED)}.${identifier(`reach:${i}`)} THEN (SELECT ${words} ${failing} AND ${asCondition(eyes.rows)} ORDER BY ${identifier(OWNER)}."id" LIMIT 1) END AS ${identifier(`reached:${i}`)}`;
  });

export const brokenReaches = (
  model: Model,
  affectedRules: readonly AffectedRule[],
  row: Row,
  format: Format,
): readonly RefusalAt[] =>
  affectedRules.flatMap(({ rule }, i) => {
    if (row[`reach:${i}`] === true) return [];
    const words = row[`reached:${i}`];
    return [
      {
        at: "",
        code: rule.error,
        clause: rule.clause.id,
        values: spokenValues(model, rule, words, format),
      },
    ];
  });
