import { grantsFor } from "../../../core/derive/authorization/grants.ts";
import { isConstraint } from "../../../core/derive/tables/checks.ts";
import type { Effect } from "../../../core/model/effect.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { rulesAt } from "../../../core/model/facts/applicable-rules.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import { type Refusal, refuseAt } from "../../refusal.ts";
import { CANDIDATE, CHECKED } from "../aliases.ts";
import { brokenRules, disclosedWhere, ruleChecks, ruleMessageColumns } from "../checks/rules.ts";
import { callerParams, principalKey } from "../context.ts";
import { asText, resultColumn, resultColumnSql, selectAs } from "../result-columns.ts";
import { readerEnvIfReadable } from "../row/labels.ts";
import { rowEnv } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { CHECK_COLUMNS, writeStatementSql } from "../transaction/write-statement.ts";

/** The checked record. */
const RECORD = resultColumn("is:id", asText);

/** The records that an effect is about to write. */
interface EffectWrite {
  readonly entity: Entity;
  readonly action: string;
  /** The fields that can change; null if the records are new. */
  readonly changed: ReadonlySet<string> | null;
  /** Table expressions up to the records as they would be. */
  readonly rows: () => readonly Sql[];
  /** True for the records that would be written. */
  readonly isWritten?: Sql;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Checks the rules that the table enforces, before the write: a constraint fails at once, and knows no values for the
 * message of the document.
 */
export function* findBrokenConstraintRules(
  { context, caller, format }: WriteTransaction,
  effect: Effect,
  { entity, action, changed, rows, isWritten = sql`TRUE`, params }: EffectWrite,
): Steps<Refusal | undefined> {
  const { model } = context;
  const { principal } = caller;
  const rules = rulesAt(entity, action, changed ?? new Set()).filter((rule) => isConstraint(rule, entity, model));
  if (rules.length === 0) return undefined;
  const key = ["effect", effect.clause.id, action, "constraint rules", principalKey(principal)];
  const statement = context.statements.get(key, () => ({
    more: undefined,
    sql: writeStatementSql({
      rows: rows(),
      checked: {
        from: sql`FROM ${CANDIDATE} WHERE ${isWritten}`,
        key: [selectAs(sql`${CANDIDATE}."id"`, RECORD)],
        checks: ruleChecks(rules, rowEnv(model, entity, CANDIDATE.alias)),
      },
      result: {
        columns: [
          CHECK_COLUMNS,
          ...ruleMessageColumns(rules, readerEnvIfReadable(model, entity, principal, CANDIDATE.alias), () =>
            disclosedWhere(model, principal, entity, {
              grants: [grantsFor(model, entity, "read", principal)],
              ...(changed === null ? {} : { written: changed }),
            }),
          ),
        ],
        from: sql`FROM ${CHECKED} JOIN ${CANDIDATE} ON ${CANDIDATE}."id" = ${resultColumnSql(CHECKED, RECORD)}`,
      },
    }),
  }));
  const found = yield* send(statement, { ...callerParams(caller), ...params });
  const [broken] = found.map((row) => brokenRules(model, rules, row, format)).filter(({ length }) => length > 0);
  return broken === undefined ? undefined : refuseAt(broken.map((error) => ({ ...error, at: "" })));
}
