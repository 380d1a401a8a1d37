import { automaticTransitions, triggersAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity, Transition } from "../../../core/model/model.ts";
import { sql } from "../../../core/sql.ts";
import type { Refusal } from "../../refusal.ts";
import { ownersOf } from "../checks/affected-rules.ts";
import { slotsOf } from "../context.ts";
import { tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { requireLocks, rowsIn } from "../transaction/early-locks.ts";
import { groupSlots, rowsOf, sidesOf } from "../transaction/final-checks.ts";
import { lockRounds, tryingOf } from "../transaction/locks.ts";
import type { Following } from "../transaction/transaction-context.ts";
import type { Written } from "../transaction/write-set.ts";
import { happens } from "./automatic-transition.ts";

/** More rounds than a document's transitions could need without going in a circle. */
const MOST_ROUNDS = 100;

/**
 * Makes the transitions that happen on a condition, on all records on which what was written may bear, until none is
 * left. In the document's order: what one of them writes may be what the next waits for.
 */
export function* firing(following: Following): Steps<Refusal | undefined> {
  const { model } = following.context;
  for (let from = 0, round = 0; from < following.written.length; round++) {
    if (round > MOST_ROUNDS) throw new Error("transitions that follow from one another without end");
    const fresh = following.written.slice(from);
    from = following.written.length;
    for (const wave of fresh) yield* alone(following, wave);
    for (const { owner, transition } of automaticTransitions(model)) {
      const records = new Map<string, number | null>();
      for (const wave of fresh)
        for (const [id, line] of yield* concerned(following, wave, owner, transition))
          if (!records.has(id)) records.set(id, line);
      const { once } = transition;
      if (once === null) continue;
      const refused = yield* happens(following, owner, transition, "once", (env) => toSql(once, env).truth, records);
      if (refused !== undefined) return refused;
    }
  }
  return undefined;
}

/**
 * The locks of what the conditions read that a wave may change, so that of two that complete a condition together the second
 * sees the first. The write of the request took them before.
 */
function* alone({ context, asker, written }: Following, wave: Written): Steps<void> {
  const { model } = context;
  const { entity, moment, changed, settled } = wave;
  const firings = triggersAffectedBy(model, entity, moment, changed).filter(({ reads }) => reads.length > 0);
  if (firings.length === 0 || settled !== undefined || wave.rows.length === 0) return;
  const touched = { model, entity, changed, sides: sidesOf(wave, ""), states: null };
  const key = ["firing locks", entity.name, moment, changed === null ? null : [...changed]];
  const statements = context.statements.list(key, () =>
    lockRounds(touched, { firings }).map((rows) => sql`WITH ${rowsOf(wave, "")} ${tryingOf(rows)}`),
  );
  for (const statement of statements)
    requireLocks(model, yield queryOf(statement, { ...slotsOf(asker), ...groupSlots(wave, "") }), rowsIn(written));
}

/** The records of a transition's entity on which a wave may bear, with the line that they would follow from. */
function* concerned(
  { context, asker }: Following,
  wave: Written,
  owner: Entity,
  transition: Transition,
): Steps<readonly (readonly [string, number | null])[]> {
  const { model } = context;
  const found: (readonly [string, number | null])[] = [];
  const [first] = wave.rows;
  const firings = triggersAffectedBy(model, wave.entity, wave.moment, wave.changed).filter(
    (one) => one.owner === owner && one.transition === transition,
  );
  for (const { recordRead } of firings) {
    if (recordRead === null) {
      found.push(...wave.rows.map(({ id, line }) => [id, line] as const));
      continue;
    }
    const { by = "*", key = "" } = recordRead;
    const reaching = context.statements.get(
      ["concerned", owner.name, transition.name, wave.entity.name, wave.moment, by, key],
      () => ({
        more: undefined,
        sql: sql`WITH ${rowsOf(wave, "")} SELECT DISTINCT "o"."id" ${ownersOf(model, { owner, recordRead }, sidesOf(wave, ""), tableOf(owner))}`,
      }),
    );
    const rows = yield queryOf(reaching, { ...slotsOf(asker), ...groupSlots(wave, "") });
    found.push(...rows.map(({ id }) => [String(id), first?.line ?? null] as const));
  }
  return found;
}
