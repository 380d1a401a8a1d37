import { errorPointerOf, violatesUniqueness } from "../../../core/derive/consistency/uniqueness.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Model, UniquenessRule } from "../../../core/model/model.ts";
import { identifier, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { type LabelEnv, messageValues, templateValuesSql } from "../row/labels.ts";
import { tableSql } from "../row/sql-env.ts";
import { CANDIDATE, CHECKED, type WriteCheck } from "./check.ts";

/** No other record of the entity stands against the one that would be written. The index has the last word. */
export const uniquenessChecks = (
  model: Model,
  entity: Entity,
  rules: readonly UniquenessRule[],
): readonly WriteCheck[] =>
  rules.map((rule, i) => ({
    column: `together:${i}`,
    condition: sql`NOT EXISTS (SELECT FROM ${tableSql(entity)} AS "o" WHERE "o"."id" <> ${identifier(CANDIDATE)}."id" AND ${violatesUniqueness(model, entity, rule, "o", CANDIDATE)})`,
  }));

/** The values that their messages name, as who is told may read them. */
export const uniquenessMessageColumns = (rules: readonly UniquenessRule[], seen: LabelEnv): readonly Sql[] =>
  rules.map(
    ({ message }, i) =>
      sql`CASE WHEN NOT ${identifier(CHECKED)}.${identifier(`together:${i}`)} THEN ${templateValuesSql(message, seen)} END AS ${identifier(`together words:${i}`)}`,
  );

/** What an entry that is also a built-in one calls the fields: `{field} is taken`. */
export const fieldTitles = (entity: Entity, { same, range }: UniquenessRule): { readonly field: string } => ({
  field: [...same, ...(range === null ? [] : [range.from, range.to])]
    .map((name) => entity.fields.get(name)?.title ?? name)
    .join(", "),
});

export const brokenUniqueness = (
  model: Model,
  entity: Entity,
  rules: readonly UniquenessRule[],
  row: Row,
  format: Format,
): readonly RefusalAt[] =>
  rules.flatMap((rule, i) => {
    if (row[`together:${i}`] === true) return [];
    const words = row[`together words:${i}`];
    return [
      {
        at: errorPointerOf(model, rule),
        code: rule.error,
        clause: rule.clause.id,
        values: { ...fieldTitles(entity, rule), ...messageValues(model, rule, words, format) },
      },
    ];
  });
