import { takenRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { uniqueKeySql, uniquenessRulesAt, violatesUniqueness } from "../../../core/derive/consistency/uniqueness.ts";
import { isConstraint } from "../../../core/derive/tables/checks.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { rulesAt } from "../../../core/model/facts/applicable-rules.ts";
import { type Field, isWritten } from "../../../core/model/field.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { CANDIDATE, CURRENT, EARLIER, EXISTING, SENT } from "../aliases.ts";
import { DIFFERS, type WriteCheck } from "../checks/check.ts";
import { brokenFiles, fileChecks, fileFields } from "../checks/files.ts";
import { brokenReferences, referenceChecks } from "../checks/references.ts";
import { brokenRules, disclosedWhere, ruleChecks, ruleMessageColumns } from "../checks/rules.ts";
import { brokenUniqueness, uniquenessColumn, uniquenessMessageColumns } from "../checks/uniqueness.ts";
import type { PartInput, PartListInput } from "../input/parse-parts.ts";
import { type BooleanColumn, booleanColumn, readColumn, resultColumnSql } from "../result-columns.ts";
import { readerEnvIfReadable } from "../row/labels.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import { NTH } from "../transaction/insert-rows.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { isSentSql, sentValueSql } from "./parts-payload.ts";

const uniqueColumn = ({ name }: Field): BooleanColumn => booleanColumn(`unique:${name}`);

/**
 * The checks of each part before it is written. They repeat constraints of the table, so that a refusal has a clause
 * and a position.
 */
export const partChecks = (
  { context, caller, format }: WriteTransaction,
  { entity, field: by }: PartListInput,
  sentFields: readonly string[],
  action: "create" | "update",
  changed: ReadonlySet<string>,
) => {
  const { model } = context;
  const rules = rulesAt(entity, action, changed).filter((rule) => isConstraint(rule, entity, model));
  const references = sentFields.filter((name) => entity.fields.get(name)?.type === "reference" && name !== by.name);
  const files = fileFields(entity).filter(({ name }) => sentFields.includes(name));
  const uniquenessRules = uniquenessRulesAt(entity, action, changed);
  const unique = [...entity.fields.values()].filter(
    (field) => field.unique && isWritten(field) && (action === "create" ? true : changed.has(field.name)),
  );
  const verdicts = (): readonly WriteCheck[] => [
    ...ruleChecks(rules, rowEnv(model, entity, CANDIDATE.alias)),
    ...[
      ...referenceChecks(context, caller, entity, references, action === "update" ? CURRENT.alias : null),
      ...fileChecks(files, sentValueSql),
    ].map(({ field, column, condition }) => ({
      column,
      condition: sql`(NOT (${isSentSql(field)}) OR ${condition})`,
    })),
    ...uniquenessRules.map((rule, i) => ({
      column: uniquenessColumn(i),
      condition: isOnly(entity, (other) => violatesUniqueness(model, entity, rule, other, CANDIDATE.alias)),
    })),
    ...unique.map((field) => ({
      column: uniqueColumn(field),
      condition: isOnly(entity, (other) => {
        const [a, b] = [uniqueKeySql(field, other), uniqueKeySql(field, CANDIDATE.alias)];
        return field.countsMissing ? sql`${a} IS NOT DISTINCT FROM ${b}` : sql`${a} = ${b}`;
      }),
    })),
  ];
  return {
    /** The checks of each candidate. */
    checked: (more: readonly WriteCheck[]) => ({
      from: sql`FROM ${CANDIDATE} JOIN ${SENT} ON ${SENT}."nth" = ${resultColumnSql(CANDIDATE, NTH)}${action === "update" ? sql` JOIN ${CURRENT} ON ${CURRENT}."id" = ${CANDIDATE}."id"` : sql``}`,
      key: [resultColumnSql(CANDIDATE, NTH)],
      checks: [...more, ...verdicts()],
    }),
    words: (): readonly Sql[] => {
      const seen = readerEnvIfReadable(model, entity, caller.principal, CANDIDATE.alias, { given: sentFields });
      const disclosure = () => disclosedWhere(model, caller.principal, entity);
      return [...ruleMessageColumns(rules, seen, disclosure), ...uniquenessMessageColumns(uniquenessRules, seen)];
    },
    broken: (row: Row, { sentFields: own }: PartInput): readonly RefusalAt[] => {
      const absent = brokenFiles(
        files.filter(({ name }) => own.includes(name)),
        row,
      );
      // A form sends all its fields, so unchanged values are not a change. But a file that the caller must not use is
      // refused.
      if (readColumn(row, DIFFERS) === false) return absent;
      // Nothing is checked against an unreadable record, because the outcome would disclose it.
      const unseen = brokenReferences(
        entity,
        references.filter((name) => own.includes(name)),
        row,
      );
      if (unseen.length > 0) return unseen;
      return [
        ...absent,
        ...brokenRules(model, rules, row, format),
        ...brokenUniqueness(model, entity, uniquenessRules, row, format),
        ...unique.flatMap((field): readonly RefusalAt[] =>
          readColumn(row, uniqueColumn(field)) === false
            ? [{ ...takenRefusal(field), values: { field: field.title } }]
            : [],
        ),
      ];
    },
  };
};

/** Checks that neither an unchanged record nor an earlier part of the list collides with the candidate. */
const isOnly = (entity: Entity, against: (other: string) => Sql): Sql =>
  sql`NOT EXISTS (SELECT FROM ${tableSql(entity)} AS ${EXISTING} WHERE ${EXISTING}."id" <> ${CANDIDATE}."id" AND ${EXISTING}."id" NOT IN (SELECT ${EARLIER}."id" FROM ${SENT} AS ${EARLIER} WHERE ${EARLIER}."id" IS NOT NULL) AND ${against(EXISTING.alias)}) AND NOT EXISTS (SELECT FROM ${CANDIDATE} AS ${EXISTING} WHERE ${resultColumnSql(EXISTING, NTH)} < ${resultColumnSql(CANDIDATE, NTH)} AND ${against(EXISTING.alias)})`;
