import { type AffectedRule, rulesAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { uniquenessRulesAt } from "../../../core/derive/consistency/uniqueness.ts";
import type { Entity, UniquenessRule, ValidationRule } from "../../../core/model/entity.ts";
import { findBoundedFields, findConditionalFields, rulesAt } from "../../../core/model/facts/applicable-rules.ts";
import type { Field } from "../../../core/model/field.ts";
import { addsRecord } from "../../../core/model/write-actions.ts";
import { type Sql, slot, sql } from "../../../core/sql.ts";
import { PAST, PAST_VALUES, TABLE } from "../aliases.ts";
import type { RowAliases } from "../checks/affected-rules.ts";
import { tableSql } from "../row/sql-env.ts";
import type { StatementKey } from "../statements.ts";
import type { WriteTransaction } from "./transaction-context.ts";
import type { EarlyChecks, WriteSet } from "./write-set.ts";
import { tableAs } from "./write-statement.ts";

/** Records of one entity with the same kind of write. */
export interface WriteGroup {
  readonly entity: Entity;
  readonly action: string;
  readonly changed: ReadonlySet<string> | null;
  /** Each record once, with its values before the transaction. */
  readonly rows: readonly { readonly id: string; readonly before: string | null }[];
  /** True for the root write, whose locks were taken before it. */
  readonly isEarlyChecked: boolean;
  readonly rules: readonly ValidationRule[];
  readonly affectedRules: readonly AffectedRule[];
  /** Uniqueness rules to check. A single step has already checked them in its own statement. */
  readonly uniquenessRules: readonly UniquenessRule[];
  /** Fields with `among` or conditional `required`. */
  readonly conditionalFields: readonly Field[];
  /** Changed fields with bounds. Sent values were validated when they were parsed; values of effects were not. */
  readonly bounded: readonly Field[];
}

/** Groups the writes by equal checks. A deleted record is checked for the records that referred to it. */
export const groupWrites = (tx: WriteTransaction): readonly WriteGroup[] => {
  const { context, written: writeSets } = tx;
  const before = new Map<string, string | null>();
  const deletedIds = new Set<string>();
  for (const { action, rows } of writeSets)
    for (const row of rows) {
      if (!before.has(row.id)) before.set(row.id, row.before);
      if (action === "delete") deletedIds.add(row.id);
    }
  const groups = new Map<string, WriteSet[]>();
  for (const writeSet of writeSets) {
    const key = [
      writeSet.entity.name,
      writeSet.action,
      writeSet.earlyChecks === undefined,
      ...(writeSet.changed ?? []),
    ].join(" ");
    groups.set(key, [...(groups.get(key) ?? []), writeSet]);
  }
  return [...groups.values()].flatMap((writeSets): WriteGroup[] => {
    const [first] = writeSets;
    if (first === undefined) return [];
    const { entity, action, changed, earlyChecks } = first;
    const ids = new Set(writeSets.flatMap(({ rows }) => rows.map(({ id }) => id)));
    const remaining = [...ids].filter((id) => action === "delete" || !deletedIds.has(id));
    // A record created and deleted within the transaction was never visible.
    const rows = remaining
      .map((id) => ({ id, before: before.get(id) ?? null }))
      .filter((row) => action !== "delete" || row.before !== null);
    if (rows.length === 0) return [];
    return [
      {
        entity,
        action,
        changed,
        rows,
        isEarlyChecked: earlyChecks !== undefined,
        rules: (action === "delete" ? [] : rulesAt(entity, action, changed ?? new Set())).filter(
          (rule) => earlyChecks?.rules.has(rule) !== true,
        ),
        uniquenessRules:
          tx.isOfSteps !== true || action === "delete" ? [] : uniquenessRulesAt(entity, action, changed ?? new Set()),
        conditionalFields: (action === "delete" ? [] : findConditionalFields(entity, changed)).filter(
          (field) => earlyChecks?.conditionalFields.has(field) !== true,
        ),
        bounded:
          action === "delete"
            ? []
            : findBoundedFields(entity, changed).filter(({ name }) => earlyChecks?.measured.has(name) !== true),
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
    (affectedRule) =>
      affectedRule.owner === owner && affectedRule.rule === rule && affectedRule.recordRead === recordRead,
  );

/** Groups reduced to their records before and after the writes. */
type Sided = Pick<WriteGroup, "entity" | "action" | "rows">;

/** The values that determine the statements of a group. */
export const getGroupKey = ({
  entity,
  action,
  changed,
  isEarlyChecked,
  rules,
  affectedRules,
  uniquenessRules,
  conditionalFields,
  bounded,
}: WriteGroup): StatementKey => [
  entity.name,
  action,
  isEarlyChecked,
  changed === null ? null : [...changed],
  rules.map(({ clause }) => clause.id),
  affectedRules.map(({ owner, rule, recordRead: { by = null, key } }) => [owner.name, rule.clause.id, by, key ?? null]),
  uniquenessRules.map(({ clause }) => clause.id),
  conditionalFields.map(({ name }) => name),
  bounded.map(({ name }) => name),
];

export const nameRowAliases = ({ action }: Sided, nth: string): RowAliases => ({
  was: addsRecord(action) ? null : `c${nth}`,
  is: action === "delete" ? null : `n${nth}`,
});

export const presentRows = ({ entity }: Sided, nth: string): Sql =>
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
