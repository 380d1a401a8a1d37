import type { Gate } from "../../core/derive/access.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity, Model, ValidationRule } from "../../core/model/model.ts";
import { type SqlEnv, toSql } from "../../core/rule/to-sql.ts";
import { identifier, join, type Sql, sql } from "../../core/sql.ts";
import type { Row } from "../../postgres/database.ts";
import type { RefusalAt } from "../refusal.ts";
import type { Asker, Context } from "./context.ts";
import { tableOf } from "./environment.ts";
import { asCondition, eyesOf, throughGates } from "./eyes.ts";
import { valuesOf, wordsWith } from "./labels.ts";

/**
 * A write judges and writes in one statement. Each thing that is judged is a column, TRUE or FALSE, beside the record
 * as it is (`c`) and as it would be (`n`); the write happens where all are TRUE, and what is not tells the refusal.
 * Their names hold a colon, which no field's does.
 */
export interface Verdict {
  readonly column: string;
  readonly condition: Sql;
}

export const CURRENT = "c";
export const CANDIDATE = "n";
export const JUDGED = "j";
export const DONE = "d";

export const verdictColumns = (verdicts: readonly Verdict[]): readonly Sql[] =>
  verdicts.map(({ column, condition }) => sql`COALESCE(${condition}, FALSE) AS ${identifier(column)}`);

/** Everything judged is TRUE. */
export const allHold = (verdicts: readonly Verdict[]): Sql =>
  verdicts.length === 0
    ? sql`TRUE`
    : join(
        verdicts.map(({ column }) => sql`${identifier(JUDGED)}.${identifier(column)}`),
        " AND ",
      );

// Rules

/** A rule that its `when` does not ask for holds. */
export const ruleVerdicts = (rules: readonly ValidationRule[], env: SqlEnv): readonly Verdict[] =>
  rules.map((rule, i) => {
    const holds = sql`(${toSql(rule.rule, env).truth})`;
    return {
      column: `rule:${i}`,
      condition: rule.when === null ? holds : sql`(${toSql(rule.when, env).falsehood}) OR ${holds}`,
    };
  });

/** The values that the rules' messages name, as who is told may read them. */
export const ruleWords = (rules: readonly ValidationRule[], env: SqlEnv): readonly Sql[] =>
  rules.map((rule, i) => sql`${valuesOf(rule.message, env)} AS ${identifier(`words:${i}`)}`);

/** The rules that do not hold, in document order, in the words of their errors. */
export const brokenRules = (
  model: Model,
  rules: readonly ValidationRule[],
  row: Row,
  format: Format,
): readonly RefusalAt[] =>
  rules.flatMap((rule, i) => {
    if (row[`rule:${i}`] === true) return [];
    const words = row[`words:${i}`];
    const at = model.errors.get(rule.error)?.at ?? rule.reads.at(-1);
    return [
      {
        at: at === undefined ? "" : `/${at}`,
        code: rule.error,
        clause: rule.clause.id,
        values: {},
        message: wordsWith(rule.message, Array.isArray(words) ? words : [], format),
      },
    ];
  });

// References

/** A reference that a person gives must name a record that they may read: one that they may not is not there. */
export const referenceVerdicts = (
  context: Context,
  asker: Asker,
  entity: Entity,
  names: Iterable<string>,
): readonly Verdict[] =>
  [...names].flatMap((name) => {
    const target = context.model.entities.get(entity.fields.get(name)?.entity ?? "");
    if (target === undefined) return [];
    const eyes = eyesOf(context.model, target, asker.person, "x");
    const given = sql`${identifier(CANDIDATE)}.${identifier(name)}`;
    return [
      {
        column: `ref:${name}`,
        condition: sql`(${given} IS NULL OR EXISTS (SELECT FROM ${tableOf(target)} AS "x" WHERE "x"."id" = ${given} AND ${asCondition(eyes.rows)}))`,
      },
    ];
  });

export const brokenReferences = (entity: Entity, names: Iterable<string>, row: Row): readonly RefusalAt[] =>
  [...names].flatMap((name): RefusalAt[] => {
    const field = entity.fields.get(name);
    if (field === undefined || row[`ref:${name}`] !== false) return [];
    return [{ at: `/${name}`, code: "NO_SUCH_REFERENCE", clause: field.clause.id, values: { field: field.title } }];
  });

// Gates

/** Each gate on the record; which of them is open says which fields may be written. */
export const gateColumns = (gates: readonly Gate[], env: SqlEnv): readonly Sql[] =>
  verdictColumns(gates.map((gate, i) => ({ column: `gate:${i}`, condition: asCondition(throughGates([gate], env)) })));

/** Some gate is open, and each field that is written goes through an open one. */
export const gatesHold = (gates: readonly Gate[], fields: Iterable<string>): Sql => {
  const some = (open: (gate: Gate) => boolean): Sql => {
    const columns = gates.flatMap((gate, i) =>
      open(gate) ? [sql`${identifier(JUDGED)}.${identifier(`gate:${i}`)}`] : [],
    );
    return columns.length === 0 ? sql`FALSE` : sql`(${join(columns, " OR ")})`;
  };
  return join(
    [some(() => true), ...[...fields].map((field) => some((gate) => gate.fields === null || gate.fields.has(field)))],
    " AND ",
  );
};

/** Of the fields written, those that no open gate takes; undefined when no gate is open at all. */
export const fieldsRefused = (
  gates: readonly Gate[],
  fields: Iterable<string>,
  row: Row,
): readonly string[] | undefined => {
  const open = gates.filter((_, i) => row[`gate:${i}`] === true);
  return open.length === 0
    ? undefined
    : [...fields].filter((field) => !open.some((gate) => gate.fields === null || gate.fields.has(field)));
};
