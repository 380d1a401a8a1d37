import { hiddenIn, nothingWritten } from "../../../core/check/hidden.ts";
import { readerBy } from "../../../core/check/reader.ts";
import { decidingOver } from "../../../core/decide/decide.ts";
import { conjunctsOf } from "../../../core/decide/structure.ts";
import { type Gate, gatesOf, type Person } from "../../../core/derive/access.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Model, ValidationRule } from "../../../core/model/model.ts";
import { always, every, some } from "../../../core/rule/conditions.ts";
import type { Expr } from "../../../core/rule/expr.ts";
import { readsOf } from "../../../core/rule/reads.ts";
import type { Template } from "../../../core/rule/template.ts";
import { type SqlEnv, toSql } from "../../../core/rule/to-sql.ts";
import { identifier, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { type Seen, spokenValues, valuesOf } from "../labels.ts";
import { JUDGED, type Verdict } from "./verdicts.ts";

/** A rule that its `when` does not ask for holds. */
export const ruleVerdicts = (rules: readonly ValidationRule[], env: SqlEnv): readonly Verdict[] =>
  rules.map((rule, i) => {
    const holds = sql`(${toSql(rule.rule, env).truth})`;
    return {
      column: `rule:${i}`,
      condition: rule.when === null ? holds : sql`(${toSql(rule.when, env).falsehood}) OR ${holds}`,
    };
  });

/** Whether somebody sees all that a part of a message is made of, on whatever record it is judged. */
export type IsTold = (part: Expr) => boolean;

/** `gates`: of each action that they take with the record, those by which they may, on what the write leaves as it is. */
export const toldTo = (
  model: Model,
  person: Person,
  entity: Entity,
  gates: readonly (readonly Gate[])[],
  changed: ReadonlySet<string>,
): IsTold => {
  const facts = gates.flatMap((alternatives) => {
    const open = some(alternatives.map(({ conditions }) => every(conditions) ?? always));
    return open === undefined
      ? []
      : conjunctsOf(open).filter((one) => ![...readsOf(one).fields].some((name) => changed.has(name)));
  });
  const asked = {
    entities: model.entities,
    reader: readerBy((one) => gatesOf(model, one, "read", person), decidingOver(model.entities)),
    entity,
    facts,
    written: nothingWritten,
  };
  return (part) => hiddenIn(part, asked) === undefined;
};

/**
 * The values that the messages of rules that do not hold name, as who is told may read them. What is made of records of
 * which they might see a part is not shown at all, whether they do or not: either would tell of the rest.
 */
export const ruleWords = (rules: readonly ValidationRule[], seen: Seen, isTold: () => IsTold): readonly Sql[] =>
  rules.map(
    (rule, i) =>
      sql`CASE WHEN NOT ${identifier(JUDGED)}.${identifier(`rule:${i}`)} THEN ${wordsSql(rule.message, seen, isTold)} END AS ${identifier(`words:${i}`)}`,
  );

/** The values that a message names, as `seen` reads them, where who is told sees all that they could be made of. */
export const wordsSql = (message: Template, seen: Seen, isTold: () => IsTold): Sql => {
  let told: IsTold | undefined;
  return valuesOf(message, seen, (part, value) => {
    if (readsOf(part).footprint.every(({ by }) => by === "id")) return value;
    told ??= isTold();
    return told(part) ? value : sql`(CASE WHEN FALSE THEN ${value} END)`;
  });
};

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
        values: spokenValues(model, rule, words, format),
      },
    ];
  });
