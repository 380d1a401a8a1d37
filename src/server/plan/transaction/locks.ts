import {
  type AffectedRule,
  type ConditionTrigger,
  findLockedReads,
  type GuardRead,
  lockName,
} from "../../../core/derive/consistency/read-sets.ts";
import { membersSql, uniqueKeySql } from "../../../core/derive/consistency/uniqueness.ts";
import { uniqueName, uniquenessConstraintName } from "../../../core/derive/tables/names.ts";
import { isCheckedLate, isRuleCheckedLate } from "../../../core/derive/tables/unique.ts";
import { intersects, type RecordRead } from "../../../core/expression/inspect/read-set.ts";
import type { Entity, UniquenessRule, ValidationRule } from "../../../core/model/entity.ts";
import { type Field, isPlainColumn } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { LOCK_KEYS, LOCK_SOURCES, OTHER, OWNER } from "../aliases.ts";
import { ownersSql, presentAliases, type RowAliases, rowAliasesSql } from "../checks/affected-rules.ts";
import { inputParam } from "../input/parse-input.ts";
import { asBoolean, asText, resultShape } from "../result-columns.ts";
import { leadsToMany, pathSql, tableSql } from "../row/sql-env.ts";

/**
 * Locks for rules that read other records. Such a rule must not run concurrently with writes of the records that it
 * reads. There is a Postgres advisory lock for each group of records with an equal value in the field by which the rule
 * finds them (`Request.employee` is Ada), held until the end of the transaction. A transaction that checks rules locks
 * what they read; a writer exclusively locks what it changes. Locks are taken in the order of names and keys, so that
 * deadlocks are rare.
 *
 * A separate earlier statement takes the locks, because a statement sees only data committed before it started. A write
 * without rules on other records needs no such statement.
 */

/** The properties of a write that determine its locks. */
export interface LockedWrite {
  readonly model: Model;
  readonly entity: Entity;
  /** Fields that can change; `null` for creation and deletion. */
  readonly changed: ReadonlySet<string> | null;
  readonly sides: RowAliases;
  /** Possible states before and after the write, if the kind of write determines them. */
  readonly states: ReadonlySet<string> | null;
  /** True if there is exactly one record before and after. */
  readonly single?: boolean;
}

/** The key of an advisory lock, and the name from which it is derived. `several`: one lock per element of the value. */
interface Key {
  readonly name: string;
  readonly key: Sql;
  readonly several: boolean;
}

/** A lock for each row of `from` (`FROM … WHERE …`). `single`: at most one row. `alone`: exclusive. */
export interface LockRows extends Key {
  readonly single: boolean;
  readonly alone: boolean;
  readonly from: Sql;
}

/** The checks of a write on other records, immediate and postponed. */
export interface LockedChecks {
  readonly rules?: readonly ValidationRule[];
  readonly affectedRules?: readonly AffectedRule[];
  readonly guards?: readonly GuardRead[];
  /**
   * Automatic transitions that the write can trigger. Of two writes that complete a condition together, the second must
   * see the first.
   */
  readonly triggers?: readonly ConditionTrigger[];
  /** Locks without a path: `uniqueFieldLocks`, `generatedValueLocks`. */
  readonly more?: readonly LockRows[];
}

/** True if a write takes locks in earlier statements. */
export const hasEarlyLocks = ({
  rules = [],
  affectedRules = [],
  guards = [],
  triggers = [],
  more = [],
}: LockedChecks): boolean =>
  affectedRules.length + guards.length + more.length > 0 ||
  rules.some((rule) => rule.recordReads.length > 0) ||
  triggers.some(({ reads }) => reads.length > 0);

/**
 * The lock statements of a write with checks, in order. The locks of a longer path come in a later statement, after
 * those of the records along the path.
 */
export const lockStatements = (
  touched: LockedWrite,
  { rules = [], affectedRules = [], guards = [], triggers = [], more = [] }: LockedChecks,
): readonly (readonly LockRows[])[] => {
  const { model, entity, single = false } = touched;
  const readSets = findTouchedReads(touched);
  const alone = new Set(readSets.map(lockName));
  const rounds: LockRows[][] = [[]];
  const take = (round: number, rows: LockRows): void => {
    while (rounds.length <= round) rounds.push([]);
    rounds[round]?.push(rows);
  };
  for (const recordRead of rules.flatMap((rule) => rule.recordReads)) {
    const from = touched.sides.is ?? touched.sides.was ?? "";
    const key = buildReadKey(model, recordRead, entity, from);
    take(countSteps(recordRead) - 1, {
      ...key,
      single,
      alone: alone.has(lockName(recordRead)),
      from: sql`FROM ${identifier(from)}`,
    });
  }
  // Permissions are checked on the record before the write.
  for (const guard of guards) {
    const from = touched.sides.was ?? touched.sides.is ?? "";
    take(countSteps(guard) - 1, {
      ...buildReadKey(model, guard, entity, from),
      single,
      alone: guard.alone || alone.has(lockName(guard)),
      from: sql`FROM ${identifier(from)}`,
    });
  }
  // The locks of a rule on the record itself already cover these.
  const taken = new Set(rounds[0]?.filter(({ alone }) => alone).map(({ key }) => toComparableText(key)));
  rounds[0]?.push(
    ...readSets
      .flatMap((readSet) => touchedRows(touched, readSet))
      .filter(({ key }) => !taken.has(toComparableText(key))),
  );
  for (const affectedRule of affectedRules)
    for (const recordRead of affectedRule.rule.recordReads) {
      const key = buildReadKey(model, recordRead, affectedRule.owner, OWNER.alias);
      take(countStepsBefore(affectedRule.recordRead, recordRead), {
        ...key,
        single: false,
        alone: alone.has(lockName(recordRead)),
        from: ownersSql(model, affectedRule, touched.sides, tableSql(affectedRule.owner)),
      });
    }
  for (const { owner, recordRead, reads } of triggers)
    for (const read of reads) {
      const isOwn = recordRead === null;
      const from = touched.sides.is ?? touched.sides.was ?? "";
      take(isOwn ? countSteps(read) - 1 : countStepsBefore(recordRead, read), {
        ...buildReadKey(model, read, owner, isOwn ? from : OWNER.alias),
        single: isOwn && single,
        alone: alone.has(lockName(read)),
        from: isOwn
          ? sql`FROM ${identifier(from)}`
          : ownersSql(model, { owner, recordRead }, touched.sides, tableSql(owner)),
      });
    }
  rounds[0]?.push(...more);
  return rounds.filter((round) => round.length > 0);
};

/** Fields and rules in which no two records may be equal. */
export interface UniqueFields {
  readonly fields: readonly Field[];
  readonly rules: readonly UniquenessRule[];
}

/**
 * The unique fields and uniqueness rules of an entity that a write can violate and that Postgres checks late.
 * `changed`: `null` on creation.
 */
export const findUniqueFields = (entity: Entity, changed: ReadonlySet<string> | null): UniqueFields => ({
  fields: [...entity.fields.values()].filter(
    (field) =>
      isCheckedLate(field) &&
      isPlainColumn(field) &&
      // A generated slug has a lock of its own.
      (changed === null ? field.type !== "slug" : changed.has(field.name)),
  ),
  rules: entity.uniquenessRules.filter(
    (rule) => isRuleCheckedLate(rule, entity) && (changed === null || rule.reads.some((name) => changed.has(name))),
  ),
});

/**
 * Serialises writers of equal records. Postgres checks deferred constraints at commit, where two transactions would
 * wait for each other.
 */
export const uniqueFieldLocks = (touched: LockedWrite, { fields, rules }: UniqueFields): readonly LockRows[] => {
  const { model, entity, changed, sides, single = false } = touched;
  if (sides.is === null) return [];
  const rowsFor = (
    name: string,
    same: readonly Field[],
    missing: boolean,
    among: (side: string) => Sql | undefined,
  ) => {
    const isUnchanged = changed !== null && same.every((field) => isPlainColumn(field) && !changed.has(field.name));
    const key = (side: string): Sql => {
      const nonNull = missing ? [] : same.map((field) => sql`${uniqueKeySql(field, side)} IS NOT NULL`);
      const counts = [...nonNull, among(side) ?? sql`TRUE`];
      return sql`CASE WHEN ${join(counts, " AND ")} THEN hashtextextended(${constant(`${name} `)} || ${textOfAll(same, side)}, 0) END`;
    };
    return presentAliases(isUnchanged ? { ...sides, was: null } : sides).map(
      (side): LockRows => ({
        name,
        key: key(side),
        several: false,
        single,
        alone: true,
        from: sql`FROM ${identifier(side)}`,
      }),
    );
  };
  return [
    ...fields.flatMap((field) =>
      rowsFor(uniqueName(entity.table, field.name), [field], field.countsMissing, () => undefined),
    ),
    ...rules.flatMap((rule) =>
      rowsFor(
        uniquenessConstraintName(entity, rule),
        rule.same.flatMap((name) => entity.fields.get(name) ?? []),
        rule.countsMissing,
        (side) => membersSql(model, entity, rule, side),
      ),
    ),
  ];
};

/** Values as one text; equal values have equal texts. */
const textOfAll = (fields: readonly Field[], side: string): Sql => {
  const values = fields.map((field) => {
    const { kind } = field.ruleType;
    const own = uniqueKeySql(field, side);
    return sql`to_jsonb(${kind === "decimal" || kind === "money" ? sql`trim_scale(${own})` : own})`;
  });
  return sql`jsonb_build_array(${join(values, ", ")})::text`;
};

/** Locks for generated values that concurrent transactions could generate too: positions and slugs. */
export const generatedValueLocks = (entity: Entity, sentFields: readonly string[], side: string): readonly LockRows[] =>
  [...entity.fields.values()].flatMap((field): readonly LockRows[] => {
    const more = { several: false, single: true, alone: true, from: sql`FROM ${identifier(side)}` };
    if (field.type === "position" && !sentFields.includes(field.name)) {
      const parent = field.from === null ? undefined : entity.fields.get(field.from);
      const among = parent === undefined ? undefined : sql`${identifier(side)}.${identifier(parent.name)}`;
      return [{ ...positionLock(entity, field, among), ...more }];
    }
    if (field.type !== "slug") return [];
    const name = uniqueName(entity.table, field.name);
    const word = sql`COALESCE(${inputParam(field)}, ${slot(`slug:${field.name}`, "text")})`;
    return [
      { name, key: sql`hashtextextended(${constant(`${name} `)} || jsonb_build_array(${word})::text, 0)`, ...more },
    ];
  });

/** The lock of the positions among the parts of one parent, or among all records. */
export const positionLock = (entity: Entity, field: Field, parent: Sql | undefined): Pick<LockRows, "name" | "key"> => {
  const name = `${entity.name}.${field.name} place`;
  const among = parent === undefined ? sql`` : sql` || coalesce((${parent})::text, '')`;
  return { name, key: sql`hashtextextended(${constant(`${name} `)}${among}, 0)` };
};

/** The lock of a sequence, for transactions with several batches. */
export const sequenceLock = (entity: Entity, field: Field): Pick<LockRows, "name" | "key"> => {
  const name = `${entity.name}.${field.name} number`;
  return { name, key: sql`hashtextextended(${constant(name)}, 0)` };
};

/** The locks of a write without rules on other records; the write takes them itself. */
export const locksOfWrite = (touched: LockedWrite): readonly LockRows[] =>
  findTouchedReads(touched).flatMap((recordRead) => touchedRows(touched, recordRead));

/**
 * Takes locks in the order of names and keys. A lock that is requested both exclusively and shared is taken
 * exclusively.
 */
export const takeLocksSql = (rows: readonly LockRows[]): Sql => inOneRow(rows) ?? sortedSql(rows);

/** A lock that was tried: `held` is false if another transaction has it. */
export const triedLock = resultShape({ name: asText, key: asText, alone: asBoolean, held: asBoolean });

/**
 * Tries locks in the middle of a transaction: takes the free ones, and returns which were obtained (`requireLocks`).
 */
export const tryLocksSql = (rows: readonly LockRows[]): Sql =>
  sql`SELECT ${triedLock.select({ name: sql`"name"`, key: sql`"key"::text`, alone: sql`"alone"`, held: sql`CASE WHEN "alone" THEN pg_try_advisory_xact_lock("key") ELSE pg_try_advisory_xact_lock_shared("key") END` })} FROM (${inOrder(rows)}) AS ${OTHER} WHERE "key" IS NOT NULL`;

/** Locks of a single record with distinct names need no sorting. */
const inOneRow = (rows: readonly LockRows[]): Sql | undefined => {
  const [first] = rows;
  const keys = removeDuplicates(rows).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const isOne = ({ from, several, single }: LockRows) =>
    single && !several && toComparableText(from) === toComparableText(first?.from ?? from);
  if (first === undefined || !rows.every(isOne) || new Set(keys.map(({ name }) => name)).size < keys.length)
    return undefined;
  const locks = keys.map(({ key, alone }) =>
    alone ? sql`pg_advisory_xact_lock(${key})` : sql`pg_advisory_xact_lock_shared(${key})`,
  );
  return sql`SELECT ${join(locks, ", ")} ${first.from}`;
};

const sortedSql = (rows: readonly LockRows[]): Sql =>
  sql`SELECT CASE WHEN "alone" THEN pg_advisory_xact_lock("key") ELSE pg_advisory_xact_lock_shared("key") END FROM (${inOrder(rows)}) AS ${OTHER}`;

/** Names and keys of locks in order, exclusive ones first. */
const inOrder = (rows: readonly LockRows[]): Sql => {
  const bySource = new Map<string, LockRows[]>();
  for (const row of rows) {
    // A missing value has no row, and would drop the other locks of its source too.
    const source = row.several ? toComparableText(row.key) + toComparableText(row.from) : toComparableText(row.from);
    bySource.set(source, [...(bySource.get(source) ?? []), row]);
  }
  const all = join([...bySource.values()].map(keyRowsSql), " UNION ALL ");
  return sql`SELECT "name", "key", "alone" FROM (${all}) AS ${OTHER} ORDER BY "name" COLLATE "C", "key", "alone" DESC OFFSET 0`;
};

/** Rows of one source, which is scanned once for all keys. */
const keyRowsSql = (rows: readonly LockRows[]): Sql => {
  const distinct = removeDuplicates(rows);
  const columns = distinct.map(({ key }, i) => sql`${key} AS ${identifier(`k${i}`)}`);
  const values = distinct.map(
    ({ name, alone }, i) => sql`(${constant(name)}, ${LOCK_SOURCES}.${identifier(`k${i}`)}, ${constant(alone)})`,
  );
  return sql`SELECT ${LOCK_KEYS}."name", ${LOCK_KEYS}."key", ${LOCK_KEYS}."alone" FROM (SELECT ${join(columns, ", ")} ${distinct[0]?.from ?? sql``}) AS ${LOCK_SOURCES} CROSS JOIN LATERAL (VALUES ${join(values, ", ")}) AS ${LOCK_KEYS}("name", "key", "alone")`;
};

/** Removes duplicate keys; exclusive if any of them is. */
const removeDuplicates = (rows: readonly LockRows[]): readonly LockRows[] => {
  const keys = new Map<string, LockRows>();
  for (const row of rows) {
    const text = toComparableText(row.key);
    keys.set(text, { ...row, alone: row.alone || keys.get(text)?.alone === true });
  }
  return [...keys.values()];
};

const toComparableText = ({ parts }: Sql): string => JSON.stringify(parts);

const findTouchedReads = ({ model, entity, changed, sides, states }: LockedWrite): readonly RecordRead[] =>
  findLockedReads(model, entity).filter((recordRead) => {
    if (!intersects(recordRead, changed)) return false;
    // Nothing refers to a new record yet.
    if (recordRead.by === "id" && sides.was === null) return false;
    const counting = entity.states === null ? undefined : recordRead.only?.get(entity.states.field);
    return states === null || counting === undefined || [...states].some((state) => counting.has(state));
  });

/**
 * A record that a rule ignores both before and after the write needs no lock. Unchanged values are equal on both sides.
 */
const touchedRows = (
  { model, entity, changed, sides, single = false }: LockedWrite,
  recordRead: RecordRead,
): readonly LockRows[] => {
  const by = recordRead.by ?? "id";
  const counts = join(
    presentAliases(sides).map((side) => countsSql(recordRead, side)),
    " OR ",
  );
  const field = entity.fields.get(by);
  const isUnchanged = changed !== null && !changed.has(by) && (field === undefined || isPlainColumn(field));
  return presentAliases(isUnchanged ? { ...sides, was: null } : sides).map((side) => ({
    ...buildLockKey(model, recordRead, sql`${identifier(side)}.${identifier(by)}`, field?.many === true),
    single,
    alone: true,
    from: sql`FROM ${rowAliasesSql(sides)} WHERE ${counts}`,
  }));
};

const countsSql = ({ only }: RecordRead, side: string): Sql => {
  const conditions = [...(only ?? [])].map(
    ([field, values]) =>
      sql`${identifier(side)}.${identifier(field)} IN (${join(
        [...values].map((value) => constant(value)),
        ", ",
      )})`,
  );
  return conditions.length === 0 ? sql`TRUE` : sql`(${join(conditions, " AND ")})`;
};

const countSteps = ({ key }: RecordRead): number => Math.max(1, (key ?? "").split(".").length);

/**
 * The number of lock statements that must come before that of a read. A record found through the written record's own
 * reference needs no further one: `Line.order` leads to the order, and so to `Payment.order`.
 */
const countStepsBefore = (recordRead: RecordRead, read: RecordRead): number =>
  recordRead.key === "" && (read.by === undefined || read.key === "") ? 0 : countSteps(read);

/** The lock of the records that a rule reads from its own record. */
const buildReadKey = (model: Model, recordRead: RecordRead, from: Entity, alias: string): Key => {
  const path = recordRead.key ?? "";
  return buildLockKey(model, recordRead, pathSql(model, from, path, alias), leadsToMany(model, from, path));
};

/**
 * The key of a lock: a hash of its name and value. Equal values always have equal texts. Each of several values has its
 * own lock.
 */
const buildLockKey = (model: Model, recordRead: RecordRead, value: Sql, several: boolean): Key => {
  const name = lockName(recordRead);
  if (recordRead.by === undefined) return { name, key: sql`hashtextextended(${constant(name)}, 0)`, several: false };
  if (several)
    return { name, key: sql`hashtextextended(${constant(`${name} `)} || unnest(${value})::text, 0)`, several };
  const type = model.entities.get(recordRead.entity)?.fields.get(recordRead.by)?.ruleType.kind;
  const text = type === "decimal" || type === "money" ? sql`trim_scale(${value})` : value;
  return { name, key: sql`hashtextextended(${constant(`${name} `)} || coalesce((${text})::text, ''), 0)`, several };
};
