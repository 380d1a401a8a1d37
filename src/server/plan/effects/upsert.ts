import type { Effect, Entity, Field, Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { entityOf, slotsOf } from "../context.ts";
import { tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { requireLocks, rowsIn } from "../transaction/early-locks.ts";
import type { Following } from "../transaction/transaction-context.ts";
import type { Written } from "../transaction/write-set.ts";
import {
  envOf,
  gathered,
  locked,
  type Pair,
  pairsSlot,
  pairsSql,
  roundsOf,
  sourceOf,
  targetOf,
  waveSlot,
} from "./targets.ts";
import { valueFor } from "./values.ts";

type Put = Extract<Effect, { kind: "put" }>;

/**
 * The times that an effect happens in rounds, so that each round names every key once. Whoever puts a record of one of the
 * keys waits from here on, so that it is made once.
 */
export function* roundsByKey(
  { context, asker, written }: Following,
  wave: Written,
  effect: Put,
  pairs: readonly Pair[],
): Steps<readonly (readonly Pair[])[]> {
  if (pairs.length === 0) return [];
  const entity = entityOf(context, effect.entity);
  const waiting = context.statements.get(["effect", effect.clause.id, "wait"], () => ({
    more: undefined,
    sql: sql`SELECT ${constant(`put ${entity.name}`)} AS "name", hashtextextended("text", 0)::text AS "key", TRUE AS "alone", pg_try_advisory_xact_lock(hashtextextended("text", 0)) AS "is:held", "text", "nth" FROM (SELECT ${constant(`put ${entity.name} ${effect.key.join(",")} `)} || jsonb_build_array(${join(
      keyOf(context.model, entity, wave, effect).map(([, value]) => value),
      ", ",
    )})::text AS "text", "p"."nth" FROM ${pairsSql} JOIN (${sourceOf(wave)}) ON "w"."id" = "p"."source" ORDER BY "text", "p"."nth" OFFSET 0) AS "x"`,
  }));
  const keys = new Map<Pair, string>();
  const rows = yield queryOf(waiting, { ...slotsOf(asker), wave: waveSlot(wave), pairs: pairsSlot(pairs) });
  requireLocks(context.model, rows, rowsIn(written));
  for (const row of rows) {
    const pair = pairs[Number(row.nth)];
    if (pair !== undefined) keys.set(pair, String(row.text));
  }
  return roundsOf(pairs, (pair) => keys.get(pair) ?? "");
}

/** Of one round: the records of its keys that are there, locked, and the times that find none. */
export function* aimedByKey(
  following: Following,
  wave: Written,
  effect: Put,
  round: readonly Pair[],
): Steps<{ readonly there: readonly Pair[]; readonly missing: readonly Pair[] }> {
  const { context, asker } = following;
  const entity = entityOf(context, effect.entity);
  const finding = context.statements.get(["effect", effect.clause.id, "find"], () => ({
    more: undefined,
    sql: sql`SELECT "p"."nth", (SELECT "x"."id" FROM ${tableOf(entity)} AS "x" WHERE ${join(
      keyOf(context.model, entity, wave, effect).map(
        ([field, value]) => sql`"x".${identifier(field.name)} IS NOT DISTINCT FROM ${value}`,
      ),
      " AND ",
    )} ORDER BY "x"."id" LIMIT 1) AS "target" FROM ${pairsSql} JOIN (${sourceOf(wave)}) ON "w"."id" = "p"."source" ORDER BY "p"."nth"`,
  }));
  const found = yield queryOf(finding, { ...slotsOf(asker), wave: waveSlot(wave), pairs: pairsSlot(round) });
  const aimed = round.map((pair, i): Pair => {
    const target = found[i]?.target ?? null;
    return { ...pair, target: target === null ? null : String(target) };
  });
  const led = aimed.filter(({ target }) => target !== null);
  const there = yield* locked(following, effect.entity, led.map(targetOf));
  return {
    there: led.filter((pair) => there.has(targetOf(pair))),
    missing: aimed.filter(({ target }) => target === null),
  };
}

const keyOf = (model: Model, entity: Entity, wave: Written, effect: Put): readonly (readonly [Field, Sql])[] => {
  const env = envOf(model, wave, gathered(effect));
  return effect.key.flatMap((name) => {
    const field = entity.fields.get(name);
    const expr = effect.set.get(name);
    return field === undefined || expr === undefined ? [] : [[field, valueFor(field, expr, env)] as const];
  });
};
