import type { Grant } from "../../../core/derive/authorization/grants.ts";
import {
  factsAfterCreate,
  factsAfterTransition,
  mayCollide,
} from "../../../core/derive/consistency/possible-violations.ts";
import {
  type AffectedRule,
  type ConditionTrigger,
  findGuardReads,
  type GuardRead,
  isUnaffectedBy,
  rulesAffectedBy,
  triggersAffectedBy,
  type WriteEvent,
  writesNothingElse,
} from "../../../core/derive/consistency/read-sets.ts";
import { uniquenessRulesAt } from "../../../core/derive/consistency/uniqueness.ts";
import { isConstraint } from "../../../core/derive/tables/checks.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Entity, States, Transition, ValidationRule } from "../../../core/model/entity.ts";
import { findConditionalFields, rulesAt } from "../../../core/model/facts/applicable-rules.ts";
import { findKeptAt } from "../../../core/model/facts/kept-fields.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { hasAfterWrite } from "../after-write.ts";
import { CANDIDATE, CURRENT, OWN, TABLE } from "../aliases.ts";
import { DIFFERS, FIRST_USE, FRESH, GUARD, IN_STATE, type WriteCheck } from "../checks/check.ts";
import { defaultChecks, fieldChecks } from "../checks/field-conditions.ts";
import { fileChecks, fileFields, fileInputValue, isFileField } from "../checks/files.ts";
import { referenceChecks } from "../checks/references.ts";
import { ruleChecks } from "../checks/rules.ts";
import { uniquenessChecks } from "../checks/uniqueness.ts";
import type { Caller, PlanContext } from "../context.ts";
import { findSequences, generatedValue } from "../input/generated-values.ts";
import { inputParam } from "../input/parse-input.ts";
import { booleanColumn } from "../result-columns.ts";
import { differs } from "../row/audit-line.ts";
import { initialEnv } from "../row/initial-env.ts";
import { nextStateSql } from "../row/next-state.ts";
import { candidateValues, columnTypeSql } from "../row/proposed-row.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import type { RecordExtras } from "../row/record-columns.ts";
import { type ColumnValues, columnRef, replacedRows, rowEnv, tableSql } from "../row/sql-env.ts";
import { newRowsSql } from "../transaction/insert-rows.ts";
import {
  findUniqueFields,
  generatedValueLocks,
  hasEarlyLocks,
  type LockedChecks,
  type LockedWrite,
  type LockRows,
  lockStatements,
  locksOfWrite,
  takeLocksSql,
  tryLocksSql,
  uniqueFieldLocks,
} from "../transaction/locks.ts";
import { lockParents } from "../transaction/parent-versions.ts";
import { changedRowsSql } from "../transaction/update-rows.ts";
import type { EarlyChecks } from "../transaction/write-set.ts";
import { tableAs, withTables } from "../transaction/write-statement.ts";

/*
 * The specification of a write, from which both forms are built: the fast path (`fast-path.ts`) and the checked form
 * (`checked-write.ts`).
 */

interface Deciding {
  readonly context: PlanContext;
  readonly caller: Caller;
  readonly format: Format;
  readonly entity: Entity;
  readonly clause: string;
  readonly grants: readonly Grant[];
  /** Fields that require a grant. */
  readonly named: readonly string[];
  /** Fields in the request. */
  readonly sentFields: readonly string[];
  readonly files: readonly Field[];
  readonly references: readonly string[];
  /** Sequences that assign a number. */
  readonly series: readonly Field[];
  readonly conditioned: readonly Field[];
  readonly rules: readonly ValidationRule[];
  readonly affectedRules: readonly AffectedRule[];
  readonly guards: readonly GuardRead[];
  readonly together: ReturnType<typeof uniquenessRulesAt>;
  /** Checks postponed until all consequences are written. */
  readonly later: Pick<LockedChecks, "rules" | "affectedRules">;
  /** Automatic transitions that the write can trigger. */
  readonly firings: readonly ConditionTrigger[];
  /** True for a step of several; it must not wait for locks of other transactions. */
  readonly isStep: boolean;
  /** True if the transaction writes more, after which the postponed checks run. */
  readonly follows: boolean;
  readonly wanted: RecordExtras;
}

/**
 * Splits checks into immediate and postponed ones. Rules that no consequence can affect are checked immediately, and so
 * are rules with a CHECK constraint, which cannot be postponed.
 */
export const splitChecks = (
  model: Model,
  acting: Omit<WriteEvent, "parts">,
  all: Pick<Deciding, "rules" | "affectedRules">,
  { follows, isSettling }: { readonly follows: boolean; readonly isSettling: boolean },
): Pick<Deciding, "rules" | "affectedRules" | "later"> => {
  if (!follows) return { ...all, later: {} };
  const isSettled = isSettling ? isUnaffectedBy(model, { ...acting, parts: [] }) : () => false;
  const now = (rule: ValidationRule) => isConstraint(rule, acting.entity, model) || isSettled(acting.entity, rule);
  const nowOf = ({ owner, rule }: AffectedRule) => isSettled(owner, rule);
  return {
    rules: all.rules.filter(now),
    affectedRules: all.affectedRules.filter(nowOf),
    later: {
      rules: all.rules.filter((rule) => !now(rule)),
      affectedRules: all.affectedRules.filter((affectedRule) => !nowOf(affectedRule)),
    },
  };
};

/** Checks that need no repetition at the end of the transaction. */
export const earlyChecks = ({ context: { model }, entity, sentFields, ...of }: Change | Creation): EarlyChecks => {
  const acting = "moment" in of ? of : { moment: "create", changed: null };
  const isAlone = !of.isStep && writesNothingElse(model, { entity, ...acting, parts: [] });
  return {
    rules: new Set(of.rules),
    affectedRules: new Set(of.affectedRules),
    measured: new Set(sentFields),
    conditioned: new Set(isAlone ? of.conditioned : []),
  };
};

/**
 * Locks that the write takes in its own statement, for others whose rules read it. A write that checks rules on other
 * records takes them in an earlier statement instead.
 */
const getLocks = (of: Deciding, touched: LockedWrite, more: readonly LockRows[]): readonly LockRows[] =>
  of.follows || hasEarlyLocks(collectLockedChecks(of, more)) ? [] : locksOfWrite(touched);

/** All checks of the write including postponed ones, because a transaction waits for locks only at its beginning. */
const collectLockedChecks = (
  { rules, affectedRules, guards, later, firings }: Deciding,
  more: readonly LockRows[],
): LockedChecks => ({
  rules: [...rules, ...(later.rules ?? [])],
  affectedRules: [...affectedRules, ...(later.affectedRules ?? [])],
  guards,
  firings,
  more,
});

/** The locks that are taken before the write, in rounds. */
const roundsBefore = (
  of: Deciding,
  touched: LockedWrite,
  more: readonly LockRows[],
): readonly (readonly LockRows[])[] => {
  const checks = collectLockedChecks(of, more);
  return of.follows || hasEarlyLocks(checks) ? lockStatements(touched, checks) : [];
};

const locksBefore = (
  of: Deciding,
  touched: LockedWrite,
  more: readonly LockRows[],
  candidate: () => readonly Sql[],
): readonly Sql[] => {
  const locking = (round: number) => (of.isStep || (of.follows && round > 0) ? tryLocksSql : takeLocksSql);
  return roundsBefore(of, touched, more).map((rows, round) => withTables(candidate(), locking(round)(rows)));
};

/** The caller can read the written record. */
export const READABLE = booleanColumn("is:readable");

// A change: an update or a transition

export interface Change extends Deciding {
  /** `update` or the name of the transition; it names the audit line and selects the rules. */
  readonly moment: string;
  readonly move: Move | null;
  readonly changed: ReadonlySet<string>;
  /** True if parts are written too. */
  readonly withParts: boolean;
}

export interface Move {
  readonly states: States;
  readonly transition: Transition;
}

/** The checks and changes of an update or transition, independent of the sent values. */
export const describeWriteSet = (
  model: Model,
  { entity, moment, move }: Pick<Change, "entity" | "moment" | "move">,
  sentFields: readonly string[],
) => {
  const series = findSequences(entity, moment);
  const written = [...sentFields, ...(move === null ? [] : [move.states.field, ...move.transition.set.keys()])];
  const changed = new Set([
    ...written,
    ...findKeptAt(entity, moment, new Set(written)),
    ...series.map((field) => field.name),
  ]);
  return {
    series,
    changed,
    files: fileFields(entity).filter(({ name }) => sentFields.includes(name)),
    references: sentFields.filter((name) => entity.fields.get(name)?.type === "reference"),
    conditioned: findConditionalFields(entity, changed),
    isFollowed: hasAfterWrite(model, entity, moment, changed),
    rules: rulesAt(entity, moment, changed),
    affectedRules: rulesAffectedBy(model, entity, changed),
    guards: findGuardReads(model, entity, moment),
    together: uniquenessRulesAt(entity, moment, changed),
    firings: triggersAffectedBy(model, entity, moment, changed),
  };
};

export const lockedByUpdate = ({ context: { model }, entity, changed, move }: Change): LockedWrite => ({
  model,
  entity,
  changed,
  sides: { was: CURRENT.alias, is: CANDIDATE.alias },
  states: move === null ? null : new Set([...move.transition.from, ...move.transition.to]),
  single: true,
});

export const locksWithinChange = (of: Change): readonly LockRows[] =>
  getLocks(of, lockedByUpdate(of), alikeByChange(of));

/** All locks of a change. */
export const locksOfChange = (of: Change): readonly LockRows[] => [
  ...roundsBefore(of, lockedByUpdate(of), alikeByChange(of)).flat(),
  ...locksWithinChange(of),
];

/** Lock statements before the write, in order. */
export const locksBeforeChange = (of: Change): readonly Sql[] =>
  locksBefore(of, lockedByUpdate(of), alikeByChange(of), () => currentAndCandidate(of, "in part"));

/**
 * Locks against concurrent equal records. A transition might leave the scope of a uniqueness rule, which then needs no
 * lock.
 */
const alikeByChange = (of: Change): readonly LockRows[] => {
  const { context, entity, changed, move } = of;
  const alike = findUniqueFields(entity, changed);
  if (move === null) return uniqueFieldLocks(lockedByUpdate(of), alike);
  const known = factsAfterTransition(context.model, entity, move.transition);
  const rules = alike.rules.filter((rule) => mayCollide(known, rule, changed));
  return uniqueFieldLocks(lockedByUpdate(of), { ...alike, rules });
};

/** A field's value after the change; undefined if unchanged. Expressions of `set` read the sent values. */
export const assignedValue = (of: Change, field: Field): Sql | undefined => {
  const { context, entity, sentFields, move } = of;
  const { name } = field;
  if (sentFields.includes(name)) return sentValueOfFieldSql(field);
  if (move === null) return undefined;
  if (name === move.states.field)
    return sql`${nextStateSql(move.transition, (previous) => columnRef(CURRENT.alias, previous))}::text`;
  const set = move.transition.set.get(name);
  if (set === undefined) return undefined;
  const sent = new Map(
    sentFields.flatMap((one) => {
      const given = entity.fields.get(one);
      return given === undefined ? [] : [[one, sentValueOfFieldSql(given)] as const];
    }),
  );
  const values = candidateValues(context.model, entity, CURRENT.alias, sent, of.moment);
  return sql`(${toSql(set, rowEnv(context.model, entity, values)).value})`;
};

const sentValueOfFieldSql = (field: Field): Sql =>
  isFileField(field) ? fileInputValue(field, CURRENT.alias) : inputParam(field);

/**
 * The record before (locked, with permissions in the WHERE clause) and after the change. The candidate need not be
 * complete if few of its columns are read once.
 */
export const currentAndCandidate = (of: Change, candidate: "whole" | "in part"): readonly Sql[] => {
  const { context, caller, entity } = of;
  const { model } = context;
  const id = slot("id", "uuid");
  const parentLocks = lockParents(
    model,
    entity,
    (name) => sql`(SELECT ${OWN}.${identifier(name)} FROM ${tableSql(entity)} AS ${OWN} WHERE ${OWN}."id" = ${id})`,
  );
  const after = changedRowsSql(model, entity, {
    moment: of.moment,
    value: (field) => assignedValue(of, field),
    from: sql`FROM ${CURRENT}`,
  });
  const before = sql`SELECT * FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}."id" = ${id} AND ${parentLocks} AND ${asCondition(readScope(model, entity, caller.principal, TABLE.alias).rows)} FOR NO KEY UPDATE`;
  return [
    tableAs(CURRENT, before),
    candidate === "whole" ? tableAs(CANDIDATE, after) : sql`${CANDIDATE} AS (${after})`,
  ];
};

/** The checks on the record before and after the change, and on related records. */
export const updateChecks = (of: Change, is: string | ColumnValues): readonly WriteCheck[] => {
  const { context, caller, entity, move } = of;
  const { model } = context;
  const current = rowEnv(model, entity, CURRENT.alias);
  const candidate = {
    ...rowEnv(model, entity, is, replacedRows(model, entity, sql`${slot("id", "uuid")}`, is)),
    old: current.field,
  };
  return [
    {
      column: FRESH,
      condition: sql`(${slot("version", "integer")} IS NULL OR ${CURRENT}."version" = ${slot("version", "integer")})`,
    },
    ...(move === null
      ? []
      : [
          {
            column: IN_STATE,
            condition: sql`${CURRENT}.${identifier(move.states.field)} IN (${join(
              move.transition.from.map((from) => constant(from)),
              ", ",
            )})`,
          },
        ]),
    ...(move?.transition.when == null
      ? []
      : [
          {
            column: GUARD,
            condition: sql`(${toSql(move.transition.when, current).truth})`,
          },
        ]),
    ...referenceChecks(context, caller, entity, of.references, CURRENT.alias, (name) => columnRef(is, name)),
    ...fieldChecks(model, entity, of.conditioned, is, candidate),
    ...ruleChecks(of.rules, candidate),
  ];
};

/** A change without effect is not written. */
export const changedCheck = ({ entity, sentFields, move }: Change, is: string | ColumnValues): readonly WriteCheck[] =>
  move === null ? [{ column: DIFFERS, condition: differs(entity, sentFields, CURRENT.alias, is) }] : [];

// A creation

export interface Creation extends Deciding {
  /** Fields to write. */
  readonly fields: readonly Field[];
  /** Defaults that read other records. */
  readonly computed: ReadonlyMap<string, Expr>;
  readonly hasKey: boolean;
}

export const lockedByInsert = ({ context: { model }, entity }: Creation): LockedWrite => ({
  model,
  entity,
  changed: null,
  sides: { was: null, is: CANDIDATE.alias },
  states: entity.states === null ? null : new Set([entity.states.initial]),
  single: true,
});

export const locksWithinCreation = (of: Creation): readonly LockRows[] =>
  getLocks(of, lockedByInsert(of), alikeByCreation(of));

/** All locks of a creation. */
export const locksOfCreation = (of: Creation): readonly LockRows[] => [
  ...roundsBefore(of, lockedByInsert(of), alikeByCreation(of)).flat(),
  ...locksWithinCreation(of),
];

/** Lock statements before the write, in order. */
export const locksBeforeCreation = (of: Creation): readonly Sql[] =>
  locksBefore(of, lockedByInsert(of), alikeByCreation(of), () => [sql`${CANDIDATE} AS (${candidateSelect(of)})`]);

/** Locks against concurrent equal records and generated values. */
const alikeByCreation = (of: Creation): readonly LockRows[] => {
  const { context, entity, sentFields } = of;
  const alike = findUniqueFields(entity, null);
  const known = factsAfterCreate(context.model, entity, new Set(entity.fields.keys()));
  const rules = alike.rules.filter((rule) => mayCollide(known, rule, new Set()));
  return [
    ...uniqueFieldLocks(lockedByInsert(of), { ...alike, rules }),
    ...generatedValueLocks(entity, sentFields, CANDIDATE.alias),
  ];
};

/** The row of the candidate. */
export const candidateSelect = (of: Creation): Sql => {
  const { model } = of.context;
  return newRowsSql(model, of.entity, {
    id: NEW_ID,
    value: (field) => initialValueSql(of, field),
    from: sql`WHERE ${lockParents(model, of.entity, (name) => sql`${slot(`v:${name}`, "uuid")}`)}`,
  });
};

const NEW_ID = sql`${slot("id", "uuid")}`;

/** A field's value in the candidate: a given value or a default. */
const initialValueSql = (of: Creation, field: Field): Sql => {
  const { context, caller, entity } = of;
  const expr = of.computed.get(field.name);
  if (expr !== undefined) {
    const made = { id: NEW_ID, value: (other: Field) => initialValueSql(of, other) };
    const env = initialEnv(context.model, entity, made, field.set === null ? caller.principal : null);
    return sql`(${toSql(expr, env).value})::${columnTypeSql(field)}`;
  }
  if (isFileField(field)) return fileInputValue(field, null);
  const drawn = generatedValue(entity, field);
  return drawn === undefined ? inputParam(field) : sql`COALESCE(${inputParam(field)}, ${drawn})`;
};

/** The checks on the candidate and on related records. */
export const insertChecks = (of: Creation, env: SqlEnv): readonly WriteCheck[] => {
  const { context, caller, entity } = of;
  const { model } = context;
  return [
    ...(of.hasKey ? [first] : []),
    ...defaultChecks(entity, of.computed.keys()),
    ...ruleChecks(of.rules, env),
    ...referenceChecks(context, caller, entity, of.references, null),
    ...fileChecks(of.files),
    ...fieldChecks(model, entity, of.conditioned, CANDIDATE.alias, env),
    ...uniquenessChecks(model, entity, of.together),
  ];
};

/** A used idempotency key prevents the creation before any other check. */
const first: WriteCheck = {
  column: FIRST_USE,
  condition: sql`NOT EXISTS (SELECT FROM ninefold.idempotency WHERE person = ${slot("user", "uuid")} AND key = ${slot("key", "text")})`,
};

/** Stores the idempotency key of a creation. */
export const rememberKeySql = ({ hasKey }: Creation, made: string): Sql =>
  hasKey
    ? sql`, k AS (INSERT INTO ninefold.idempotency (person, key, record, request) SELECT ${slot("user", "uuid")}, ${slot("key", "text")}, ${identifier(made)}."id", ${slot("request", "bytea")} FROM ${identifier(made)})`
    : sql``;
