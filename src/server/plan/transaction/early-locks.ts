import type { Entity, Field, Model } from "../../../core/model/model.ts";
import { findParents } from "../../../core/model/parts.ts";
import { fill, identifier, render, type Sql, slot, sql, value } from "../../../core/sql.ts";
import { type Query, type Row, StoreSlow } from "../../../postgres/database.ts";
import type { PlanContext } from "../context.ts";
import { tableSql } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import type { WriteSet } from "./write-set.ts";

/*
 * A transaction waits for others at its beginning only. A lock that it needs later is taken only if it is free. If it is
 * not, the transaction is undone and begins again with this lock among its first, which are taken in one order. So nobody
 * waits for a transaction that waits for somebody.
 */

/** A lock by its number, with the name by which locks are ordered. */
export interface LockKey {
  readonly name: string;
  readonly key: string;
  /** False if others may hold it at the same time. */
  readonly alone: boolean;
}

/** Records that are locked, `whole` as for a deletion. */
export interface LockedRows {
  readonly entity: Entity;
  readonly ids: readonly string[];
  readonly whole: boolean;
}

/** Thrown in a transaction that needs what others hold. Whoever does not get it after many tries is told to try later. */
class HeldByOthers extends StoreSlow {
  readonly model: Model;
  readonly keys: readonly LockKey[];
  readonly rows: readonly LockedRows[];
  constructor(
    model: Model,
    { keys = [], rows = [] }: { readonly keys?: readonly LockKey[]; readonly rows?: readonly LockedRows[] },
  ) {
    super("somebody else holds a lock");
    this.model = model;
    this.keys = keys;
    this.rows = rows;
  }
}

/** The rows of a statement that takes locks where they are free (`tryingOf`): throws if one is not. */
export const requireLocks = (model: Model, locks: readonly Row[], rows: readonly LockedRows[] = []): void => {
  if (locks.every((row) => row["is:held"] !== false)) return;
  const keys = locks.map(
    (row): LockKey => ({ name: String(row.name), key: String(row.key), alone: row.alone === true }),
  );
  throw new HeldByOthers(model, { keys, rows });
};

/** The same of several statements. */
export const requireAll = (
  model: Model,
  results: readonly (readonly Row[])[],
  rows: readonly LockedRows[] = [],
): void => {
  for (const locks of results) requireLocks(model, locks, rows);
};

/**
 * Locks records of an entity that are free, `these` among its rows, and answers the version of each; of one that somebody else
 * holds it is missing.
 */
export const lockFreeRecords = (entity: Entity, these: Sql, whole: boolean): Sql => {
  const mode = whole ? sql`FOR UPDATE` : sql`FOR NO KEY UPDATE`;
  return sql`WITH "l" AS MATERIALIZED (SELECT "id", "version" FROM ${tableSql(entity)} WHERE ${these} ORDER BY "id" ${mode} SKIP LOCKED)
        SELECT "t"."id", "l"."version" FROM (SELECT "id" FROM ${tableSql(entity)} WHERE ${these}) AS "t" LEFT JOIN "l" ON "l"."id" = "t"."id"`;
};

/** The versions of records by their ids, from the rows of `lockFreeRecords`: throws if somebody else holds one. */
export const requireRows = (
  model: Model,
  { entity, whole }: Pick<LockedRows, "entity" | "whole">,
  rows: readonly Row[],
  writeSets: readonly WriteSet[],
): ReadonlyMap<string, number> => {
  if (rows.some(({ version }) => version === null)) {
    const wanted = { entity, ids: rows.map(({ id }) => String(id)), whole };
    throw new HeldByOthers(model, { rows: [...changedRecords(writeSets), wanted] });
  }
  return new Map(rows.map(({ id, version }) => [String(id), Number(version)]));
};

/** What is raised with records: those of which they are parts, and theirs in turn, each with a condition on its rows. */
export const parentsOfRows = (
  model: Model,
  entity: Entity,
  these: (field: Field) => Sql,
): readonly { readonly entity: Entity; readonly these: Sql }[] =>
  findParents(model, entity).flatMap(({ entity: whole, field }) => {
    const own = sql`"id" IN (${these(field)})`;
    const above = parentsOfRows(
      model,
      whole,
      (reference) => sql`SELECT ${identifier(reference.name)} FROM ${tableSql(whole)} WHERE ${own}`,
    );
    return [...above, { entity: whole, these: own }];
  });

/** The records of which some are parts, by the ids of the parts in the slot `ids`. */
export const parentsById = (model: Model, entity: Entity): ReturnType<typeof parentsOfRows> =>
  parentsOfRows(
    model,
    entity,
    (field) =>
      sql`SELECT ${identifier(field.name)} FROM ${tableSql(entity)} WHERE "id" = ANY(${slot("ids", "uuid[]")})`,
  );

/** Locks the record of an endpoint step and its parents, if they are free. `forDeletion`: as a deletion needs it. */
export function* lockStepRecord(
  context: PlanContext,
  entity: Entity,
  id: string,
  before: readonly WriteSet[],
  forDeletion = false,
): Steps<void> {
  const { model, statements } = context;
  const all = [
    ...parentsById(model, entity).map((one) => ({ ...one, whole: false })),
    { entity, these: sql`"id" = ANY(${slot("ids", "uuid[]")})`, whole: forDeletion },
  ];
  const locks = statements.list(["step rows", entity.name, forDeletion], () =>
    all.map((one) => lockFreeRecords(one.entity, one.these, one.whole)),
  );
  const results = yield locks.map((one) => queryOf(one, { ids: [id] }));
  for (const [i, one] of all.entries()) requireRows(model, one, results[i] ?? [], before);
}

/** The records that a transaction has changed so far: it holds them, and takes them first when it begins again. */
export const changedRecords = (writeSets: readonly WriteSet[]): readonly LockedRows[] =>
  writeSets.flatMap(({ entity, moment, rows }) =>
    moment === "create" ? [] : [{ entity, ids: rows.map(({ id }) => id), whole: moment === "delete" }],
  );

/** A transaction that finds other locks each time is given up in the end. */
const MOST = 30;

/** What a transaction takes before anything else: the locks for which its tries before would have had to wait. */
export class EarlyLocks {
  readonly #keys = new Map<string, LockKey>();
  readonly #rows = new Map<
    string,
    { readonly entity: Entity; readonly ids: Set<string>; whole: boolean; depth: number }
  >();
  #begun = 0;

  #idle = 0;

  /** How often in a row it began again without having learnt anything. */
  get idle(): number {
    return this.#idle;
  }

  /** True if the transaction is to begin again. */
  learns(error: unknown): boolean {
    if (!(error instanceof HeldByOthers) || this.#begun >= MOST) return false;
    this.#begun += 1;
    const before = this.#size;
    this.#add(error);
    this.#idle = this.#size > before ? 0 : this.#idle + 1;
    return true;
  }

  get #size(): number {
    return [...this.#rows.values()].reduce((sum, { ids }) => sum + ids.size, this.#keys.size);
  }

  #add(error: HeldByOthers): void {
    for (const one of error.keys) {
      const known = this.#keys.get(one.key);
      this.#keys.set(one.key, { ...one, alone: one.alone || known?.alone === true });
    }
    for (const { entity, ids, whole } of error.rows) {
      const known = this.#rows.get(entity.name) ?? {
        entity,
        ids: new Set(),
        whole,
        depth: depthOf(error.model, entity),
      };
      known.whole ||= whole;
      for (const id of ids) known.ids.add(id);
      this.#rows.set(entity.name, known);
    }
  }

  /** Records first, wholes before their parts; then the others, in the order of their names and numbers. */
  get queries(): readonly Query[] {
    const rows = [...this.#rows.values()]
      .toSorted((a, b) => a.depth - b.depth || (a.entity.name < b.entity.name ? -1 : 1))
      .map(({ entity, ids, whole }) => {
        const mode = whole ? sql`FOR UPDATE` : sql`FOR NO KEY UPDATE`;
        return queryFor(
          sql`SELECT "id" FROM ${tableSql(entity)} WHERE "id" = ANY(${value([...ids], "uuid[]")}) ORDER BY "id" ${mode}`,
        );
      });
    if (this.#keys.size === 0) return rows;
    const keys = JSON.stringify([...this.#keys.values()]);
    return [
      ...rows,
      queryFor(
        sql`SELECT CASE WHEN "alone" THEN pg_advisory_xact_lock("key") ELSE pg_advisory_xact_lock_shared("key") END FROM (SELECT * FROM jsonb_to_recordset(${value(keys, "jsonb")}) AS "x"("name" text, "key" bigint, "alone" boolean) ORDER BY "name" COLLATE "C", "key" OFFSET 0) AS "x"`,
      ),
    ];
  }
}

const queryFor = (text: Sql): Query => {
  const statement = render(text);
  return { text: statement.text, values: fill(statement, {}) };
};

/** How many records stand above one: 0 for what is no part. */
const depthOf = (model: Model, entity: Entity): number =>
  Math.max(
    0,
    ...findParents(model, entity).map((whole) => (whole.entity === entity ? 0 : depthOf(model, whole.entity) + 1)),
  );
