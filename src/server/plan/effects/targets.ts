import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Type } from "../../../core/expression/values/type.ts";
import { postgresType } from "../../../core/expression/values/value-kinds.ts";
import type { Effect } from "../../../core/model/effect.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findParents } from "../../../core/model/facts/parts.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { BEFORE, OTHER, RUNS, SOURCES, TABLE } from "../aliases.ts";
import { callerParams, getEntity } from "../context.ts";
import { asNumber, asNumberOrNull, asText, asTextOrNull, resultColumn, resultShape } from "../result-columns.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import type { PlanValue } from "../statements.ts";
import { type Steps, send } from "../steps.ts";
import { type findParentRows, lockFreeRecords, parentsById, requireRows } from "../transaction/early-locks.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";

/** One run of an effect: its source record, the elements of its lists, and the target record. */
export interface EffectRun {
  readonly source: string;
  readonly line: number | null;
  /** The elements by name, as JSON. */
  readonly each: string;
  readonly target: string | null;
  /** The version of the target when it was found; null if there is none. */
  readonly version: number | null;
}

/** The records of the write set as `t`, their values before the write as `b`, and their audit lines in `w`. */
export const sourceRowsSql = ({ entity, action }: Pick<WriteSet, "entity" | "action">): Sql => {
  const before = sql`jsonb_populate_record(NULL::${tableSql(entity)}, ${SOURCES}."before"::jsonb)`;
  const rows = sql`jsonb_to_recordset(${slot("wave", "jsonb")}) AS ${SOURCES}("id" uuid, "line" bigint, "before" text, "nth" integer)`;
  return action === "delete"
    ? sql`${rows} CROSS JOIN LATERAL ${before} AS ${TABLE} CROSS JOIN LATERAL ${before} AS ${BEFORE}`
    : sql`${rows} JOIN ${tableSql(entity)} AS ${TABLE} ON ${TABLE}."id" = ${SOURCES}."id" LEFT JOIN LATERAL ${before} AS ${BEFORE} ON TRUE`;
};

export const effectEnv = (model: Model, { entity }: WriteSet, names: NonNullable<SqlEnv["names"]>): SqlEnv => ({
  ...rowEnv(model, entity, TABLE.alias),
  old: (name) => ({ ...rowEnv(model, entity, BEFORE.alias).field(name), missing: true }),
  names,
});

/** The elements of `for` while runs are collected. */
export const gatheringEnv =
  (effect: Effect): NonNullable<SqlEnv["names"]> =>
  (name) => {
    if (!effect.each.some((item) => item.name === name)) throw new Error(`no name ${name} in ${effect.clause.id}`);
    return { sql: sql`${identifier(`each~${name}`)}."value"`, missing: false };
  };

/** The elements of collected runs: members of the run's JSON. `it` is the target record. */
export const gatheredEnv =
  (effect: Effect): NonNullable<SqlEnv["names"]> =>
  (name) => {
    if (name === "it") return { sql: sql`${RUNS}."target"`, missing: false };
    const list = effect.each.find((item) => item.name === name)?.list;
    if (list === undefined) throw new Error(`no name ${name} in ${effect.clause.id}`);
    return {
      sql: sql`((${RUNS}."each" ->> ${constant(name)})::${toElementType(elementType(list.type))})`,
      missing: false,
    };
  };

const elementType = (type: Type): Type => (type.kind === "list" ? type.of : type);
const toElementType = (type: Type): Sql => ({ kind: "sql", parts: [postgresType(type)] });

/** Joins the elements of a list, or of a single optional value. */
export const elementsSql = (expr: Expr, env: SqlEnv, alias: string): Sql => {
  const { value } = toSql(expr, env);
  const array = expr.type.kind === "list" ? value : sql`array_remove(ARRAY[${value}], NULL)`;
  return sql`CROSS JOIN LATERAL unnest(${array}) WITH ORDINALITY AS ${identifier(alias)}("value", "nth")`;
};

export const sourceRowsParam = ({ rows }: WriteSet): string =>
  JSON.stringify(rows.map(({ id, line, before }, nth) => ({ id, line, before, nth })));
export const runsParam = (effectRuns: readonly EffectRun[]): string =>
  JSON.stringify(
    effectRuns.map(({ each, version: _, ...rest }, nth) => ({ ...rest, each: JSON.parse(each) as unknown, nth })),
  );
/** The audit line of the write that caused a run. */
export const CAUSE = resultColumn("is:cause", asNumber);

export const runsSql = sql`jsonb_to_recordset(${slot("pairs", "jsonb")}) AS ${RUNS}("source" uuid, "line" bigint, "each" jsonb, "target" uuid, "nth" integer)`;

const foundRun = resultShape<EffectRun>({
  source: asText,
  line: asNumber,
  each: asText,
  target: asTextOrNull,
  version: asNumberOrNull,
});

/** Finds the runs of an effect, in order; with `of`, one for each target record. */
export function* findRuns(
  { context, caller }: WriteTransaction,
  writeSet: WriteSet,
  effect: Effect,
  of: Expr | null,
): Steps<readonly EffectRun[]> {
  const written = context.statements.get(["effect", effect.clause.id, "pairs"], () => {
    const env = effectEnv(context.model, writeSet, gatheringEnv(effect));
    const each = effect.each.map(({ name, list }) => elementsSql(list, env, `each~${name}`));
    const members = effect.each.map(({ name }) => sql`${constant(name)}, ${identifier(`each~${name}`)}."value"`);
    const target = of === null ? sql`NULL::uuid` : sql`"to"."value"`;
    const version =
      of === null || !("of" in effect)
        ? sql`NULL::integer`
        : sql`(SELECT ${OTHER}."version" FROM ${tableSql(getEntity(context, effect.entity))} AS ${OTHER} WHERE ${OTHER}."id" = "to"."value")`;
    const order = [
      sql`${SOURCES}."nth"`,
      ...effect.each.map(({ name }) => sql`${identifier(`each~${name}`)}."nth"`),
      ...(of === null ? [] : [sql`"to"."nth"`]),
    ];
    return {
      more: undefined,
      sql: sql`SELECT ${foundRun.select({ source: sql`${SOURCES}."id"`, line: sql`${SOURCES}."line"`, each: sql`jsonb_build_object(${join(members, ", ")})::text`, target, version })} FROM ${sourceRowsSql(writeSet)} ${join(each, " ")} ${of === null ? sql`` : elementsSql(of, env, "to")} WHERE ${effect.when === null ? sql`TRUE` : toSql(effect.when, env).truth} ORDER BY ${join(order, ", ")}`,
    };
  });
  const rows = yield* send(written, { ...callerParams(caller), wave: sourceRowsParam(writeSet) });
  return rows.map(foundRun.read);
}

/**
 * Finds the runs of an effect and locks their targets until the end of the transaction. If a target changed before it
 * was locked, collects the runs again, because their targets may differ now.
 */
export function* lockTargets(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "update" | "delete" | "make" }>,
  of: Expr,
): Steps<readonly EffectRun[]> {
  for (;;) {
    const runs = yield* findRuns(tx, writeSet, effect, of);
    const versions = yield* lockRecords(tx, effect.entity, runs.map(targetId), effect.kind === "delete");
    if (runs.every((effectRun) => (versions.get(targetId(effectRun)) ?? null) === effectRun.version))
      return runs.filter((effectRun) => versions.has(targetId(effectRun)));
  }
}

export const targetId = ({ target }: EffectRun): string => target ?? "";

/**
 * Locks records until the end of the transaction and returns their current versions by id; deleted records are absent.
 * It never waits for a locked record (`early-locks.ts`).
 */
export function* lockRecords(
  { context, written: writeSets }: WriteTransaction,
  entity: string,
  ids: readonly string[],
  withParts = false,
): Steps<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const own = getEntity(context, entity);
  const locking = context.statements.get(["effect lock", withParts, entity], () => ({
    more: undefined,
    sql: lockFreeRecords(own, sql`"id" = ANY(${slot("ids", "uuid[]")})`, withParts),
  }));
  const rows = yield* send(locking, { ids: [...new Set(ids)] });
  return requireRows(context.model, { entity: own, withParts }, rows, writeSets);
}

/** Locks the parents of records before a write raises their versions. */
export function* lockParentsOf(
  { context, caller, written: writeSets }: WriteTransaction,
  key: PlanValue,
  parents: () => ReturnType<typeof findParentRows>,
  slots: Readonly<Record<string, unknown>>,
): Steps<void> {
  const { model, statements } = context;
  const parentRows = statements.find(["wholes", key], parents);
  const locking = statements.list(["wholes held", key], () =>
    parentRows.map((parentRow) => lockFreeRecords(parentRow.entity, parentRow.condition, false)),
  );
  for (const [i, value] of locking.entries()) {
    const entity = parentRows[i]?.entity;
    const rows = yield* send(value, { ...callerParams(caller), ...slots });
    if (entity !== undefined) requireRows(model, { entity, withParts: false }, rows, writeSets);
  }
}

/** Locks the parents of records given by id. */
export function* lockParentsById(tx: WriteTransaction, entity: Entity, effectRuns: readonly EffectRun[]): Steps<void> {
  const { model } = tx.context;
  if (effectRuns.length === 0 || findParents(model, entity).length === 0) return;
  yield* lockParentsOf(tx, entity.name, () => parentsById(model, entity), { ids: effectRuns.map(targetId) });
}

export const groupIntoRounds = (
  effectRuns: readonly EffectRun[],
  key: (effectRun: EffectRun) => string,
): readonly (readonly EffectRun[])[] => {
  const rounds: EffectRun[][] = [];
  const seen = new Map<string, number>();
  for (const effectRun of effectRuns) {
    const nth = seen.get(key(effectRun)) ?? 0;
    seen.set(key(effectRun), nth + 1);
    const round = rounds[nth] ?? [];
    rounds[nth] = round;
    round.push(effectRun);
  }
  return rounds;
};

export const firstRuns = (effectRuns: readonly EffectRun[]): readonly EffectRun[] =>
  groupIntoRounds(effectRuns, ({ target }) => target ?? "")[0] ?? [];
