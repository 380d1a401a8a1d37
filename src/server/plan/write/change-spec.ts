import { factsAfterTransition, mayCollide } from "../../../core/derive/consistency/possible-violations.ts";
import { findGuardReads, rulesAffectedBy, triggersAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { uniquenessRulesAt } from "../../../core/derive/consistency/uniqueness.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { States, Transition } from "../../../core/model/entity.ts";
import { listActValues } from "../../../core/model/facts/act-values.ts";
import { findBoundedFields, findConditionalFields, rulesAt } from "../../../core/model/facts/applicable-rules.ts";
import { findKeptAt } from "../../../core/model/facts/kept-fields.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { causesAfterWrite } from "../after-write.ts";
import { CANDIDATE, CURRENT, OWN, TABLE } from "../aliases.ts";
import { DIFFERS, FRESH, GUARD, IN_STATE, type WriteCheck } from "../checks/check.ts";
import { boundChecks } from "../checks/field-bounds.ts";
import { defaultChecks, fieldChecks } from "../checks/field-conditions.ts";
import { fileFields, fileInputValue, isFileField } from "../checks/files.ts";
import { referenceChecks } from "../checks/references.ts";
import { ruleChecks } from "../checks/rules.ts";
import { findSequences } from "../input/generated-values.ts";
import { inputParam } from "../input/parse-input.ts";
import { differs } from "../row/audit-line.ts";
import { readerEnv } from "../row/labels.ts";
import { nextStateSql } from "../row/next-state.ts";
import { candidateValues, columnTypeSql } from "../row/proposed-row.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { type ColumnValues, columnRef, replacedRows, rowEnv, tableSql } from "../row/sql-env.ts";
import { findUniqueFields, type LockedWrite, type LockRows, uniqueFieldLocks } from "../transaction/locks.ts";
import { lockParents } from "../transaction/parent-versions.ts";
import { changedRowsSql } from "../transaction/update-rows.ts";
import { tableAs } from "../transaction/write-statement.ts";
import { firstUse } from "./idempotency.ts";
import { getLocks, locksBefore, roundsBefore, type WriteSpec } from "./write-spec.ts";

/** The specification of an update or a transition. */
export interface Change extends WriteSpec {
  /** `update` or the name of the transition; it names the audit line and selects the rules. */
  readonly action: string;
  readonly stateChange: StateChange | null;
  readonly changed: ReadonlySet<string>;
  /** Values of the act that were not sent and have a default. */
  readonly defaulted: readonly Field[];
  /** True if parts are written too. */
  readonly withParts: boolean;
}

/** The transition of a change, and the states of its entity. */
export interface StateChange {
  readonly states: States;
  readonly transition: Transition;
}

/** Derives the checks and changes of an update or a transition that do not depend on the sent values. */
export const analyzeChange = (
  model: Model,
  { entity, action, stateChange }: Pick<Change, "entity" | "action" | "stateChange">,
  sentFields: readonly string[],
) => {
  const series = findSequences(entity, action);
  const defaulted = (stateChange === null ? [] : listActValues(entity, stateChange.transition)).filter(
    (field) => field.default !== null && !sentFields.includes(field.name),
  );
  const given = [...sentFields, ...defaulted.map(({ name }) => name)];
  const written = [
    ...given,
    ...(stateChange === null ? [] : [stateChange.states.field, ...stateChange.transition.set.keys()]),
  ];
  const changed = new Set([
    ...written,
    ...findKeptAt(entity, action, new Set(written)),
    ...series.map((field) => field.name),
  ]);
  return {
    series,
    changed,
    defaulted,
    files: fileFields(entity).filter(({ name }) => sentFields.includes(name)),
    references: sentFields.filter((name) => entity.fields.get(name)?.type === "reference"),
    conditionalFields: findConditionalFields(entity, changed),
    bounded: findBoundedFields(entity, changed).filter(({ name }) => !sentFields.includes(name)),
    hasAfterWrite: causesAfterWrite(model, entity, action, changed),
    rules: rulesAt(entity, action, changed),
    affectedRules: rulesAffectedBy(model, entity, changed),
    guards: findGuardReads(model, entity, action),
    uniquenessRules: uniquenessRulesAt(entity, action, changed),
    triggers: triggersAffectedBy(model, entity, action, changed),
  };
};

export const lockedByUpdate = ({ context: { model }, entity, changed, stateChange }: Change): LockedWrite => ({
  model,
  entity,
  changed,
  sides: { was: CURRENT.alias, is: CANDIDATE.alias },
  states: stateChange === null ? null : new Set([...stateChange.transition.from, ...stateChange.transition.to]),
  single: true,
});

export const locksWithinChange = (change: Change): readonly LockRows[] =>
  getLocks(change, lockedByUpdate(change), uniqueLocksOfChange(change));

/** All locks of a change. */
export const locksOfChange = (change: Change): readonly LockRows[] => [
  ...roundsBefore(change, lockedByUpdate(change), uniqueLocksOfChange(change)).flat(),
  ...locksWithinChange(change),
];

/** Lock statements before the write, in order. */
export const locksBeforeChange = (change: Change): readonly Sql[] =>
  locksBefore(change, lockedByUpdate(change), uniqueLocksOfChange(change), () =>
    currentAndCandidate(change, "in part"),
  );

/** Locks against concurrent equal records. A transition out of the scope of a uniqueness rule needs no lock for it. */
const uniqueLocksOfChange = (change: Change): readonly LockRows[] => {
  const { context, entity, changed, stateChange } = change;
  const uniqueFields = findUniqueFields(entity, changed);
  if (stateChange === null) return uniqueFieldLocks(lockedByUpdate(change), uniqueFields);
  const known = factsAfterTransition(context.model, entity, stateChange.transition);
  const rules = uniqueFields.rules.filter((rule) => mayCollide(known, rule, changed));
  return uniqueFieldLocks(lockedByUpdate(change), { ...uniqueFields, rules });
};

/** A field's value after the change; undefined if unchanged. Expressions of `set` read the sent values. */
export const assignedValue = (change: Change, field: Field): Sql | undefined => {
  const { context, entity, sentFields, defaulted, stateChange } = change;
  const { name } = field;
  const given = givenValue(change, field);
  if (given !== undefined || stateChange === null) return given;
  if (name === stateChange.states.field)
    return sql`${nextStateSql(stateChange.transition, (previous) => columnRef(CURRENT.alias, previous))}::text`;
  const set = stateChange.transition.set.get(name);
  if (set === undefined) return undefined;
  const sent = new Map(
    [...sentFields, ...defaulted.map((item) => item.name)].flatMap((item) => {
      const sentField = entity.fields.get(item);
      const value = sentField === undefined ? undefined : givenValue(change, sentField);
      return value === undefined ? [] : [[item, value] as const];
    }),
  );
  const values = candidateValues(context.model, entity, CURRENT.alias, sent, change.action);
  return sql`(${toSql(set, rowEnv(context.model, entity, values)).value})`;
};

/**
 * The value that the request gives to a field, or the default of a value of the act: on the record before the
 * transition, with the other values of the request, as far as the caller can read them.
 */
const givenValue = (change: Change, field: Field): Sql | undefined => {
  const { context, caller, entity } = change;
  if (change.sentFields.includes(field.name))
    return isFileField(field) ? fileInputValue(field, CURRENT.alias) : inputParam(field);
  if (field.default === null || !change.defaulted.includes(field)) return undefined;
  const reader = readerEnv(context.model, entity, caller.principal, CURRENT.alias);
  const env: SqlEnv = {
    field: (name) => {
      const other = entity.fields.get(name);
      const given = other === undefined ? undefined : givenValue(change, other);
      return given === undefined ? reader.field(name) : { sql: sql`(${given})`, missing: true };
    },
    ...(reader.table === undefined ? {} : { table: reader.table }),
  };
  return sql`(${toSql(field.default, env).value})::${columnTypeSql(field)}`;
};

/** True if the transition starts from the state of a row of this table. */
const inStateSql = ({ states, transition }: NonNullable<Change["stateChange"]>, rows: typeof CURRENT): Sql =>
  sql`${rows}.${identifier(states.field)} IN (${join(
    transition.from.map((from) => constant(from)),
    ", ",
  )})`;

/**
 * The record before (locked, with permissions in the WHERE clause) and after the change. The candidate can be
 * incomplete if only a few of its columns are read, and each only once. A trial locks nothing, and finds no record whose
 * state the transition does not start from: the record itself tells that.
 */
export const currentAndCandidate = (
  change: Change,
  candidate: "whole" | "in part",
  isTrial = false,
): readonly Sql[] => {
  const { context, caller, entity } = change;
  const { model } = context;
  const id = slot("id", "uuid");
  const parentLocks = lockParents(
    model,
    entity,
    (name) => sql`(SELECT ${OWN}.${identifier(name)} FROM ${tableSql(entity)} AS ${OWN} WHERE ${OWN}."id" = ${id})`,
  );
  const after = changedRowsSql(model, entity, {
    action: change.action,
    value: (field) => assignedValue(change, field),
    from: sql`FROM ${CURRENT}`,
  });
  const readable = asCondition(readScope(model, entity, caller.principal, TABLE.alias).rows);
  const found = sql`SELECT * FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}."id" = ${id}`;
  const inState = change.stateChange === null ? sql`TRUE` : inStateSql(change.stateChange, TABLE);
  const before = isTrial
    ? sql`${found} AND ${inState} AND ${readable}`
    : sql`${found} AND ${parentLocks} AND ${readable} FOR NO KEY UPDATE`;
  return [
    tableAs(CURRENT, before),
    candidate === "whole" ? tableAs(CANDIDATE, after) : sql`${CANDIDATE} AS (${after})`,
  ];
};

/** The checks on the record before and after the change, and on related records. */
export const updateChecks = (change: Change, is: string | ColumnValues): readonly WriteCheck[] => {
  const { context, caller, entity, stateChange } = change;
  const { model } = context;
  const current = rowEnv(model, entity, CURRENT.alias);
  const candidate = {
    ...rowEnv(model, entity, is, replacedRows(model, entity, sql`${slot("id", "uuid")}`, is)),
    old: current.field,
  };
  return [
    ...(change.hasKey ? [firstUse] : []),
    {
      column: FRESH,
      condition: sql`(${slot("version", "integer")} IS NULL OR ${CURRENT}."version" = ${slot("version", "integer")})`,
    },
    ...(stateChange === null
      ? []
      : [
          {
            column: IN_STATE,
            condition: inStateSql(stateChange, CURRENT),
          },
        ]),
    ...(stateChange?.transition.guardAndPreconditions == null
      ? []
      : [
          {
            column: GUARD,
            condition: sql`(${toSql(stateChange.transition.guardAndPreconditions, current).truth})`,
          },
        ]),
    ...defaultChecks(change.defaulted.filter(isNeededBy(stateChange)), (name) => columnRef(is, name)),
    ...referenceChecks(context, caller, entity, change.references, CURRENT.alias, (name) => columnRef(is, name)),
    ...boundChecks(change.bounded, is),
    ...fieldChecks(model, entity, change.conditionalFields, is, candidate),
    ...ruleChecks(change.rules, candidate),
  ];
};

/** True for a value without which the transition is refused. */
export const isNeededBy =
  (stateChange: StateChange | null) =>
  ({ name, type, many }: Field): boolean =>
    !many && type !== "boolean" && stateChange?.transition.asksIfAny.has(name) !== true;

/** An update that changes nothing is not written. */
export const changedCheck = (
  { entity, sentFields, stateChange }: Change,
  is: string | ColumnValues,
): readonly WriteCheck[] =>
  stateChange === null ? [{ column: DIFFERS, condition: differs(entity, sentFields, CURRENT.alias, is) }] : [];
