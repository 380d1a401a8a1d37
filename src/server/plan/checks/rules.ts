import { findHiddenRead, nothingWritten } from "../../../core/analysis/disclosure/information-flow.ts";
import { readerBy } from "../../../core/analysis/disclosure/reader.ts";
import { type Grant, grantsFor, type Principal } from "../../../core/derive/authorization/grants.ts";
import { ruleRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { alwaysTrue, every, some, splitConjuncts } from "../../../core/expression/boolean-exprs.ts";
import type { Template } from "../../../core/expression/compile/template.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { entitiesOfOne } from "../../../core/expression/inspect/exactly-one.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { Entity, ValidationRule } from "../../../core/model/entity.ts";
import { comparesWithOld } from "../../../core/model/facts/applicable-rules.ts";
import type { Format } from "../../../core/model/format.ts";
import { toTitle } from "../../../core/model/inflection.ts";
import type { Model } from "../../../core/model/model.ts";
import { createDecider } from "../../../core/satisfiability/satisfiability.ts";
import { join, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { type LabelEnv, messageValues, templateValuesSql } from "../row/labels.ts";
import type { WriteCheck } from "./check.ts";
import { createChecksWithMessages } from "./checks-with-messages.ts";

const checks = createChecksWithMessages("rule", "words");

/** A rule holds if its `when` does not hold, or if it compares with the record before the write and there was none. */
export const ruleChecks = (rules: readonly ValidationRule[], env: SqlEnv): readonly WriteCheck[] =>
  rules.map((rule, i) => {
    const holds = sql`(${toSql(rule.rule, env).truth})`;
    const alternatives = [
      ...(rule.when === null ? [] : [sql`(${toSql(rule.when, env).falsehood})`]),
      ...(comparesWithOld(rule) && env.old !== undefined ? [sql`${env.old("id").sql} IS NULL`] : []),
      holds,
    ];
    return { column: checks.holdsColumn(i), condition: join(alternatives, " OR ") };
  });

/** The grants under which the reader sees all inputs of a message part; `true` for every record. */
export type DisclosedWhere = (part: Expr) => true | readonly ReadCondition[];

/** The condition of a grant to read the record. */
interface ReadCondition {
  readonly open: Expr;
  /** True if the write does not change the inputs of the condition. */
  readonly isUnchanged: boolean;
}

/** A request, as far as it decides what its caller knows. */
interface KnownRequest {
  /**
   * For each action of the request, the grants that allow it, on values that the write does not change. Readers by
   * different grants can see different values.
   */
  readonly grants?: readonly (readonly Grant[])[];
  /** The fields that the checked statement changes. */
  readonly changed?: ReadonlySet<string>;
  /** The fields that the transaction has changed, if the statement itself changes none. */
  readonly written?: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();

export const disclosedWhere = (
  model: Model,
  principal: Principal,
  entity: Entity,
  { grants = [], changed = nothing, written = changed }: KnownRequest = {},
): DisclosedWhere => {
  const isUnaffected = (names: ReadonlySet<string>, condition: Expr): boolean =>
    ![...collectReadSet(condition).fields].some((name) => names.has(name));
  const facts = grants.flatMap((alternatives) => {
    const open = some(alternatives.map(({ conditions }) => every(conditions) ?? alwaysTrue));
    return open === undefined ? [] : splitConjuncts(open).filter((conjunct) => isUnaffected(changed, conjunct));
  });
  const reading = {
    entities: model.entities,
    reader: readerBy((item) => grantsFor(model, item, "read", principal), createDecider(model.entities)),
    entity,
    facts,
    written: nothingWritten,
  };
  const readConditions = grantsFor(model, entity, "read", principal).flatMap(({ conditions }) => {
    const open = every(conditions);
    return open === undefined ? [] : [{ open, isUnchanged: isUnaffected(written, open) }];
  });
  return (part) =>
    findHiddenRead(part, reading) === undefined ||
    readConditions.filter(
      ({ open }) => findHiddenRead(part, { ...reading, facts: [...facts, ...splitConjuncts(open)] }) === undefined,
    );
};

/**
 * The message values of violated rules, in the caller's read scope. Values computed from records of which some might be
 * hidden are never shown, because showing them conditionally would reveal the hidden ones.
 */
export const ruleMessageColumns = (
  rules: readonly ValidationRule[],
  seen: LabelEnv,
  disclosure: () => DisclosedWhere,
  before?: SqlEnv,
): readonly Sql[] => checks.messageColumns(rules, ({ message }) => messageValuesSql(message, seen, disclosure, before));

/**
 * The message values in the scope `seen`, if the reader can see all inputs. `before` is the record before the write:
 * values that became visible only through the refused write are not shown.
 */
export const messageValuesSql = (
  message: Template,
  seen: LabelEnv,
  disclosure: () => DisclosedWhere,
  before?: SqlEnv,
): Sql => {
  let disclosed: DisclosedWhere | undefined;
  return templateValuesSql(message, seen, (part, value) => {
    if (collectReadSet(part).recordReads.every(({ by }) => by === "id")) return value;
    disclosed ??= disclosure();
    const where = disclosed(part);
    if (where === true) return value;
    const open = where.flatMap((readCondition) => {
      const now = sql`(${toSql(readCondition.open, seen).truth})`;
      if (readCondition.isUnchanged) return [now];
      return before === undefined ? [] : [sql`(${now} AND (${toSql(readCondition.open, before).truth}))`];
    });
    return sql`(CASE WHEN ${open.length === 0 ? sql`FALSE` : join(open, " OR ")} THEN ${value} END)`;
  });
};

/** Violated rules in document order, with their messages. */
export const brokenRules = (
  model: Model,
  rules: readonly ValidationRule[],
  row: Row,
  format: Format,
): readonly RefusalAt[] =>
  checks.findBroken(rules, row).map(({ rule, words }) => {
    const refusal = ruleRefusal(model, rule);
    // Messages of built-in errors use the field's title: `{field} is taken`.
    const field = findFieldTitle(model, rule, refusal.at.slice(1));
    return {
      ...refusal,
      values: { ...field, ...soughtEntityTitle(model, rule), ...messageValues(model, rule, words, format) },
    };
  });

/** The title of the entity of which NOT_ONE needs exactly one record. */
export const soughtEntityTitle = (model: Model, { error, rule }: ValidationRule): { readonly things?: string } => {
  const titles = error === "NOT_ONE" ? entitiesOfOne(rule).flatMap((name) => model.entities.get(name) ?? []) : [];
  return titles.length === 0 ? {} : { things: titles.map(({ called }) => toTitle(called.many)).join(", ") };
};

const findFieldTitle = (model: Model, { clause }: ValidationRule, name: string): { readonly field?: string } => {
  const title = model.entities.get(clause.id.split(".")[1] ?? "")?.fields.get(name)?.title;
  return title === undefined ? {} : { field: title };
};
