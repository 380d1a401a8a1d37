import type { Grant } from "../../../core/derive/authorization/grants.ts";
import {
  type AffectedRule,
  type ConditionTrigger,
  type GuardRead,
  isUnaffectedBy,
  type WriteEvent,
} from "../../../core/derive/consistency/read-sets.ts";
import type { uniquenessRulesAt } from "../../../core/derive/consistency/uniqueness.ts";
import { isConstraint } from "../../../core/derive/tables/checks.ts";
import type { Entity, ValidationRule } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Sql } from "../../../core/sql.ts";
import type { Caller, PlanContext } from "../context.ts";
import { booleanColumn } from "../result-columns.ts";
import type { OwnSession } from "../row/own-session.ts";
import type { RecordExtras } from "../row/record-columns.ts";
import {
  hasEarlyLocks,
  type LockedChecks,
  type LockedWrite,
  type LockRows,
  lockStatements,
  locksOfWrite,
  takeLocksSql,
  tryLocksSql,
} from "../transaction/locks.ts";
import { withTables } from "../transaction/write-statement.ts";

/*
 * The specification of a write, from which both forms are built: the fast path (`fast-path.ts`) and the checked form
 * (`checked-write.ts`).
 */

/** The parts of a creation, an update or a transition from which both of its statements follow. */
export interface WriteSpec {
  readonly context: PlanContext;
  readonly caller: Caller;
  /** The caller's session, if the fast path checks it. */
  readonly session: OwnSession | undefined;
  readonly format: Format;
  readonly entity: Entity;
  readonly clause: string;
  readonly grants: readonly Grant[];
  /** True if the request has an idempotency key. */
  readonly hasKey: boolean;
  /** Fields that require a grant. */
  readonly named: readonly string[];
  /** Fields in the request. */
  readonly sentFields: readonly string[];
  readonly files: readonly Field[];
  readonly references: readonly string[];
  /** Sequences that assign a number. */
  readonly series: readonly Field[];
  readonly conditionalFields: readonly Field[];
  /** Fields with bounds whose values the document computes; sent values are checked when they are read. */
  readonly bounded: readonly Field[];
  readonly rules: readonly ValidationRule[];
  readonly affectedRules: readonly AffectedRule[];
  readonly guards: readonly GuardRead[];
  readonly uniquenessRules: ReturnType<typeof uniquenessRulesAt>;
  /** Checks that are postponed to the end of the after-write. */
  readonly later: Pick<LockedChecks, "rules" | "affectedRules">;
  /** Automatic transitions that the write can trigger. */
  readonly triggers: readonly ConditionTrigger[];
  /** True for one of several endpoint steps, which must not wait for locks of other transactions. */
  readonly isStep: boolean;
  /** True if an after-write follows, at whose end the postponed checks run. */
  readonly hasAfterWrite: boolean;
  readonly extras: RecordExtras;
}

/**
 * Splits checks into immediate and postponed ones. Immediate are rules that no consequence can affect, and rules with a
 * CHECK constraint, which cannot be postponed. `onlyEffectsFollow`: the consequences are known, because the transaction
 * writes neither parts nor other steps of an endpoint.
 */
export const splitChecks = (
  model: Model,
  acting: Omit<WriteEvent, "parts">,
  all: Pick<WriteSpec, "rules" | "affectedRules">,
  { hasAfterWrite, onlyEffectsFollow }: { readonly hasAfterWrite: boolean; readonly onlyEffectsFollow: boolean },
): Pick<WriteSpec, "rules" | "affectedRules" | "later"> => {
  if (!hasAfterWrite) return { ...all, later: {} };
  const isUnaffected = onlyEffectsFollow ? isUnaffectedBy(model, { ...acting, parts: [] }) : () => false;
  const now = (rule: ValidationRule) => isConstraint(rule, acting.entity, model) || isUnaffected(acting.entity, rule);
  const nowOf = ({ owner, rule }: AffectedRule) => isUnaffected(owner, rule);
  return {
    rules: all.rules.filter(now),
    affectedRules: all.affectedRules.filter(nowOf),
    later: {
      rules: all.rules.filter((rule) => !now(rule)),
      affectedRules: all.affectedRules.filter((affectedRule) => !nowOf(affectedRule)),
    },
  };
};

/**
 * Locks that the write takes in its own statement, for others whose rules read it. A write that checks rules on other
 * records takes them in an earlier statement instead.
 */
export const getLocks = (spec: WriteSpec, touched: LockedWrite, more: readonly LockRows[]): readonly LockRows[] =>
  spec.hasAfterWrite || hasEarlyLocks(collectLockedChecks(spec, more)) ? [] : locksOfWrite(touched);

/** All checks of the write including postponed ones, because a transaction waits for locks only at its beginning. */
const collectLockedChecks = (
  { rules, affectedRules, guards, later, triggers }: WriteSpec,
  more: readonly LockRows[],
): LockedChecks => ({
  rules: [...rules, ...(later.rules ?? [])],
  affectedRules: [...affectedRules, ...(later.affectedRules ?? [])],
  guards,
  triggers,
  more,
});

/** The locks that are taken before the write, in rounds. */
export const roundsBefore = (
  spec: WriteSpec,
  touched: LockedWrite,
  more: readonly LockRows[],
): readonly (readonly LockRows[])[] => {
  const checks = collectLockedChecks(spec, more);
  return spec.hasAfterWrite || hasEarlyLocks(checks) ? lockStatements(touched, checks) : [];
};

export const locksBefore = (
  spec: WriteSpec,
  touched: LockedWrite,
  more: readonly LockRows[],
  candidate: () => readonly Sql[],
): readonly Sql[] => {
  const locking = (round: number) => (spec.isStep || (spec.hasAfterWrite && round > 0) ? tryLocksSql : takeLocksSql);
  return roundsBefore(spec, touched, more).map((rows, round) => withTables(candidate(), locking(round)(rows)));
};

/** The caller can read the written record. */
export const READABLE = booleanColumn("is:readable");
