import { type Effect, isGiven, isWritten } from "../../../core/model/model.ts";
import { wholesOf } from "../../../core/model/parts.ts";
import { identifier, join, slot, sql } from "../../../core/sql.ts";
import { entityOf, slotsOf } from "../context.ts";
import { drawingsOfMany, drawnOfMany, seriesAt, seriesSlots } from "../input/generated-values.ts";
import { auditLine, changesOfWhole, storedOf } from "../row/audit-line.ts";
import { candidateOf } from "../row/proposed-row.ts";
import { tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { requireLocks, rowsIn, wholesWith } from "../transaction/early-locks.ts";
import { placeKey, type Rows, seriesKey, tryingOf } from "../transaction/locks.ts";
import { wholesRaised } from "../transaction/parent-versions.ts";
import type { Following } from "../transaction/transaction-context.ts";
import { rowsWritten, type Written } from "../transaction/write-set.ts";
import { envOf, gathered, type Pair, pairsSlot, pairsSql, sourceOf, waveSlot, wholesHeld } from "./targets.ts";
import { initialValue, isPlaceDrawn, parentValue, valueFor } from "./values.ts";

/** Makes a record each time that the effect happens. */
export function* create(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "create" | "put" }>,
  pairs: readonly Pair[],
): Steps<readonly Written[]> {
  if (pairs.length === 0) return [];
  const { context, asker } = following;
  const entity = entityOf(context, effect.entity);
  const series = seriesAt(entity, "create");
  yield* wholesOfNew(following, wave, effect, pairs);
  yield* drawingsHeld(following, wave, effect, pairs);
  const written = context.statements.get(["effect", effect.clause.id, "create"], () => {
    const env = envOf(context.model, wave, gathered(effect));
    const fields = [...entity.fields.values()].filter(isWritten);
    const values = fields
      .filter(isGiven)
      .map((field) => sql`${initialValue(entity, field, effect, env)} AS ${identifier(field.name)}`);
    const system = ["id", "version", "created_at", "updated_at"].map(identifier);
    const since = entity.states === null ? [] : [sql`"state_since"`];
    const names = join([...system, ...since, ...fields.map(({ name }) => identifier(name))], ", ");
    const drawn = fields.map((field) =>
      series.includes(field) ? drawnOfMany(field, "s", "is:nth") : identifier(field.name),
    );
    return {
      more: undefined,
      sql: sql`WITH "s" AS MATERIALIZED (${candidateOf(context.model, entity, sql`SELECT uuidv7() AS "id", 1 AS "version", ${slot("now", "timestamptz")} AS "created_at", ${slot("now", "timestamptz")} AS "updated_at", ${join([...values, sql`"p"."line" AS "is:cause"`, sql`"p"."nth" AS "is:nth"`], ", ")} FROM ${pairsSql} JOIN (${sourceOf(wave)}) ON "w"."id" = "p"."source"`)}),
        ${drawingsOfMany(entity, series, "s")}"d" AS (INSERT INTO ${tableOf(entity)} (${names}) SELECT ${join([...system, ...since.map(() => sql`"created_at"`), ...drawn], ", ")} FROM "s" ORDER BY "is:nth" RETURNING *),
        "a" AS (${auditLine({ entity, action: "create", clause: effect.clause.id, version: context.version, changes: changesOfWhole(entity, storedOf(entity), "d", "after"), cause: sql`"s"."is:cause"`, from: sql`FROM "d" JOIN "s" ON "s"."id" = "d"."id"` })} RETURNING "id", "record")${wholesRaised(context.model, entity, "d")}
        SELECT "a"."record" AS "id", "a"."id" AS "line" FROM "a" ORDER BY "a"."id"`,
    };
  });
  const rows = yield queryOf(written, {
    ...slotsOf(asker),
    ...seriesSlots(series, asker.today),
    wave: waveSlot(wave),
    pairs: pairsSlot(pairs),
  });
  return [{ entity, moment: "create", changed: null, rows: rowsWritten(rows) }];
}

/**
 * The locks of what new records draw. Two that draw a place at the same moment would draw the same; a number is drawn from a
 * row that stays locked, and of two that draw from several each would wait for the other.
 */
function* drawingsHeld(
  { context, asker, written }: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "create" | "put" }>,
  pairs: readonly Pair[],
): Steps<void> {
  const entity = entityOf(context, effect.entity);
  const places = [...entity.fields.values()].filter((field) => isPlaceDrawn(field, effect));
  const series = seriesAt(entity, "create");
  if (places.length + series.length === 0) return;
  const holding = context.statements.get(["effect", effect.clause.id, "drawings"], () => {
    const env = envOf(context.model, wave, gathered(effect));
    const keys = [
      ...places.map((field) => placeKey(entity, field, parentValue(entity, field, effect, env))),
      ...series.map((field) => seriesKey(entity, field)),
    ];
    const from = sql`FROM ${pairsSql} JOIN (${sourceOf(wave)}) ON "w"."id" = "p"."source"`;
    const rows = keys.map((key): Rows => ({ ...key, several: false, single: false, alone: true, from }));
    return { more: undefined, sql: tryingOf(rows) };
  });
  const locks = yield queryOf(holding, { ...slotsOf(asker), wave: waveSlot(wave), pairs: pairsSlot(pairs) });
  requireLocks(context.model, locks, rowsIn(written));
}

/** The records of which new ones are parts. The record that was written is locked already. */
function* wholesOfNew(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "create" | "put" }>,
  pairs: readonly Pair[],
): Steps<void> {
  const { model } = following.context;
  const entity = entityOf(following.context, effect.entity);
  const isWritten = wholesOf(model, entity).every(({ field }) => effect.set.get(field.name)?.kind === "this");
  if (isWritten) return;
  const ofNew = () => {
    const env = envOf(model, wave, gathered(effect));
    return wholesWith(model, entity, (field) => {
      const expr = effect.set.get(field.name);
      const value = expr === undefined ? sql`NULL::uuid` : valueFor(field, expr, env);
      return sql`SELECT ${value} FROM ${pairsSql} JOIN (${sourceOf(wave)}) ON "w"."id" = "p"."source"`;
    });
  };
  yield* wholesHeld(following, effect.clause.id, ofNew, { wave: waveSlot(wave), pairs: pairsSlot(pairs) });
}
