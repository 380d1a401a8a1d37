import { grantsFor, type Principal } from "../../../core/derive/authorization/grants.ts";
import { comparesWithOld } from "../../../core/model/facts/applicable-rules.ts";
import type { Model } from "../../../core/model/model.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import { type Refusal, type RefusalAt, refuseAt } from "../../refusal.ts";
import { CANDIDATE, CHECKED, CURRENT } from "../aliases.ts";
import {
  affectedRuleChecks,
  affectedRuleMessages,
  brokenAffectedRules,
  failingOwnersQuery,
} from "../checks/affected-rules.ts";
import { boundChecks, brokenBounds } from "../checks/field-bounds.ts";
import { brokenFields, fieldChecks } from "../checks/field-conditions.ts";
import { brokenRules, disclosedWhere, ruleChecks, ruleMessageColumns } from "../checks/rules.ts";
import { brokenUniqueness, uniquenessChecks, uniquenessMessageColumns } from "../checks/uniqueness.ts";
import { callerParams, principalKey } from "../context.ts";
import { asText, readColumn, resultColumn, resultColumnSql, selectAs } from "../result-columns.ts";
import { readerEnvIfReadable } from "../row/labels.ts";
import { rowEnv } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import { listChangedRecords, requireLocks } from "./early-locks.ts";
import {
  getGroupKey,
  groupParams,
  groupWrites,
  nameRowAliases,
  presentRows,
  type WriteGroup,
  writtenRowsSql,
} from "./group-writes.ts";
import {
  findUniqueFields,
  type LockedWrite,
  type LockRows,
  lockStatements,
  tryLocksSql,
  uniqueFieldLocks,
} from "./locks.ts";
import type { WriteTransaction } from "./transaction-context.ts";
import { CHECK_COLUMNS, tableAs, withTables, writeStatementSql } from "./write-statement.ts";

/**
 * Final checks of a transaction that writes several records. After all writes, it first takes the locks of all changes,
 * so that concurrent changes become visible. It then checks every rule on every affected record.
 */

/** The checked record. */
const RECORD = resultColumn("is:id", asText);

/**
 * Returns the refusal with all violations, in the order of the writes. `places`: JSON pointers of the sent records by
 * id: `""` for the root record, `/lines/2` for a part.
 */
export function* runFinalChecks(tx: WriteTransaction, places: ReadonlyMap<string, string>): Steps<Refusal | undefined> {
  const groups = groupWrites(tx);
  yield* takeLocks(tx, groups);
  const broken = yield* findBroken(tx, groups, places);
  // A rule that reads parts is checked on the parent and again for each part, but reported once, at its field.
  const distinct = broken.filter((error, i) => {
    const hasSameClause = (other: RefusalAt) => other.clause === error.clause;
    if (error.at === "" && broken.some((other) => hasSameClause(other) && other.at !== "")) return false;
    return broken.findIndex((other) => hasSameClause(other) && other.at === error.at) === i;
  });
  return distinct.length === 0 ? undefined : refuseAt(distinct);
}

/** Checks each write set without the rules of other records, to complete a refusal. */
export function* checkEachAlone(
  tx: WriteTransaction,
  places: ReadonlyMap<string, string>,
): Steps<readonly RefusalAt[]> {
  const groups = groupWrites(tx).map((group) => ({ ...group, affectedRules: [] }));
  return yield* findBroken(tx, groups, places);
}

function* findBroken(
  tx: WriteTransaction,
  groups: readonly WriteGroup[],
  places: ReadonlyMap<string, string>,
): Steps<readonly RefusalAt[]> {
  const broken: RefusalAt[] = [];
  for (const group of groups) {
    broken.push(...(yield* findBrokenRecords(tx, group, places)));
    broken.push(...(yield* findBrokenAffectedRules(tx, group)));
  }
  return broken;
}

/** Checks the rules, fields and uniqueness of the written records themselves. */
function* findBrokenRecords(
  { context, caller, format }: WriteTransaction,
  group: WriteGroup,
  places: ReadonlyMap<string, string>,
): Steps<readonly RefusalAt[]> {
  const { entity, rules, conditionalFields, bounded, uniquenessRules } = group;
  if (rules.length + conditionalFields.length + bounded.length + uniquenessRules.length === 0) return [];
  const { model } = context;
  const statement = context.statements.get(
    ["final checks", getGroupKey(group), principalKey(caller.principal)],
    () => ({ more: undefined, sql: recordChecksSql(model, caller.principal, group) }),
  );
  const rows = yield* send(statement, { ...callerParams(caller), ...groupParams(group, "") });
  return rows.flatMap((row) => {
    const place = places.get(readColumn(row, RECORD));
    return [
      ...brokenBounds(bounded, row),
      ...brokenFields(conditionalFields, row),
      ...brokenRules(model, rules, row, format),
      ...brokenUniqueness(model, entity, uniquenessRules, row, format),
    ].map((error) => ({ ...error, at: placePointer(place, error.at) }));
  });
}

const recordChecksSql = (model: Model, principal: Principal, group: WriteGroup): Sql => {
  const { entity, rules, conditionalFields, bounded, uniquenessRules } = group;
  const isCompared = rules.some(comparesWithOld);
  const old = isCompared
    ? {
        all: { old: rowEnv(model, entity, CURRENT.alias).field },
        seen: { old: readerEnvIfReadable(model, entity, principal, CURRENT.alias).field },
      }
    : {};
  const env = { ...rowEnv(model, entity, CANDIDATE.alias), ...old.all };
  const seen = { ...readerEnvIfReadable(model, entity, principal, CANDIDATE.alias), ...old.seen };
  const before = isCompared ? sql` LEFT JOIN ${CURRENT} ON ${CURRENT}."id" = ${CANDIDATE}."id"` : sql``;
  const disclosure = () =>
    disclosedWhere(model, principal, entity, {
      grants: [grantsFor(model, entity, "read", principal)],
      ...(group.changed === null ? {} : { written: group.changed }),
    });
  return writeStatementSql({
    rows: isCompared ? writtenRowsSql(group, "") : [tableAs(CANDIDATE, presentRows(group, ""))],
    checked: {
      from: sql`FROM ${CANDIDATE}${before}`,
      key: [selectAs(sql`${CANDIDATE}."id"`, RECORD)],
      checks: [
        ...ruleChecks(rules, env),
        ...fieldChecks(model, entity, conditionalFields, CANDIDATE.alias, env),
        ...boundChecks(bounded, CANDIDATE.alias),
        ...uniquenessChecks(model, entity, uniquenessRules),
      ],
    },
    result: {
      columns: [
        CHECK_COLUMNS,
        ...ruleMessageColumns(rules, seen, disclosure),
        ...uniquenessMessageColumns(uniquenessRules, seen),
      ],
      from: sql`FROM ${CHECKED} JOIN ${CANDIDATE} ON ${CANDIDATE}."id" = ${resultColumnSql(CHECKED, RECORD)}${before}`,
    },
  });
};

/** Checks the rules of other records that read the written ones. */
function* findBrokenAffectedRules(
  { context, caller, format }: WriteTransaction,
  group: WriteGroup,
): Steps<readonly RefusalAt[]> {
  const { entity, affectedRules } = group;
  if (affectedRules.length === 0) return [];
  const { model } = context;
  const statement = context.statements.get(["reach", getGroupKey(group), principalKey(caller.principal)], () => {
    const queries = affectedRules.map((affectedRule) =>
      failingOwnersQuery(model, entity, affectedRule, nameRowAliases(group, ""), null),
    );
    return {
      more: undefined,
      sql: writeStatementSql({
        rows: writtenRowsSql(group, ""),
        checked: { from: sql``, checks: affectedRuleChecks(queries) },
        result: {
          columns: [CHECK_COLUMNS, ...affectedRuleMessages(model, caller.principal, queries, null)],
          from: sql`FROM ${CHECKED}`,
        },
      }),
    };
  });
  const [row] = yield* send(statement, { ...callerParams(caller), ...groupParams(group, "") });
  return row === undefined ? [] : brokenAffectedRules(model, affectedRules, row, format);
}

const placePointer = (place: string | undefined, at: string): string => (place === undefined ? "" : `${place}${at}`);

/**
 * Takes all locks of the writes except those of the root write, which it already holds. If one is not free, the
 * transaction starts again and takes it first.
 */
function* takeLocks(
  { context, caller, written: writeSets }: WriteTransaction,
  groups: readonly WriteGroup[],
): Steps<void> {
  const { model } = context;
  if (
    groups.every(
      ({ isEarlyChecked, rules, affectedRules }) => isEarlyChecked && rules.length + affectedRules.length === 0,
    )
  )
    return;
  const statements = context.statements.list(["locks", groups.map(getGroupKey)], () => {
    const rounds: LockRows[][] = [];
    for (const [i, group] of groups.entries()) {
      const touched: LockedWrite = {
        model,
        entity: group.entity,
        changed: group.changed,
        sides: nameRowAliases(group, `${i}`),
        states: null,
      };
      const { rules, affectedRules } = group;
      const more = uniqueFieldLocks(touched, findUniqueFields(group.entity, group.changed));
      for (const [round, rows] of lockStatements(touched, { rules, affectedRules, more }).entries())
        rounds[round] = [...(rounds[round] ?? []), ...rows];
    }
    const all = groups.flatMap((group, i) => writtenRowsSql(group, `${i}`));
    return rounds.map((rows) => withTables(all, tryLocksSql(rows)));
  });
  const slots = Object.assign({ ...callerParams(caller) }, ...groups.map((group, i) => groupParams(group, `${i}`)));
  for (const statement of statements)
    requireLocks(
      model,
      yield* send(statement, slots as Readonly<Record<string, unknown>>),
      listChangedRecords(writeSets),
    );
}
