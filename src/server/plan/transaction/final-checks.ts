import { grantsFor } from "../../../core/derive/authorization/grants.ts";
import { type AffectedRule, rulesAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { uniquenessRulesAt } from "../../../core/derive/consistency/uniqueness.ts";
import type { Entity, UniquenessRule, ValidationRule } from "../../../core/model/entity.ts";
import { comparesWithOld, findConditionalFields, rulesAt } from "../../../core/model/facts/applicable-rules.ts";
import type { Field } from "../../../core/model/field.ts";
import { addsRecord } from "../../../core/model/moments.ts";
import { constant, identifier, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { type Refusal, type RefusalAt, refuseAt } from "../../refusal.ts";
import { CANDIDATE, CHECKED, CURRENT, PAST, PAST_VALUES, TABLE } from "../aliases.ts";
import {
  affectedRuleChecks,
  affectedRuleMessages,
  brokenAffectedRules,
  failingOwnersQuery,
  type RowAliases,
} from "../checks/affected-rules.ts";
import type { WriteCheck } from "../checks/check.ts";
import { brokenFields, fieldChecks } from "../checks/field-conditions.ts";
import { brokenRules, disclosedWhere, ruleChecks, ruleMessageColumns } from "../checks/rules.ts";
import { brokenUniqueness, uniquenessChecks, uniquenessMessageColumns } from "../checks/uniqueness.ts";
import { callerParams, principalKey } from "../context.ts";
import {
  asText,
  type BooleanColumn,
  booleanColumn,
  readColumn,
  resultColumn,
  resultColumnSql,
  selectAs,
} from "../result-columns.ts";
import { readerEnvIfReadable } from "../row/labels.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import type { StatementKey } from "../statements.ts";
import { type Steps, send } from "../steps.ts";
import { listChangedRecords, requireLocks } from "./early-locks.ts";
import {
  findUniqueFields,
  type LockedWrite,
  type LockRows,
  lockStatements,
  tryLocksSql,
  uniqueFieldLocks,
} from "./locks.ts";
import type { WriteTransaction } from "./transaction-context.ts";
import type { EarlyChecks, WriteSet } from "./write-set.ts";
import { CHECK_COLUMNS, tableAs, withTables, writeStatementSql } from "./write-statement.ts";

/**
 * Final checks of a transaction that writes several records. After all writes, it first takes the locks of all changes,
 * so that concurrent changes become visible. It then checks every rule on every affected record.
 */

/** The checked record. */
const RECORD = resultColumn("is:id", asText);

/** Records of one entity with the same kind of write. */
interface Group {
  readonly entity: Entity;
  readonly moment: string;
  readonly changed: ReadonlySet<string> | null;
  /** Each record once, with its values before the transaction. */
  readonly rows: readonly { readonly id: string; readonly before: string | null }[];
  /** True for the root write, whose locks were taken before it. */
  readonly isEarlyChecked: boolean;
  readonly rules: readonly ValidationRule[];
  readonly affectedRules: readonly AffectedRule[];
  /** Uniqueness rules to check. A single step has already checked them in its own statement. */
  readonly together: readonly UniquenessRule[];
  /** Fields with `among` or conditional `required`. */
  readonly conditioned: readonly Field[];
  /** Changed fields with bounds. Sent values were validated when they were parsed; values of effects were not. */
  readonly bounded: readonly Field[];
}

/**
 * Returns the refusal with all violations, in the order of the writes. `places`: JSON pointers of the sent records by
 * id: `""` for the root record, `/lines/2` for a part.
 */
export function* runFinalChecks(tx: WriteTransaction, places: ReadonlyMap<string, string>): Steps<Refusal | undefined> {
  const groups = groupWrites(tx);
  yield* lock(tx, groups);
  const broken = yield* findBroken(tx, groups, places);
  // A rule that reads parts is checked on the parent and again for each part, but reported once, at its field.
  const distinct = broken.filter((one, i) => {
    const hasSameClause = (other: RefusalAt) => other.clause === one.clause;
    if (one.at === "" && broken.some((other) => hasSameClause(other) && other.at !== "")) return false;
    return broken.findIndex((other) => hasSameClause(other) && other.at === one.at) === i;
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
  groups: readonly Group[],
  places: ReadonlyMap<string, string>,
): Steps<readonly RefusalAt[]> {
  const { context, caller, format } = tx;
  const { model } = context;
  const broken: RefusalAt[] = [];
  for (const group of groups) {
    const { conditioned, bounded, together } = group;
    if (group.rules.length + conditioned.length + bounded.length + together.length > 0) {
      const statement = context.statements.get(
        ["final checks", getGroupKey(group), principalKey(caller.principal)],
        () => {
          const isCompared = group.rules.some(comparesWithOld);
          const old = isCompared
            ? {
                all: { old: rowEnv(model, group.entity, CURRENT.alias).field },
                seen: { old: readerEnvIfReadable(model, group.entity, caller.principal, CURRENT.alias).field },
              }
            : {};
          const env = { ...rowEnv(model, group.entity, CANDIDATE.alias), ...old.all };
          const seen = {
            ...readerEnvIfReadable(model, group.entity, caller.principal, CANDIDATE.alias),
            ...old.seen,
          };
          const before = isCompared ? sql` LEFT JOIN ${CURRENT} ON ${CURRENT}."id" = ${CANDIDATE}."id"` : sql``;
          const disclosure = () =>
            disclosedWhere(
              model,
              caller.principal,
              group.entity,
              [grantsFor(model, group.entity, "read", caller.principal)],
              new Set(),
              group.changed ?? new Set(),
            );
          const words = [
            ...ruleMessageColumns(group.rules, seen, disclosure),
            ...uniquenessMessageColumns(together, seen),
          ];
          return {
            more: undefined,
            sql: writeStatementSql({
              rows: isCompared ? writtenRowsSql(group, "") : [tableAs(CANDIDATE, presentRows(group, ""))],
              checked: {
                from: sql`FROM ${CANDIDATE}${before}`,
                key: [selectAs(sql`${CANDIDATE}."id"`, RECORD)],
                checks: [
                  ...ruleChecks(group.rules, env),
                  ...fieldChecks(model, group.entity, conditioned, CANDIDATE.alias, env),
                  ...boundVerdicts(bounded),
                  ...uniquenessChecks(model, group.entity, together),
                ],
              },
              result: {
                columns: [CHECK_COLUMNS, ...words],
                from: sql`FROM ${CHECKED} JOIN ${CANDIDATE} ON ${CANDIDATE}."id" = ${resultColumnSql(CHECKED, RECORD)}${before}`,
              },
            }),
          };
        },
      );
      for (const row of yield* send(statement, { ...callerParams(caller), ...groupParams(group, "") }))
        for (const one of [
          ...brokenBounds(bounded, row),
          ...brokenFields(conditioned, row),
          ...brokenRules(model, group.rules, row, format),
          ...brokenUniqueness(model, group.entity, together, row, format),
        ])
          broken.push({ ...one, at: placePointer(places.get(readColumn(row, RECORD)), one.at) });
    }
    if (group.affectedRules.length > 0) {
      const reaching = context.statements.get(["reach", getGroupKey(group), principalKey(caller.principal)], () => {
        const reached = group.affectedRules.map((affectedRule) =>
          failingOwnersQuery(model, group.entity, affectedRule, nameRowAliases(group, ""), null),
        );
        return {
          more: undefined,
          sql: writeStatementSql({
            rows: writtenRowsSql(group, ""),
            checked: { from: sql``, checks: affectedRuleChecks(reached) },
            result: {
              columns: [CHECK_COLUMNS, ...affectedRuleMessages(model, caller.principal, reached, null)],
              from: sql`FROM ${CHECKED}`,
            },
          }),
        };
      });
      const [row] = yield* send(reaching, { ...callerParams(caller), ...groupParams(group, "") });
      if (row !== undefined) broken.push(...brokenAffectedRules(context.model, group.affectedRules, row, format));
    }
  }
  return broken;
}

const placePointer = (place: string | undefined, at: string): string => (place === undefined ? "" : `${place}${at}`);

/** Groups the writes by equal checks. A deleted record is checked for the records that referred to it. */
const groupWrites = (tx: WriteTransaction): readonly Group[] => {
  const { context, written: writeSets } = tx;
  const before = new Map<string, string | null>();
  const deletedIds = new Set<string>();
  for (const { moment, rows } of writeSets)
    for (const row of rows) {
      if (!before.has(row.id)) before.set(row.id, row.before);
      if (moment === "delete") deletedIds.add(row.id);
    }
  const groups = new Map<string, WriteSet[]>();
  for (const writeSet of writeSets) {
    const key = [
      writeSet.entity.name,
      writeSet.moment,
      writeSet.earlyChecks === undefined,
      ...(writeSet.changed ?? []),
    ].join(" ");
    groups.set(key, [...(groups.get(key) ?? []), writeSet]);
  }
  return [...groups.values()].flatMap((writeSets): Group[] => {
    const [first] = writeSets;
    if (first === undefined) return [];
    const { entity, moment, changed, earlyChecks } = first;
    const ids = new Set(writeSets.flatMap(({ rows }) => rows.map(({ id }) => id)));
    const remaining = [...ids].filter((id) => moment === "delete" || !deletedIds.has(id));
    // A record created and deleted within the transaction was never visible.
    const rows = remaining
      .map((id) => ({ id, before: before.get(id) ?? null }))
      .filter((row) => moment !== "delete" || row.before !== null);
    if (rows.length === 0) return [];
    return [
      {
        entity,
        moment,
        changed,
        rows,
        isEarlyChecked: earlyChecks !== undefined,
        rules: (moment === "delete" ? [] : rulesAt(entity, moment, changed ?? new Set())).filter(
          (rule) => earlyChecks?.rules.has(rule) !== true,
        ),
        together:
          tx.isOfSteps !== true || moment === "delete" ? [] : uniquenessRulesAt(entity, moment, changed ?? new Set()),
        conditioned: (moment === "delete" ? [] : findConditionalFields(entity, changed)).filter(
          (field) => earlyChecks?.conditioned.has(field) !== true,
        ),
        bounded:
          moment === "delete"
            ? []
            : [...entity.fields.values()].filter(
                (field) =>
                  getBoundedMeasure(field) !== undefined &&
                  (changed === null || changed.has(field.name)) &&
                  earlyChecks?.measured.has(field.name) !== true,
              ),
        affectedRules: rulesAffectedBy(context.model, entity, changed).filter(
          (affectedRule) => !wasCheckedEarly(earlyChecks, affectedRule),
        ),
      },
    ];
  });
};

/** Affected rules are rebuilt each time, so they are compared by content. */
const wasCheckedEarly = (earlyChecks: EarlyChecks | undefined, { owner, rule, recordRead }: AffectedRule): boolean =>
  [...(earlyChecks?.affectedRules ?? [])].some(
    (one) => one.owner === owner && one.rule === rule && one.recordRead === recordRead,
  );

/** Groups reduced to their records before and after the writes. */
type Sided = Pick<Group, "entity" | "moment" | "rows">;

/** The measured value for bounds, such as the length of a text; undefined for a field without bounds. */
const getBoundedMeasure = ({ type, min, max, storage }: Field): ((value: Sql) => Sql) | undefined => {
  if ((min === null && max === null) || storage.as !== "column") return undefined;
  if (type === "integer" || type === "decimal" || type === "money" || type === "date") return (value) => value;
  return type === "text" || type === "long text" ? (value) => sql`char_length(${value})` : undefined;
};

const getLimit = ({ type }: Field, bound: string): Sql =>
  type === "date" ? sql`${constant(bound)}::date` : sql`${constant(bound)}::numeric`;

const minColumn = ({ name }: Field): BooleanColumn => booleanColumn(`least:${name}`);
const maxColumn = ({ name }: Field): BooleanColumn => booleanColumn(`most:${name}`);

const boundVerdicts = (fields: readonly Field[]): readonly WriteCheck[] =>
  fields.flatMap((field): readonly WriteCheck[] => {
    const measure = getBoundedMeasure(field);
    if (measure === undefined) return [];
    const column = sql`${CANDIDATE}.${identifier(field.name)}`;
    // For several values, the bounds apply to each one.
    const holds = (bound: (measured: Sql) => Sql): Sql =>
      field.many
        ? sql`NOT EXISTS (SELECT FROM unnest(${column}) AS "one"("value") WHERE NOT (${bound(measure(sql`"one"."value"`))}))`
        : sql`(${column} IS NULL OR ${bound(measure(column))})`;
    const { min, max } = field;
    return [
      {
        column: minColumn(field),
        condition: holds((one) => (min === null ? sql`TRUE` : sql`${one} >= ${getLimit(field, min)}`)),
      },
      {
        column: maxColumn(field),
        condition: holds((one) => (max === null ? sql`TRUE` : sql`${one} <= ${getLimit(field, max)}`)),
      },
    ];
  });

const brokenBounds = (fields: readonly Field[], row: Row): readonly RefusalAt[] =>
  fields.flatMap((field): readonly RefusalAt[] => {
    const isText = field.type === "text" || field.type === "long text";
    const at = (code: string, values: Readonly<Record<string, string>>): RefusalAt => ({
      at: `/${field.name}`,
      code,
      clause: field.clause.id,
      values: { field: field.title, ...values },
    });
    return [
      ...(readColumn(row, minColumn(field)) === false
        ? [at(isText ? "TOO_SHORT" : "TOO_SMALL", { min: field.min ?? "" })]
        : []),
      ...(readColumn(row, maxColumn(field)) === false
        ? [at(isText ? "TOO_LONG" : "TOO_LARGE", { max: field.max ?? "" })]
        : []),
    ];
  });

/** The values that determine the statements of a group. */
const getGroupKey = ({
  entity,
  moment,
  changed,
  isEarlyChecked,
  rules,
  affectedRules,
  together,
  conditioned,
  bounded,
}: Group): StatementKey => [
  entity.name,
  moment,
  isEarlyChecked,
  changed === null ? null : [...changed],
  rules.map(({ clause }) => clause.id),
  affectedRules.map(({ owner, rule, recordRead: { by = null, key } }) => [owner.name, rule.clause.id, by, key ?? null]),
  together.map(({ clause }) => clause.id),
  conditioned.map(({ name }) => name),
  bounded.map(({ name }) => name),
];

export const nameRowAliases = ({ moment }: Sided, nth: string): RowAliases => ({
  was: addsRecord(moment) ? null : `c${nth}`,
  is: moment === "delete" ? null : `n${nth}`,
});

const presentRows = ({ entity }: Sided, nth: string): Sql =>
  sql`SELECT ${TABLE}.* FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}."id" = ANY(${slot(`ids${nth}`, "uuid[]")})`;

/** The records before (`c`) and after (`n`) the writes. */
export const writtenRowsSql = (group: Sided, nth: string): readonly Sql[] => {
  const { was, is } = nameRowAliases(group, nth);
  const past = sql`SELECT ${PAST}.* FROM jsonb_to_recordset(${slot(`past${nth}`, "jsonb")}) AS ${PAST_VALUES}("before" text) CROSS JOIN LATERAL jsonb_populate_record(NULL::${tableSql(group.entity)}, ${PAST_VALUES}."before"::jsonb) AS ${PAST}`;
  return [
    ...(was === null ? [] : [tableAs(was, past)]),
    ...(is === null ? [] : [tableAs(is, presentRows(group, nth))]),
  ];
};

export const groupParams = ({ rows }: Sided, nth: string): Readonly<Record<string, unknown>> => ({
  [`ids${nth}`]: rows.map(({ id }) => id),
  [`past${nth}`]: JSON.stringify(rows.map(({ before }) => ({ before }))),
});

/**
 * Takes all locks of the writes except those of the root write, which it already holds. If one is not free, the
 * transaction starts again and takes it first.
 */
function* lock({ context, caller, written: writeSets }: WriteTransaction, groups: readonly Group[]): Steps<void> {
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
