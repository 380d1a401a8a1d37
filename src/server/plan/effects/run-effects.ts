import type { Effect } from "../../../core/model/model.ts";
import type { Refusal } from "../../refusal.ts";
import type { Steps } from "../steps.ts";
import type { Following } from "../transaction/transaction-context.ts";
import type { Written } from "../transaction/write-set.ts";
import { create } from "./create.ts";
import { remove } from "./delete.ts";
import { notify } from "./notify.ts";
import { aimed, firstOf, pairsOf, roundsOf } from "./targets.ts";
import { make } from "./transition.ts";
import { update } from "./update.ts";
import { aimedByKey, roundsByKey } from "./upsert.ts";
import { call } from "./webhook.ts";

/** Carries out what follows from records whose write is told already: each effect for all of them at once, in the document's order. */
export function* afterWave(following: Following, wave: Written): Steps<Refusal | undefined> {
  if (wave.rows.length === 0) return undefined;
  for (const effect of wave.entity.after.get(wave.moment) ?? []) {
    const refused = yield* carryOut(following, wave, effect);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** Tells what an effect wrote, and carries out at once what follows from that. A refusal refuses everything. */
export function* followed(following: Following, waves: readonly Written[]): Steps<Refusal | undefined> {
  for (const wave of waves) {
    following.written.push(wave);
    const refused = yield* afterWave(following, wave);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function* carryOut(following: Following, wave: Written, effect: Effect): Steps<Refusal | undefined> {
  switch (effect.kind) {
    case "notify":
      yield* notify(following, wave, effect);
      return undefined;
    case "call":
      yield* call(following, wave, effect);
      return undefined;
    case "create": {
      const pairs = yield* pairsOf(following, wave, effect, null);
      return yield* followed(following, yield* create(following, wave, effect, pairs));
    }
    case "put": {
      const pairs = yield* pairsOf(following, wave, effect, null);
      for (const round of yield* roundsByKey(following, wave, effect, pairs)) {
        const { there, missing } = yield* aimedByKey(following, wave, effect, round);
        const refused =
          (yield* followed(following, yield* update(following, wave, effect, there))) ??
          (yield* followed(following, yield* create(following, wave, effect, missing)));
        if (refused !== undefined) return refused;
      }
      return undefined;
    }
    case "update": {
      const pairs = yield* aimed(following, wave, effect, effect.of);
      // A record that several lead to is changed by one after the other.
      for (const round of roundsOf(pairs, ({ target }) => target ?? "")) {
        const refused = yield* followed(following, yield* update(following, wave, effect, round));
        if (refused !== undefined) return refused;
      }
      return undefined;
    }
    case "delete": {
      const pairs = firstOf(yield* aimed(following, wave, effect, effect.of));
      return yield* followed(following, yield* remove(following, effect, pairs));
    }
    case "make": {
      const made = yield* make(following, wave, effect);
      return "kind" in made ? made : yield* followed(following, made);
    }
  }
}
