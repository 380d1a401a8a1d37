import type { Effect } from "../../../core/model/effect.ts";
import { isRefusal, type Refusal } from "../../refusal.ts";
import type { Steps } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { enqueueChatMessages } from "./chat.ts";
import { runCreateEffect } from "./create.ts";
import { runDeleteEffect } from "./delete.ts";
import { runNotifyEffect } from "./notify.ts";
import { findRuns, firstRuns, groupIntoRounds, lockTargets } from "./targets.ts";
import { runTransitionEffect } from "./transition.ts";
import { runUpdateEffect } from "./update.ts";
import { findTargetsByKey, groupByKey } from "./upsert.ts";
import { enqueueCall } from "./webhook.ts";

/**
 * Runs the effects of a write set in document order, each for all its records at once. The write set has already been
 * recorded.
 */
export function* runEffects(tx: WriteTransaction, writeSet: WriteSet): Steps<Refusal | undefined> {
  if (writeSet.rows.length === 0) return undefined;
  for (const effect of writeSet.entity.after.get(writeSet.action) ?? []) {
    const refused = yield* carryOut(tx, writeSet, effect);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** Records the writes of an effect and runs their own effects immediately. A refusal rolls everything back. */
export function* recordEffectWrites(
  tx: WriteTransaction,
  writeSets: Refusal | readonly WriteSet[],
): Steps<Refusal | undefined> {
  if (isRefusal(writeSets)) return writeSets;
  for (const writeSet of writeSets) {
    tx.written.push(writeSet);
    const refused = yield* runEffects(tx, writeSet);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function* carryOut(tx: WriteTransaction, writeSet: WriteSet, effect: Effect): Steps<Refusal | undefined> {
  switch (effect.kind) {
    case "notify":
      yield* runNotifyEffect(tx, writeSet, effect);
      return undefined;
    case "call":
      yield* enqueueCall(tx, writeSet, effect);
      return undefined;
    case "chat":
      yield* enqueueChatMessages(tx, writeSet, effect);
      return undefined;
    case "create": {
      const effectRuns = yield* findRuns(tx, writeSet, effect, null);
      return yield* recordEffectWrites(tx, yield* runCreateEffect(tx, writeSet, effect, effectRuns));
    }
    case "put": {
      const effectRuns = yield* findRuns(tx, writeSet, effect, null);
      for (const round of yield* groupByKey(tx, writeSet, effect, effectRuns)) {
        const { existing, missing } = yield* findTargetsByKey(tx, writeSet, effect, round);
        const refused =
          (yield* recordEffectWrites(tx, yield* runUpdateEffect(tx, writeSet, effect, existing))) ??
          (yield* recordEffectWrites(tx, yield* runCreateEffect(tx, writeSet, effect, missing)));
        if (refused !== undefined) return refused;
      }
      return undefined;
    }
    case "update": {
      const effectRuns = yield* lockTargets(tx, writeSet, effect, effect.of);
      // Several runs for one record change it one after another.
      for (const round of groupIntoRounds(effectRuns, ({ target }) => target ?? "")) {
        const refused = yield* recordEffectWrites(tx, yield* runUpdateEffect(tx, writeSet, effect, round));
        if (refused !== undefined) return refused;
      }
      return undefined;
    }
    case "delete": {
      const effectRuns = firstRuns(yield* lockTargets(tx, writeSet, effect, effect.of));
      return yield* recordEffectWrites(tx, yield* runDeleteEffect(tx, effect, effectRuns));
    }
    case "make": {
      return yield* recordEffectWrites(tx, yield* runTransitionEffect(tx, writeSet, effect));
    }
  }
}
