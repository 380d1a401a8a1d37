import { uniquenessRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { violatesUniqueness } from "../../../core/derive/consistency/uniqueness.ts";
import type { Entity, UniquenessRule } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { CANDIDATE, EXISTING } from "../aliases.ts";
import { type LabelEnv, messageValues, templateValuesSql } from "../row/labels.ts";
import { tableSql } from "../row/sql-env.ts";
import type { WriteCheck } from "./check.ts";
import { createChecksWithMessages } from "./checks-with-messages.ts";

const checks = createChecksWithMessages("together", "together words");

export const uniquenessColumn = checks.holdsColumn;

/**
 * Checks that no other record of the entity collides with the record after the write. In the end, the index enforces
 * it.
 */
export const uniquenessChecks = (
  model: Model,
  entity: Entity,
  rules: readonly UniquenessRule[],
): readonly WriteCheck[] =>
  rules.map((rule, i) => ({
    column: uniquenessColumn(i),
    condition: sql`NOT EXISTS (SELECT FROM ${tableSql(entity)} AS ${EXISTING} WHERE ${EXISTING}."id" <> ${CANDIDATE}."id" AND ${violatesUniqueness(model, entity, rule, EXISTING.alias, CANDIDATE.alias)})`,
  }));

/** The message values of violated uniqueness rules, in the caller's read scope. */
export const uniquenessMessageColumns = (rules: readonly UniquenessRule[], seen: LabelEnv): readonly Sql[] =>
  checks.messageColumns(rules, ({ message }) => templateValuesSql(message, seen));

/** The titles of the fields, for a built-in message that contains them: `{field} is taken`. */
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
  checks.findBroken(rules, row).map(({ rule, words }) => ({
    ...uniquenessRefusal(model, rule),
    values: { ...fieldTitles(entity, rule), ...messageValues(model, rule, words, format) },
  }));
