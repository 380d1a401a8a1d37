import type { Entity } from "../../../core/model/entity.ts";
import { findParents } from "../../../core/model/facts/parts.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { fill, identifier, render, type Sql, slot, sql, value } from "../../../core/sql.ts";
import { type Query, type Row, StoreSlow } from "../../../postgres/database.ts";
import { LOCKS, OTHER, TABLE } from "../aliases.ts";
import type { PlanContext } from "../context.ts";
import { asNumberOrNull, asText, resultShape } from "../result-columns.ts";
import { tableSql } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { triedLock } from "./locks.ts";
import type { WriteSet } from "./write-set.ts";
import { tableAs, withTables } from "./write-statement.ts";

/**
 * Locks at the start of a transaction. A transaction waits for locks only at its start, and takes a later lock only if
 * it is free. Otherwise it rolls back and starts again with this lock among the first ones, which it takes in a fixed
 * order. So no transaction ever waits for one that is itself waiting.
 */

/** An advisory lock: its key, and the name that determines the order of locks. */
export interface LockKey {
  readonly name: string;
  readonly key: string;
  /** True for an exclusive lock, false for a shared one. */
  readonly alone: boolean;
}

/** Locked records; `withParts` for a lock that a deletion needs. */
export interface LockedRows {
  readonly entity: Entity;
  readonly ids: readonly string[];
  readonly withParts: boolean;
}

/** Thrown if another transaction holds a required lock. After many attempts, the client is asked to try again later. */
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

/** Reads the rows of a statement that tries locks (`tryLocksSql`). Throws if one is not free. */
export const requireLocks = (model: Model, locks: readonly Row[], rows: readonly LockedRows[] = []): void => {
  const attempts = locks.map(triedLock.read);
  if (attempts.every(({ held }) => held !== false)) return;
  const keys = attempts.map(({ name, key, alone }): LockKey => ({ name, key, alone: alone === true }));
  throw new HeldByOthers(model, { keys, rows });
};

/** Reads the rows of several statements that try locks. */
export const requireAll = (
  model: Model,
  results: readonly (readonly Row[])[],
  rows: readonly LockedRows[] = [],
): void => {
  for (const locks of results) requireLocks(model, locks, rows);
};

const lockedRow = resultShape({ id: asText, version: asNumberOrNull });

/**
 * Locks the free records of an entity that meet a condition, and returns their versions; NULL for records that another
 * transaction holds.
 */
export const lockFreeRecords = (entity: Entity, condition: Sql, withParts: boolean): Sql => {
  const mode = withParts ? sql`FOR UPDATE` : sql`FOR NO KEY UPDATE`;
  return withTables(
    [
      tableAs(
        LOCKS,
        sql`SELECT "id", "version" FROM ${tableSql(entity)} WHERE ${condition} ORDER BY "id" ${mode} SKIP LOCKED`,
      ),
    ],
    sql`SELECT ${lockedRow.select({ id: sql`${TABLE}."id"`, version: sql`${LOCKS}."version"` })} FROM (SELECT "id" FROM ${tableSql(entity)} WHERE ${condition}) AS ${TABLE} LEFT JOIN ${LOCKS} ON ${LOCKS}."id" = ${TABLE}."id"`,
  );
};

/** Reads the versions by id from the rows of `lockFreeRecords`. Throws if another transaction holds a record. */
export const requireRows = (
  model: Model,
  { entity, withParts }: Pick<LockedRows, "entity" | "withParts">,
  rows: readonly Row[],
  writeSets: readonly WriteSet[],
): ReadonlyMap<string, number> => {
  const locked = rows.map(lockedRow.read);
  if (locked.some(({ version }) => version === null)) {
    const wanted = { entity, ids: locked.map(({ id }) => id), withParts };
    throw new HeldByOthers(model, { rows: [...listChangedRecords(writeSets), wanted] });
  }
  return new Map(locked.map(({ id, version }) => [id, version ?? 0]));
};

/** The parents of records, recursively, each with a condition on its rows. A write of a part raises their versions. */
export const findParentRows = (
  model: Model,
  entity: Entity,
  idsSql: (field: Field) => Sql,
): readonly { readonly entity: Entity; readonly condition: Sql }[] =>
  findParents(model, entity).flatMap(({ entity: parent, field }) => {
    const own = sql`"id" IN (${idsSql(field)})`;
    const above = findParentRows(
      model,
      parent,
      (reference) => sql`SELECT ${identifier(reference.name)} FROM ${tableSql(parent)} WHERE ${own}`,
    );
    return [...above, { entity: parent, condition: own }];
  });

/** The parents of the records with the ids in the parameter `ids`. */
export const parentsById = (model: Model, entity: Entity): ReturnType<typeof findParentRows> =>
  findParentRows(
    model,
    entity,
    (field) =>
      sql`SELECT ${identifier(field.name)} FROM ${tableSql(entity)} WHERE "id" = ANY(${slot("ids", "uuid[]")})`,
  );

/**
 * Locks the record of an endpoint step and its parents, if they are free. `forDeletion`: takes the lock that a deletion
 * needs.
 */
export function* lockStepRecord(
  context: PlanContext,
  entity: Entity,
  id: string,
  before: readonly WriteSet[],
  forDeletion = false,
): Steps<void> {
  const { model, statements } = context;
  const all = [
    ...parentsById(model, entity).map((item) => ({ ...item, withParts: false })),
    { entity, condition: sql`"id" = ANY(${slot("ids", "uuid[]")})`, withParts: forDeletion },
  ];
  const locks = statements.list(["step rows", entity.name, forDeletion], () =>
    all.map((item) => lockFreeRecords(item.entity, item.condition, item.withParts)),
  );
  const results = yield locks.map((lock) => toQuery(lock, { ids: [id] }));
  for (const [i, inner] of all.entries()) requireRows(model, inner, results[i] ?? [], before);
}

/**
 * The records that the transaction has changed so far. It holds their locks, and takes them first if it starts again.
 */
export const listChangedRecords = (writeSets: readonly WriteSet[]): readonly LockedRows[] =>
  writeSets.flatMap(({ entity, action, rows }) =>
    action === "create" ? [] : [{ entity, ids: rows.map(({ id }) => id), withParts: action === "delete" }],
  );

/** Maximum number of restarts of a transaction. */
const MAX_RESTARTS = 30;

/** The locks that a transaction takes first: those that its earlier attempts lacked. */
export class EarlyLocks {
  readonly #keys = new Map<string, LockKey>();
  readonly #rows = new Map<
    string,
    { readonly entity: Entity; readonly ids: Set<string>; withParts: boolean; depth: number }
  >();
  #begun = 0;

  #idle = 0;

  /** Number of consecutive restarts without a new lock. */
  get idle(): number {
    return this.#idle;
  }

  /** Records the lock that the transaction lacked. True if it should start again. */
  learns(error: unknown): boolean {
    if (!(error instanceof HeldByOthers) || this.#begun >= MAX_RESTARTS) return false;
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
    for (const key of error.keys) {
      const known = this.#keys.get(key.key);
      this.#keys.set(key.key, { ...key, alone: key.alone || known?.alone === true });
    }
    for (const { entity, ids, withParts } of error.rows) {
      const known = this.#rows.get(entity.name) ?? {
        entity,
        ids: new Set(),
        withParts,
        depth: countAncestors(error.model, entity),
      };
      known.withParts ||= withParts;
      for (const id of ids) known.ids.add(id);
      this.#rows.set(entity.name, known);
    }
  }

  /** Records first, parents before parts; then advisory locks by name and key. */
  get queries(): readonly Query[] {
    const rows = [...this.#rows.values()]
      .toSorted((a, b) => a.depth - b.depth || (a.entity.name < b.entity.name ? -1 : 1))
      .map(({ entity, ids, withParts }) => {
        const mode = withParts ? sql`FOR UPDATE` : sql`FOR NO KEY UPDATE`;
        return queryFor(
          sql`SELECT "id" FROM ${tableSql(entity)} WHERE "id" = ANY(${value([...ids], "uuid[]")}) ORDER BY "id" ${mode}`,
        );
      });
    if (this.#keys.size === 0) return rows;
    const keys = JSON.stringify([...this.#keys.values()]);
    return [
      ...rows,
      queryFor(
        sql`SELECT CASE WHEN "alone" THEN pg_advisory_xact_lock("key") ELSE pg_advisory_xact_lock_shared("key") END FROM (SELECT * FROM jsonb_to_recordset(${value(keys, "jsonb")}) AS ${OTHER}("name" text, "key" bigint, "alone" boolean) ORDER BY "name" COLLATE "C", "key" OFFSET 0) AS ${OTHER}`,
      ),
    ];
  }
}

const queryFor = (text: Sql): Query => {
  const statement = render(text);
  return { text: statement.text, values: fill(statement, {}) };
};

/** Number of ancestors of an entity's records; 0 if they are not parts. */
const countAncestors = (model: Model, entity: Entity): number =>
  Math.max(
    0,
    ...findParents(model, entity).map((parent) =>
      parent.entity === entity ? 0 : countAncestors(model, parent.entity) + 1,
    ),
  );
