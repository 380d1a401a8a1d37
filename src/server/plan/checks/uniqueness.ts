import { errorPointerOf, violatesUniqueness } from "../../../core/derive/consistency/uniqueness.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Model, UniquenessRule } from "../../../core/model/model.ts";
import { identifier, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { type Seen, spokenValues, valuesOf } from "../row/labels.ts";
import { tableOf } from "../row/sql-env.ts";
import { CANDIDATE, JUDGED, type Verdict } from "./check.ts";

/** No other record of the entity stands against the one that would be written. The index has the last word. */
export const togetherVerdicts = (model: Model, entity: Entity, rules: readonly UniquenessRule[]): readonly Verdict[] =>
  rules.map((rule, i) => ({
    column: `together:${i}`,
    condition: sql`NOT EXISTS (SELECT FROM ${tableOf(entity)} AS "o" WHERE "o"."id" <> ${identifier(CANDIDATE)}."id" AND ${violatesUniqueness(model, entity, rule, "o", CANDIDATE)})`,
  }));

/** The values that their messages name, as who is told may read them. */
export const togetherWords = (rules: readonly UniquenessRule[], seen: Seen): readonly Sql[] =>
  rules.map(
    ({ message }, i) =>
      sql`CASE WHEN NOT ${identifier(JUDGED)}.${identifier(`together:${i}`)} THEN ${valuesOf(message, seen)} END AS ${identifier(`together words:${i}`)}`,
  );

/** What an entry that is also a built-in one calls the fields: `{field} is taken`. */
export const fieldsInWords = (entity: Entity, { same, range }: UniquenessRule): { readonly field: string } => ({
  field: [...same, ...(range === null ? [] : [range.from, range.to])]
    .map((name) => entity.fields.get(name)?.title ?? name)
    .join(", "),
});

export const brokenTogether = (
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
        values: { ...fieldsInWords(entity, rule), ...spokenValues(model, rule, words, format) },
      },
    ];
  });
