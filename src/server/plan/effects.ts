import type { Person } from "../../core/derive/access.ts";
import { guardsOn } from "../../core/derive/footprints.ts";
import { otherState } from "../../core/explain/who.ts";
import type { Format } from "../../core/model/format.ts";
import {
  type Effect,
  type Entity,
  type Field,
  isGiven,
  isWritten,
  type Model,
  type Transition,
} from "../../core/model/model.ts";
import type { Expr } from "../../core/rule/expr.ts";
import { rewritten } from "../../core/rule/inline.ts";
import { postgresType } from "../../core/rule/kinds.ts";
import { type SqlEnv, toSql } from "../../core/rule/to-sql.ts";
import type { Type } from "../../core/rule/type.ts";
import { constant, identifier, join, type Sql, slot, sql, withSlots } from "../../core/sql.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { auditLine, changesBetween, changesOfWhole, differs, generatedFrom, storedOf } from "./audit.ts";
import { candidateOf, columnTypeOf } from "./candidate.ts";
import { type Asker, type Context, entityOf, queryOf, slotsOf } from "./context.ts";
import { drawingsOfMany, drawnOfMany, seriesAt, seriesSlots } from "./drawn.ts";
import { environmentOf, tableOf } from "./environment.ts";
import { eyesOf } from "./eyes.ts";
import { type Seen, seenEnv, seenWhereRead, spokenIn, valuesOf, wordsWith } from "./labels.ts";
import { lockingOf, lockRounds } from "./locks.ts";
import { objectSql } from "./object.ts";
import { goneColumns, goneWaves, partsGone } from "./parts.ts";
import type { Steps } from "./steps.ts";
import { wholesRaised } from "./wholes.ts";
import { rowsWritten, type Written } from "./written.ts";

/** One request's writes beyond its own, with all that was written so far, in order. */
export interface Following {
  readonly context: Context;
  readonly asker: Asker;
  readonly format: Format;
  readonly written: Written[];
}

/**
 * Carries out what follows a write, in the document's order, each effect for all the records at once, and at once what
 * follows from that. A refusal refuses everything.
 */
function* effectsOf(following: Following, wave: Written): Steps<Refusal | undefined> {
  following.written.push(wave);
  return yield* afterWave(following, wave);
}

/** The same for records whose write is told already. */
export function* afterWave(following: Following, wave: Written): Steps<Refusal | undefined> {
  if (wave.rows.length === 0) return undefined;
  for (const effect of wave.entity.after.get(wave.moment) ?? []) {
    const refused = yield* carryOut(following, wave, effect);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function* carryOut(following: Following, wave: Written, effect: Effect): Steps<Refusal | undefined> {
  switch (effect.kind) {
    case "notify":
      return yield* notify(following, wave, effect);
    case "call":
      return yield* call(following, wave, effect);
    case "create":
      return yield* create(following, wave, effect, yield* pairsOf(following, wave, effect, null));
    case "put":
      return yield* put(following, wave, effect);
    case "update": {
      const pairs = yield* locked(
        following,
        effect.entity,
        yield* pairsOf(following, wave, effect, effect.of),
        "no key",
      );
      // A record that several lead to is changed by one after the other.
      for (const round of roundsOf(pairs, ({ target }) => target ?? "")) {
        const refused = yield* update(following, wave, effect, round);
        if (refused !== undefined) return refused;
      }
      return undefined;
    }
    case "delete": {
      const pairs = yield* locked(following, effect.entity, yield* pairsOf(following, wave, effect, effect.of), "all");
      return yield* remove(following, effect, firstOf(pairs));
    }
    case "make":
      return yield* make(following, wave, effect);
  }
}

// What an effect is about

/** One time that an effect happens: for which record, with which elements of its lists, on which other record. */
interface Pair {
  readonly source: string;
  readonly line: number | null;
  /** The elements by their names, as JSON. */
  readonly each: string;
  readonly target: string | null;
}

/** The records of the wave as `t`, as they were as `b`, and their audit lines in `w`. */
const sourceOf = ({ entity, moment }: Written): Sql => {
  const before = sql`jsonb_populate_record(NULL::${tableOf(entity)}, "w"."before"::jsonb)`;
  const rows = sql`jsonb_to_recordset(${slot("wave", "jsonb")}) AS "w"("id" uuid, "line" bigint, "before" text, "nth" integer)`;
  return moment === "delete"
    ? sql`${rows} CROSS JOIN LATERAL ${before} AS "t" CROSS JOIN LATERAL ${before} AS "b"`
    : sql`${rows} JOIN ${tableOf(entity)} AS "t" ON "t"."id" = "w"."id" LEFT JOIN LATERAL ${before} AS "b" ON TRUE`;
};

const envOf = (model: Model, { entity }: Written, names: NonNullable<SqlEnv["names"]>): SqlEnv => ({
  ...environmentOf(model, entity, "t"),
  old: (name) => ({ ...environmentOf(model, entity, "b").field(name), missing: true }),
  names,
});

/** The elements of `for` while they are gathered. */
const gathering =
  (effect: Effect): NonNullable<SqlEnv["names"]> =>
  (name) => {
    if (!effect.each.some((one) => one.name === name)) throw new Error(`no name ${name} in ${effect.clause.id}`);
    return { sql: sql`${identifier(`each~${name}`)}."value"`, missing: false };
  };

/** The same once they are gathered: members of the pair's JSON. `it` is the record that is changed. */
const gathered =
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
const elements = (expr: Expr, env: SqlEnv, alias: string): Sql => {
  const { value } = toSql(expr, env);
  const array = expr.type.kind === "list" ? value : sql`array_remove(ARRAY[${value}], NULL)`;
  return sql`CROSS JOIN LATERAL unnest(${array}) WITH ORDINALITY AS ${identifier(alias)}("value", "nth")`;
};

const waveSlot = ({ rows }: Written): string =>
  JSON.stringify(rows.map(({ id, line, before }, nth) => ({ id, line, before, nth })));
const pairsSlot = (pairs: readonly Pair[]): string =>
  JSON.stringify(pairs.map(({ each, ...rest }, nth) => ({ ...rest, each: JSON.parse(each) as unknown, nth })));
const pairsSql = sql`jsonb_to_recordset(${slot("pairs", "jsonb")}) AS "p"("source" uuid, "line" bigint, "each" jsonb, "target" uuid, "nth" integer)`;

/** Each time that an effect happens, in order; with `of`, once for each record that it leads to. */
function* pairsOf(
  { context, asker }: Following,
  wave: Written,
  effect: Effect,
  of: Expr | null,
): Steps<readonly Pair[]> {
  const written = context.statements.get(`effect ${effect.clause.id} pairs`, () => {
    const env = envOf(context.model, wave, gathering(effect));
    const each = effect.each.map(({ name, list }) => elements(list, env, `each~${name}`));
    const members = effect.each.map(({ name }) => sql`${constant(name)}, ${identifier(`each~${name}`)}."value"`);
    const target = of === null ? sql`NULL::uuid` : sql`"to"."value"`;
    const order = [
      sql`"w"."nth"`,
      ...effect.each.map(({ name }) => sql`${identifier(`each~${name}`)}."nth"`),
      ...(of === null ? [] : [sql`"to"."nth"`]),
    ];
    return {
      more: undefined,
      sql: sql`SELECT "w"."id" AS "source", "w"."line", jsonb_build_object(${join(members, ", ")})::text AS "each", ${target} AS "target" FROM ${sourceOf(wave)} ${join(each, " ")} ${of === null ? sql`` : elements(of, env, "to")} WHERE ${effect.when === null ? sql`TRUE` : toSql(effect.when, env).truth} ORDER BY ${join(order, ", ")}`,
    };
  });
  const rows = yield queryOf(written, { ...slotsOf(asker), wave: waveSlot(wave) });
  return rows.map((row) => ({
    source: String(row.source),
    line: Number(row.line),
    each: String(row.each),
    target: row.target === null ? null : String(row.target),
  }));
}

/** The pairs whose records are there, each locked until the end, in the order of their ids. */
function* locked(
  { context }: Following,
  entity: string,
  pairs: readonly Pair[],
  mode: "no key" | "all",
): Steps<readonly Pair[]> {
  if (pairs.length === 0) return pairs;
  const written = context.statements.get(`effect lock ${mode} ${entity}`, () => ({
    more: undefined,
    sql: sql`SELECT "id" FROM ${tableOf(entityOf(context, entity))} WHERE "id" = ANY(${slot("ids", "uuid[]")}) ORDER BY "id" ${mode === "all" ? sql`FOR UPDATE` : sql`FOR NO KEY UPDATE`}`,
  }));
  const rows = yield queryOf(written, { ids: [...new Set(pairs.map(({ target }) => target))] });
  const there = new Set(rows.map(({ id }) => String(id)));
  return pairs.filter(({ target }) => target !== null && there.has(target));
}

const roundsOf = (pairs: readonly Pair[], key: (pair: Pair) => string): readonly (readonly Pair[])[] => {
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

const firstOf = (pairs: readonly Pair[]): readonly Pair[] => roundsOf(pairs, ({ target }) => target ?? "")[0] ?? [];

// Records

type Setting = Extract<Effect, { kind: "create" | "put" | "update" | "make" }>;

function* create(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "create" | "put" }>,
  pairs: readonly Pair[],
): Steps<Refusal | undefined> {
  if (pairs.length === 0) return undefined;
  const { context, asker } = following;
  const entity = entityOf(context, effect.entity);
  const series = seriesAt(entity, "create");
  const written = context.statements.get(`effect ${effect.clause.id} create`, () => {
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
  return yield* effectsOf(following, { entity, moment: "create", changed: null, rows: rowsWritten(rows) });
}

const initialValue = (entity: Entity, field: Field, effect: Setting, env: SqlEnv): Sql => {
  const expr = effect.set.get(field.name) ?? field.set ?? field.default;
  if (field.type === "state") return constant(entity.states?.initial ?? null);
  if (field.type === "position" && expr === null) return nextPlaces(entity, field, effect, env);
  if (expr === null && field.many) return sql`'{}'::${columnTypeOf(field)}`;
  if (expr === null) return field.type === "boolean" ? sql`FALSE` : sql`NULL::${columnTypeOf(field)}`;
  return valueFor(field, expr, env);
};

/** The places behind the last, among the parts of one record. */
const nextPlaces = (entity: Entity, field: Field, effect: Setting, env: SqlEnv): Sql => {
  const parent = field.from === null ? undefined : entity.fields.get(field.from);
  const expr = parent === undefined ? undefined : effect.set.get(parent.name);
  const among = parent === undefined || expr === undefined ? undefined : valueFor(parent, expr, env);
  const last = sql`(SELECT COALESCE(max("o".${identifier(field.name)}), 0) FROM ${tableOf(entity)} AS "o"${parent === undefined || among === undefined ? sql`` : sql` WHERE "o".${identifier(parent.name)} = ${among}`})`;
  return sql`${last} + row_number() OVER (${among === undefined ? sql`` : sql`PARTITION BY ${among} `}ORDER BY "p"."nth")`;
};

/** Nobody is no person that a field can hold. */
const valueFor = (field: Field, expr: Expr, env: SqlEnv): Sql =>
  expr.kind === "user"
    ? sql`nullif(${slot("user", "uuid")}, '00000000-0000-0000-0000-000000000000')`
    : sql`(${toSql(expr, env).value})::${columnTypeOf(field)}`;

function* put(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "put" }>,
): Steps<Refusal | undefined> {
  const pairs = yield* pairsOf(following, wave, effect, null);
  if (pairs.length === 0) return undefined;
  const { context, asker } = following;
  const entity = entityOf(context, effect.entity);
  const key = (): readonly (readonly [Field, Sql])[] => {
    const env = envOf(context.model, wave, gathered(effect));
    return effect.key.flatMap((name) => {
      const field = entity.fields.get(name);
      const expr = effect.set.get(name);
      return field === undefined || expr === undefined ? [] : [[field, valueFor(field, expr, env)] as const];
    });
  };
  // Whoever puts a record of this key waits, so that it is made once.
  const waiting = context.statements.get(`effect ${effect.clause.id} wait`, () => ({
    more: undefined,
    sql: sql`SELECT "key", pg_advisory_xact_lock(hashtextextended("key", 0)) AS "is:locked", "nth" FROM (SELECT ${constant(`put ${entity.name} ${effect.key.join(",")} `)} || jsonb_build_array(${join(
      key().map(([, value]) => value),
      ", ",
    )})::text AS "key", "p"."nth" FROM ${pairsSql} JOIN (${sourceOf(wave)}) ON "w"."id" = "p"."source" ORDER BY "key", "p"."nth" OFFSET 0) AS "x"`,
  }));
  const finding = context.statements.get(`effect ${effect.clause.id} find`, () => ({
    more: undefined,
    sql: sql`SELECT "p"."nth", (SELECT "x"."id" FROM ${tableOf(entity)} AS "x" WHERE ${join(
      key().map(([field, value]) => sql`"x".${identifier(field.name)} IS NOT DISTINCT FROM ${value}`),
      " AND ",
    )} ORDER BY "x"."id" LIMIT 1) AS "target" FROM ${pairsSql} JOIN (${sourceOf(wave)}) ON "w"."id" = "p"."source" ORDER BY "p"."nth"`,
  }));
  const slots = { ...slotsOf(asker), wave: waveSlot(wave) };
  const keys = new Map<Pair, string>();
  for (const row of yield queryOf(waiting, { ...slots, pairs: pairsSlot(pairs) })) {
    const pair = pairs[Number(row.nth)];
    if (pair !== undefined) keys.set(pair, String(row.key));
  }
  for (const round of roundsOf(pairs, (pair) => keys.get(pair) ?? "")) {
    const found = yield queryOf(finding, { ...slots, pairs: pairsSlot(round) });
    const aimed = round.map((pair, i): Pair => {
      const target = found[i]?.target ?? null;
      return { ...pair, target: target === null ? null : String(target) };
    });
    const there = yield* locked(
      following,
      effect.entity,
      aimed.filter(({ target }) => target !== null),
      "no key",
    );
    const refused =
      (yield* update(following, wave, effect, there)) ??
      (yield* create(
        following,
        wave,
        effect,
        aimed.filter(({ target }) => target === null),
      ));
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function* update(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "put" | "update" }>,
  pairs: readonly Pair[],
): Steps<Refusal | undefined> {
  const entity = entityOf(following.context, effect.entity);
  const set = new Map(
    [...effect.set].map(([name, expr]) => [name, (field: Field, env: SqlEnv) => valueFor(field, expr, env)]),
  );
  return yield* change(following, wave, effect, { entity, moment: "update", set }, pairs);
}

function* make(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "make" }>,
): Steps<Refusal | undefined> {
  const { context, asker } = following;
  const entity = entityOf(context, effect.entity);
  const { states } = entity;
  const transition = states?.transitions.get(effect.transition);
  if (states === null || transition === undefined) throw new Error(`no transition ${effect.transition}`);
  const led = yield* pairsOf(following, wave, effect, effect.of);
  const aimed = effect.of === null ? led.map((pair) => ({ ...pair, target: pair.source })) : led;
  const pairs = firstOf(yield* locked(following, effect.entity, aimed, "no key"));
  if (pairs.length === 0) return undefined;
  yield* guarded(
    following,
    entity,
    transition,
    pairs.map(({ target }) => target),
  );
  const judging = context.statements.get(`effect ready ${entity.name}.${transition.name}`, () => ({
    more: undefined,
    sql: sql`SELECT "x".${identifier(states.field)} AS "state", ${transition.when === null ? sql`TRUE` : sql`COALESCE(${toSql(transition.when, environmentOf(context.model, entity, "x")).truth}, FALSE)`} AS "guard" FROM ${tableOf(entity)} AS "x" WHERE "x"."id" = ANY(${slot("ids", "uuid[]")})`,
  }));
  const judged = yield queryOf(judging, { ...slotsOf(asker), ids: pairs.map(({ target }) => target) });
  for (const { state, guard } of judged) {
    if (!transition.from.includes(String(state)))
      return {
        ...refuse("WRONG_STATE", transition.clause.id),
        // Which records an effect leads to, and how they stand, is not for everybody to see.
        message: otherState(asker.tongue, entity, transition, null),
      };
    if (guard !== true) return refuse("GUARD", transition.clause.id);
  }
  return yield* moved(following, wave, effect, entity, transition, pairs);
}

function* moved(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "make" }>,
  entity: Entity,
  transition: Transition,
  pairs: readonly Pair[],
): Steps<Refusal | undefined> {
  const { context } = following;
  const set = new Map<string, Value>([
    [entity.states?.field ?? "", () => constant(transition.to)],
    ...[...transition.set].map(([name, expr]): [string, Value] => [
      name,
      (field) => valueFor(field, expr, environmentOf(context.model, entity, "c")),
    ]),
    ...[...effect.set].map(([name, expr]): [string, Value] => [name, (field, env) => valueFor(field, expr, env)]),
  ]);
  return yield* change(following, wave, effect, { entity, moment: transition.name, set }, pairs);
}

/**
 * Makes a transition that happens by itself on those of the records for which it is time: their state, the condition and
 * the guard are asked of the record as it is, locked. `cause` names the line that each follows from.
 */
export function* happens(
  following: Following,
  entity: Entity,
  transition: Transition,
  kind: "timeout" | "once",
  condition: (env: SqlEnv) => Sql,
  records: ReadonlyMap<string, number | null>,
): Steps<Refusal | undefined> {
  if (records.size === 0) return undefined;
  const { context, asker } = following;
  yield* guarded(following, entity, transition, records.keys());
  const ready = context.statements.get(`happens ${kind} ${entity.name}.${transition.name}`, () => ({
    more: undefined,
    sql: sql`SELECT "x"."id" FROM ${tableOf(entity)} AS "x" WHERE "x"."id" = ANY(${slot("ids", "uuid[]")}) AND ${readyFor(context.model, entity, transition, condition)} ORDER BY "x"."id" FOR NO KEY UPDATE`,
  }));
  const pairs: Pair[] = [];
  for (const row of yield queryOf(ready, { ...slotsOf(asker), ids: [...records.keys()] })) {
    const id = String(row.id);
    pairs.push({ source: id, line: records.get(id) ?? null, each: "{}", target: id });
  }
  if (pairs.length === 0) return undefined;
  const wave: Written = {
    entity,
    moment: "",
    changed: null,
    rows: pairs.map(({ source, line }) => ({ id: source, before: null, line })),
  };
  const effect: Extract<Effect, { kind: "make" }> = {
    kind: "make",
    clause: transition.clause,
    each: [],
    when: null,
    entity: entity.name,
    transition: transition.name,
    of: null,
    set: new Map(),
  };
  return yield* moved(following, wave, effect, entity, transition, pairs);
}

/** The locks of what a guard reads beside its own records, held before it is asked. */
function* guarded(
  { context, asker }: Following,
  entity: Entity,
  { name, set }: Transition,
  ids: Iterable<string | null>,
): Steps<void> {
  const { model } = context;
  const guards = guardsOn(model, entity, name);
  if (guards.length === 0) return;
  const changed = new Set([entity.states?.field ?? "", ...set.keys()]);
  const statements = context.statements.list(`guards ${entity.name}.${name}`, () =>
    lockRounds({ model, entity, changed, sides: { was: "c", is: null }, states: null }, [], [], guards).map(
      (rows) =>
        sql`WITH "c" AS MATERIALIZED (SELECT "x".* FROM ${tableOf(entity)} AS "x" WHERE "x"."id" = ANY(${slot("ids", "uuid[]")})) ${lockingOf(rows)}`,
    ),
  );
  for (const statement of statements) yield queryOf(statement, { ...slotsOf(asker), ids: [...ids] });
}

/** Whether it is time for a transition, on the record `x`. */
export const readyFor = (
  model: Model,
  entity: Entity,
  transition: Transition,
  condition: (env: SqlEnv) => Sql,
): Sql => {
  const env = environmentOf(model, entity, "x");
  const states = join(
    transition.from.map((from) => constant(from)),
    ", ",
  );
  const guard = transition.when === null ? sql`` : sql` AND (${toSql(transition.when, env).truth})`;
  return sql`"x".${identifier(entity.states?.field ?? "")} IN (${states}) AND (${condition(env)})${guard}`;
};

/** A field's new value, in a statement that has the pair as `p` and the record as it is as `c`. */
type Value = (field: Field, env: SqlEnv) => Sql;

function* change(
  following: Following,
  wave: Written,
  effect: Effect,
  {
    entity,
    moment,
    set,
  }: { readonly entity: Entity; readonly moment: string; readonly set: ReadonlyMap<string, Value> },
  pairs: readonly Pair[],
): Steps<Refusal | undefined> {
  if (pairs.length === 0) return undefined;
  const { context, asker } = following;
  const series = seriesAt(entity, moment);
  const written = context.statements.get(`effect ${effect.clause.id} change`, () => {
    const env = envOf(context.model, wave, gathered(effect));
    const fields = [...entity.fields.values()].filter(isWritten);
    const values = fields.filter(isGiven).map((field) => {
      const value = set.get(field.name)?.(field, env) ?? sql`"c".${identifier(field.name)}`;
      return sql`${value} AS ${identifier(field.name)}`;
    });
    const kept = fields.filter((field) => !isGiven(field)).map(({ name }) => name);
    const names = [...set.keys(), ...kept];
    const changed = new Set([...names, ...series.map(({ name }) => name)]);
    const moves = entity.states !== null && set.has(entity.states.field);
    const assignments = [
      ...(moves ? [sql`"state_since" = ${slot("now", "timestamptz")}`] : []),
      ...names.map((name) => sql`${identifier(name)} = "s".${identifier(name)}`),
      ...series.map((field) => sql`${identifier(field.name)} = ${drawnOfMany(field, "s", "id")}`),
    ];
    const system = ["id", "version", "created_at", "updated_at"].map((name) => sql`"c".${identifier(name)}`);
    // What sets what is there already changes nothing; a transition is made in any case.
    const otherwise =
      moment === "update"
        ? sql` AND EXISTS (SELECT FROM "c" WHERE "c"."id" = "s"."id" AND ${differs(entity, set.keys(), "c", "s")})`
        : sql``;
    return {
      more: undefined,
      sql: sql`WITH "c" AS MATERIALIZED (SELECT "x".* FROM ${tableOf(entity)} AS "x" WHERE "x"."id" IN (SELECT "p"."target" FROM ${pairsSql})),
        "s" AS MATERIALIZED (${candidateOf(context.model, entity, sql`SELECT ${join([...system, sql`"p"."line" AS "is:cause"`, ...values], ", ")} FROM ${pairsSql} JOIN (${sourceOf(wave)}) ON "w"."id" = "p"."source" JOIN "c" ON "c"."id" = "p"."target"`)}),
        ${drawingsOfMany(entity, series, "s")}"d" AS (UPDATE ${tableOf(entity)} AS "u" SET ${join([sql`"version" = "u"."version" + 1`, sql`"updated_at" = ${slot("now", "timestamptz")}`, ...assignments], ", ")} FROM "s" WHERE "u"."id" = "s"."id"${otherwise} RETURNING "u".*),
        "a" AS (${auditLine({ entity, action: moment, clause: effect.clause.id, version: context.version, changes: changesBetween(entity, [...changed, ...generatedFrom(entity, changed)], "c", "d"), cause: sql`"s"."is:cause"`, from: sql`FROM "c" JOIN "d" ON "d"."id" = "c"."id" JOIN "s" ON "s"."id" = "c"."id"` })} RETURNING "id", "record")${wholesRaised(context.model, entity, "d")}
        SELECT "a"."record" AS "id", "a"."id" AS "line", to_jsonb("c")::text AS "before" FROM "a" JOIN "c" ON "c"."id" = "a"."record" ORDER BY "a"."id"`,
    };
  });
  const rows = yield queryOf(written, {
    ...slotsOf(asker),
    ...seriesSlots(series, asker.today),
    wave: waveSlot(wave),
    pairs: pairsSlot(pairs),
  });
  const kept = [...entity.fields.values()].filter(({ held }) => held.as === "kept").map(({ name }) => name);
  return yield* effectsOf(following, {
    entity,
    moment,
    changed: new Set([...set.keys(), ...kept, ...series.map(({ name }) => name)]),
    rows: rowsWritten(rows),
  });
}

function* remove(
  following: Following,
  effect: Extract<Effect, { kind: "delete" }>,
  pairs: readonly Pair[],
): Steps<Refusal | undefined> {
  if (pairs.length === 0) return undefined;
  const { context, asker } = following;
  const entity = entityOf(context, effect.entity);
  const written = context.statements.get(`effect ${effect.clause.id} delete`, () => ({
    more: undefined,
    sql: sql`WITH "d" AS (DELETE FROM ${tableOf(entity)} AS "x" USING ${pairsSql} WHERE "x"."id" = "p"."target" RETURNING "x".*, "p"."line" AS "is:cause"),
      "a" AS (${auditLine({ entity, action: "delete", clause: effect.clause.id, version: context.version, changes: changesOfWhole(entity, storedOf(entity), "d", "before"), cause: sql`"d"."is:cause"`, from: sql`FROM "d"` })} RETURNING "id", "record")${partsGone(context, entity, "d", "a")}${wholesRaised(context.model, entity, "d")}
      SELECT ${join([sql`"a"."record" AS "id"`, sql`"a"."id" AS "line"`, sql`(to_jsonb("d") - 'is:cause')::text AS "before"`, ...goneColumns(context, entity, "d", "a")], ", ")} FROM "a" JOIN "d" ON "d"."id" = "a"."record" ORDER BY "a"."id"`,
  }));
  const rows = yield queryOf(written, { ...slotsOf(asker), pairs: pairsSlot(pairs) });
  const [first] = rows;
  const gone = first === undefined ? [] : goneWaves(context, entity, first, "d");
  for (const wave of [{ entity, moment: "delete", changed: null, rows: rowsWritten(rows) }, ...gone]) {
    const refused = yield* effectsOf(following, wave);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

// People and programs

const ACTOR = "actor";
const asActor = (part: Expr): Expr | undefined =>
  part.kind === "user"
    ? { kind: "name", name: ACTOR, type: part.type, missing: part.missing, span: part.span }
    : undefined;

/** Each person is told once, in words that hold what they may read. */
function* notify(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "notify" }>,
): Steps<Refusal | undefined> {
  const { context, asker, format } = following;
  const { model } = context;
  const pairs = yield* pairsOf(following, wave, effect, effect.to);
  if (pairs.length === 0) return undefined;
  const roles = context.statements.get("effect people", () => ({
    more: undefined,
    sql: sql`SELECT "id", "roles" FROM ${tableOf(entityOf(context, "User"))} WHERE "id" = ANY(${slot("ids", "uuid[]")}) AND "active"`,
  }));
  const people = new Map<string, readonly string[]>();
  for (const row of yield queryOf(roles, { ids: [...new Set(pairs.map(({ target }) => target))] }))
    people.set(String(row.id), Array.isArray(row.roles) ? row.roles.map(String).sort() : []);
  const groups = new Map<string, Pair[]>();
  for (const pair of roundsOf(pairs, ({ source, target, each }) => `${source} ${target} ${each}`)[0] ?? []) {
    const held = people.get(pair.target ?? "");
    if (held === undefined) continue;
    const group = groups.get(held.join(",")) ?? [];
    groups.set(held.join(","), group);
    group.push(pair);
  }
  const told: Record<string, unknown>[] = [];
  for (const [held, group] of groups) {
    const person: Person = { id: group[0]?.target ?? null, granted: new Set(held === "" ? [] : held.split(",")) };
    const written = context.statements.get(`effect ${effect.clause.id} text ${held}`, () => {
      // In a permission `user` is who is told; in the text it is who acted.
      const text = {
        parts: effect.text.parts.map((part) => (typeof part === "string" ? part : rewritten(part, asActor))),
      };
      const seen: Seen = {
        ...seenEnv(model, wave.entity, person, "t"),
        old: seenWhereRead(model, wave.entity, person, "b").field,
        names: (name) =>
          name === ACTOR ? { sql: sql`${slot(ACTOR, "uuid")}`, missing: false } : gathered(effect)(name),
      };
      const rows = eyesOf(model, wave.entity, person, "t").rows;
      const words = valuesOf(text, seen);
      const values = rows === undefined ? words : sql`CASE WHEN ${rows} THEN ${words} END`;
      return {
        more: undefined,
        sql: sql`SELECT "p"."nth", ${withSlots(values, { user: sql`"p"."target"` })} AS "words" FROM ${pairsSql} JOIN (${sourceOf(wave)}) ON "w"."id" = "p"."source" ORDER BY "p"."nth"`,
      };
    });
    const rows = yield queryOf(written, {
      ...slotsOf(asker),
      [ACTOR]: slotsOf(asker).user,
      wave: waveSlot(wave),
      pairs: pairsSlot(group),
    });
    for (const row of rows) {
      const pair = group[Number(row.nth)];
      if (pair === undefined) continue;
      const words: readonly unknown[] = Array.isArray(row.words) ? row.words : [];
      told.push({
        person: pair.target,
        record: pair.source,
        text: wordsWith(effect.text, words, format),
        said: spokenIn(effect.message, effect.text, words, format),
      });
    }
  }
  if (told.length === 0) return undefined;
  const telling = context.statements.get("effect notify", () => ({
    more: undefined,
    sql: sql`INSERT INTO ninefold.notification (person, at, text, entity, record, clause, message, said) SELECT "x"."person", ${slot("now", "timestamptz")}, "x"."text", ${slot("entity", "text")}, "x"."record", ${slot("clause", "text")}, ${slot("message", "text")}, "x"."said" FROM jsonb_to_recordset(${slot("told", "jsonb")}) AS "x"("person" uuid, "text" text, "record" uuid, "said" jsonb)`,
  }));
  yield queryOf(telling, {
    now: asker.now.toISOString(),
    entity: wave.entity.name,
    clause: effect.clause.id,
    message: effect.message,
    told: JSON.stringify(told),
  });
  return undefined;
}

/** A call to another program is kept with what it sends, and made once everything is committed. */
function* call(
  { context, asker }: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "call" }>,
): Steps<Refusal | undefined> {
  const written = context.statements.get(`effect ${effect.clause.id} call`, () => {
    const env = envOf(context.model, wave, gathering(effect));
    const each = effect.each.map(({ name, list }) => elements(list, env, `each~${name}`));
    const members = [...effect.sends].map(([name, expr]) => [name, sentValue(expr, env)] as const);
    return {
      more: undefined,
      sql: sql`INSERT INTO ninefold.outbox (call, payload, entity, record, clause, at, next_at) SELECT ${constant(effect.call)}, ${objectSql(members)}, ${constant(wave.entity.name)}, "w"."id", ${constant(effect.clause.id)}, ${slot("now", "timestamptz")}, ${slot("now", "timestamptz")} FROM ${sourceOf(wave)} ${join(each, " ")} WHERE ${effect.when === null ? sql`TRUE` : toSql(effect.when, env).truth} ORDER BY "w"."nth"`,
    };
  });
  yield queryOf(written, { ...slotsOf(asker), wave: waveSlot(wave) });
  return undefined;
}

/** As values stand on the wire: decimals as text, moments in UTC with milliseconds. */
const sentValue = (expr: Expr, env: SqlEnv): Sql => {
  const { value } = toSql(expr, env);
  if (expr.type.kind === "decimal" || expr.type.kind === "money") return sql`trim_scale(${value})::text`;
  if (expr.type.kind === "datetime") return sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return value;
};
