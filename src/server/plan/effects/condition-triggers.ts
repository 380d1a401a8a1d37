import { automaticTransitions, triggersAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity, Transition } from "../../../core/model/entity.ts";
import { sql } from "../../../core/sql.ts";
import type { Refusal } from "../../refusal.ts";
import { OWNER } from "../aliases.ts";
import { ownersSql } from "../checks/affected-rules.ts";
import { callerParams } from "../context.ts";
import { tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import { listChangedRecords, requireLocks } from "../transaction/early-locks.ts";
import { groupParams, nameRowAliases, writtenRowsSql } from "../transaction/group-writes.ts";
import { lockStatements, tryLocksSql } from "../transaction/locks.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { withTables } from "../transaction/write-statement.ts";
import { runAutomaticTransition } from "./automatic-transition.ts";

/** Limit against endless cycles; no acyclic document needs as many rounds. */
const MAX_ROUNDS = 100;

/**
 * Makes conditional automatic transitions on all records that the writes can affect, until none applies. Transitions
 * run in document order, since one can trigger the next.
 */
export function* runConditionTriggers(tx: WriteTransaction): Steps<Refusal | undefined> {
  const { model } = tx.context;
  for (let from = 0, round = 0; from < tx.written.length; round++) {
    if (round > MAX_ROUNDS) throw new Error("transitions that follow from one another without end");
    const fresh = tx.written.slice(from);
    from = tx.written.length;
    for (const writeSet of fresh) yield* lockInputs(tx, writeSet);
    for (const { owner, transition } of automaticTransitions(model)) {
      const records = new Map<string, number | null>();
      for (const writeSet of fresh)
        for (const [id, line] of yield* findAffected(tx, writeSet, owner, transition))
          if (!records.has(id)) records.set(id, line);
      const { once } = transition;
      if (once === null) continue;
      const refused = yield* runAutomaticTransition(
        tx,
        owner,
        transition,
        "once",
        (env) => toSql(once, env).truth,
        records,
      );
      if (refused !== undefined) return refused;
    }
  }
  return undefined;
}

/**
 * Locks the inputs of conditions that a write set can change, so that of two transactions that complete a condition
 * together, the second sees the first. The root write has already taken its locks.
 */
function* lockInputs({ context, caller, written: writeSets }: WriteTransaction, writeSet: WriteSet): Steps<void> {
  const { model } = context;
  const { entity, action, changed, earlyChecks } = writeSet;
  const triggers = triggersAffectedBy(model, entity, action, changed).filter(({ reads }) => reads.length > 0);
  if (triggers.length === 0 || earlyChecks !== undefined || writeSet.rows.length === 0) return;
  const touched = { model, entity, changed, sides: nameRowAliases(writeSet, ""), states: null };
  const key = ["firing locks", entity.name, action, changed === null ? null : [...changed]];
  const statements = context.statements.list(key, () =>
    lockStatements(touched, { triggers }).map((rows) => withTables(writtenRowsSql(writeSet, ""), tryLocksSql(rows))),
  );
  for (const statement of statements)
    requireLocks(
      model,
      yield* send(statement, { ...callerParams(caller), ...groupParams(writeSet, "") }),
      listChangedRecords(writeSets),
    );
}

/** The records of a transition's entity that a write set can affect, with the audit line of the cause. */
function* findAffected(
  { context, caller }: WriteTransaction,
  writeSet: WriteSet,
  owner: Entity,
  transition: Transition,
): Steps<readonly (readonly [string, number | null])[]> {
  const { model } = context;
  const found: (readonly [string, number | null])[] = [];
  const [first] = writeSet.rows;
  const triggers = triggersAffectedBy(model, writeSet.entity, writeSet.action, writeSet.changed).filter(
    (trigger) => trigger.owner === owner && trigger.transition === transition,
  );
  for (const { recordRead } of triggers) {
    if (recordRead === null) {
      found.push(...writeSet.rows.map(({ id, line }) => [id, line] as const));
      continue;
    }
    const { by = "*", key = "" } = recordRead;
    const reaching = context.statements.get(
      ["concerned", owner.name, transition.name, writeSet.entity.name, writeSet.action, by, key],
      () => ({
        more: undefined,
        sql: withTables(
          writtenRowsSql(writeSet, ""),
          sql`SELECT DISTINCT ${OWNER}."id" ${ownersSql(model, { owner, recordRead }, nameRowAliases(writeSet, ""), tableSql(owner))}`,
        ),
      }),
    );
    const rows = yield* send(reaching, { ...callerParams(caller), ...groupParams(writeSet, "") });
    found.push(...rows.map(({ id }) => [String(id), first?.line ?? null] as const));
  }
  return found;
}
