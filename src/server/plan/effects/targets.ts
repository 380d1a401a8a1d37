import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Type } from "../../../core/expression/values/type.ts";
import { postgresType } from "../../../core/expression/values/value-kinds.ts";
import type { Effect, Entity, Model } from "../../../core/model/model.ts";
import { wholesOf } from "../../../core/model/parts.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { entityOf, slotsOf } from "../context.ts";
import { rowEnv, tableOf } from "../row/sql-env.ts";
import { type PlanValue, queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { freeRows, requireRows, wholesById, type wholesWith } from "../transaction/early-locks.ts";
import type { Following } from "../transaction/transaction-context.ts";
import type { Written } from "../transaction/write-set.ts";

/** One time that an effect happens: for which record, with which elements of its lists, on which other record. */
export interface Pair {
  readonly source: string;
  readonly line: number | null;
  /** The elements by their names, as JSON. */
  readonly each: string;
  readonly target: string | null;
  /** The version of the target when it was found; null if there is none. */
  readonly version: number | null;
}

/** The records of the wave as `t`, as they were as `b`, and their audit lines in `w`. */
export const sourceOf = ({ entity, moment }: Written): Sql => {
  const before = sql`jsonb_populate_record(NULL::${tableOf(entity)}, "w"."before"::jsonb)`;
  const rows = sql`jsonb_to_recordset(${slot("wave", "jsonb")}) AS "w"("id" uuid, "line" bigint, "before" text, "nth" integer)`;
  return moment === "delete"
    ? sql`${rows} CROSS JOIN LATERAL ${before} AS "t" CROSS JOIN LATERAL ${before} AS "b"`
    : sql`${rows} JOIN ${tableOf(entity)} AS "t" ON "t"."id" = "w"."id" LEFT JOIN LATERAL ${before} AS "b" ON TRUE`;
};

export const envOf = (model: Model, { entity }: Written, names: NonNullable<SqlEnv["names"]>): SqlEnv => ({
  ...rowEnv(model, entity, "t"),
  old: (name) => ({ ...rowEnv(model, entity, "b").field(name), missing: true }),
  names,
});

/** The elements of `for` while they are gathered. */
export const gathering =
  (effect: Effect): NonNullable<SqlEnv["names"]> =>
  (name) => {
    if (!effect.each.some((one) => one.name === name)) throw new Error(`no name ${name} in ${effect.clause.id}`);
    return { sql: sql`${identifier(`each~${name}`)}."value"`, missing: false };
  };

/** The same once they are gathered: members of the pair's JSON. `it` is the record that is changed. */
export const gathered =
  (effect: Effect): NonNullable<SqlEnv["names"]> =>
  (name) => {
    if (name === "it") return { sql: sql`"p"."target"`, missing: false };
    const list = effect.each.find((one) => one.name === name)?.list;
    if (list === undefined) throw new Error(`no name ${name} in ${effect.clause.id}`);
    return { sql: sql`(("p"."each" ->> ${constant(name)})::${typeOf(elementType(list.type))})`, missing: false };
  };

const elementType = (type: Type): Type => (type.kind === "list" ? type.of : type);
const typeOf = (type: Type): Sql => ({ kind: "sql", parts: [postgresType(type)] });

/** A list, or one thing that may be missing, as a table expression of its elements. */
export const elements = (expr: Expr, env: SqlEnv, alias: string): Sql => {
  const { value } = toSql(expr, env);
  const array = expr.type.kind === "list" ? value : sql`array_remove(ARRAY[${value}], NULL)`;
  return sql`CROSS JOIN LATERAL unnest(${array}) WITH ORDINALITY AS ${identifier(alias)}("value", "nth")`;
};

export const waveSlot = ({ rows }: Written): string =>
  JSON.stringify(rows.map(({ id, line, before }, nth) => ({ id, line, before, nth })));
export const pairsSlot = (pairs: readonly Pair[]): string =>
  JSON.stringify(
    pairs.map(({ each, version: _, ...rest }, nth) => ({ ...rest, each: JSON.parse(each) as unknown, nth })),
  );
export const pairsSql = sql`jsonb_to_recordset(${slot("pairs", "jsonb")}) AS "p"("source" uuid, "line" bigint, "each" jsonb, "target" uuid, "nth" integer)`;

/** Each time that an effect happens, in order; with `of`, once for each record that it leads to. */
export function* pairsOf(
  { context, asker }: Following,
  wave: Written,
  effect: Effect,
  of: Expr | null,
): Steps<readonly Pair[]> {
  const written = context.statements.get(["effect", effect.clause.id, "pairs"], () => {
    const env = envOf(context.model, wave, gathering(effect));
    const each = effect.each.map(({ name, list }) => elements(list, env, `each~${name}`));
    const members = effect.each.map(({ name }) => sql`${constant(name)}, ${identifier(`each~${name}`)}."value"`);
    const target = of === null ? sql`NULL::uuid` : sql`"to"."value"`;
    const version =
      of === null || !("of" in effect)
        ? sql`NULL::integer`
        : sql`(SELECT "v"."version" FROM ${tableOf(entityOf(context, effect.entity))} AS "v" WHERE "v"."id" = "to"."value")`;
    const order = [
      sql`"w"."nth"`,
      ...effect.each.map(({ name }) => sql`${identifier(`each~${name}`)}."nth"`),
      ...(of === null ? [] : [sql`"to"."nth"`]),
    ];
    return {
      more: undefined,
      sql: sql`SELECT "w"."id" AS "source", "w"."line", jsonb_build_object(${join(members, ", ")})::text AS "each", ${target} AS "target", ${version} AS "version" FROM ${sourceOf(wave)} ${join(each, " ")} ${of === null ? sql`` : elements(of, env, "to")} WHERE ${effect.when === null ? sql`TRUE` : toSql(effect.when, env).truth} ORDER BY ${join(order, ", ")}`,
    };
  });
  const rows = yield queryOf(written, { ...slotsOf(asker), wave: waveSlot(wave) });
  return rows.map((row) => ({
    source: String(row.source),
    line: Number(row.line),
    each: String(row.each),
    target: row.target === null ? null : String(row.target),
    version: row.version === null ? null : Number(row.version),
  }));
}

/**
 * The times that an effect happens, for each record that it leads to, locked until the end. Where somebody has changed one of
 * them before it was locked, they are found anew: it may lead elsewhere now.
 */
export function* aimed(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "update" | "delete" | "make" }>,
  of: Expr,
): Steps<readonly Pair[]> {
  for (;;) {
    const led = yield* pairsOf(following, wave, effect, of);
    const versions = yield* locked(following, effect.entity, led.map(targetOf), effect.kind === "delete");
    if (led.every((pair) => (versions.get(targetOf(pair)) ?? null) === pair.version))
      return led.filter((pair) => versions.has(targetOf(pair)));
  }
}

export const targetOf = ({ target }: Pair): string => target ?? "";

/**
 * Locks records until the end, each by its id with the version that it has now; those that are gone are left out. A record
 * that somebody else holds is not waited for (`beforehand.ts`).
 */
export function* locked(
  { context, written }: Following,
  entity: string,
  ids: readonly string[],
  whole = false,
): Steps<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const own = entityOf(context, entity);
  const locking = context.statements.get(["effect lock", whole, entity], () => ({
    more: undefined,
    sql: freeRows(own, sql`"id" = ANY(${slot("ids", "uuid[]")})`, whole),
  }));
  const rows = yield queryOf(locking, { ids: [...new Set(ids)] });
  return requireRows(context.model, { entity: own, whole }, rows, written);
}

/** Locks the records of which others are parts, before a write of those raises their versions. */
export function* wholesHeld(
  { context, asker, written }: Following,
  key: PlanValue,
  wholes: () => ReturnType<typeof wholesWith>,
  slots: Readonly<Record<string, unknown>>,
): Steps<void> {
  const { model, statements } = context;
  const these = statements.find(["wholes", key], wholes);
  const locking = statements.list(["wholes held", key], () =>
    these.map((one) => freeRows(one.entity, one.these, false)),
  );
  for (const [i, one] of locking.entries()) {
    const entity = these[i]?.entity;
    const rows = yield queryOf(one, { ...slotsOf(asker), ...slots });
    if (entity !== undefined) requireRows(model, { entity, whole: false }, rows, written);
  }
}

/** The same of records by their ids. */
export function* wholesHeldById(following: Following, entity: Entity, pairs: readonly Pair[]): Steps<void> {
  const { model } = following.context;
  if (pairs.length === 0 || wholesOf(model, entity).length === 0) return;
  yield* wholesHeld(following, entity.name, () => wholesById(model, entity), { ids: pairs.map(targetOf) });
}

export const roundsOf = (pairs: readonly Pair[], key: (pair: Pair) => string): readonly (readonly Pair[])[] => {
  const rounds: Pair[][] = [];
  const seen = new Map<string, number>();
  for (const pair of pairs) {
    const nth = seen.get(key(pair)) ?? 0;
    seen.set(key(pair), nth + 1);
    const round = rounds[nth] ?? [];
    rounds[nth] = round;
    round.push(pair);
  }
  return rounds;
};

export const firstOf = (pairs: readonly Pair[]): readonly Pair[] =>
  roundsOf(pairs, ({ target }) => target ?? "")[0] ?? [];
