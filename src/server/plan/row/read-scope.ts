import {
  type Grant,
  grantedFields,
  grantsFor,
  isUnconditional,
  type Principal,
  showsOnAll,
} from "../../../core/derive/authorization/grants.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { type Field, isOfRecord } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { join, type Sql, sql } from "../../../core/sql.ts";
import { type BooleanColumn, booleanColumn } from "../result-columns.ts";
import { rowEnv } from "./sql-env.ts";

/** The row filter of some grants: that one of them covers the row. Undefined if all rows are covered. */
export const rowFilterSql = (grants: readonly Grant[], env: SqlEnv): Sql | undefined => {
  if (isUnconditional(grants)) return undefined;
  if (grants.length === 0) return sql`FALSE`;
  return join(
    grants.map(
      (grant) =>
        sql`(${join(
          grant.conditions.map((condition) => sql`(${toSql(condition, env).truth})`),
          " AND ",
        )})`,
    ),
    " OR ",
  );
};

export const asCondition = (condition: Sql | undefined): Sql =>
  condition === undefined ? sql`TRUE` : sql`(${condition})`;

/** The column that tells if a conditionally visible field is visible on the row. */
export const visibilityColumn = (field: string): BooleanColumn => booleanColumn(`seen:${field}`);

/** The column mask of a caller on one alias. */
export interface ColumnMask {
  readonly entity: Entity;
  readonly env: ReturnType<typeof rowEnv>;
  readonly grants: readonly Grant[];
  /** Fields readable on some row, in document order. */
  readonly fields: readonly Field[];
  /** The value of a field, NULL if unreadable on the row; undefined for a field that is never readable. */
  readonly column: (field: string) => Sql | undefined;
  /** The condition for reading a field that is not readable on every visible row; undefined if it always is. */
  readonly visibleWhen: (field: string) => Sql | undefined;
}

/** The read scope of a caller on one alias: a row filter and a column mask. */
export interface ReadScope extends ColumnMask {
  /**
   * The row filter; undefined for all rows. `read/page-sql.ts` alone reads from the access paths of the same grants
   * instead: pages of lists, their counts, groups and tiles.
   */
  readonly rows: Sql | undefined;
}

/** `table` replaces tables for reading the state after a write. */
export const readScope = (
  model: Model,
  entity: Entity,
  principal: Principal,
  alias: string,
  table?: SqlEnv["table"],
): ReadScope => {
  const grants = grantsFor(model, entity, "read", principal);
  const env = rowEnv(model, entity, alias, table === undefined ? {} : { table });
  const readable = grantedFields(entity, grants);
  /** By the grants that show a field. Many fields have the same ones. */
  const conditions = new Map<string, Sql>();
  const seen = (field: string): Sql | undefined => {
    if (showsOnAll(grants, field)) return undefined;
    const showing = grants.filter((grant) => grant.fields === null || grant.fields.has(field));
    const key = grants.map((grant) => showing.includes(grant)).join();
    const condition = conditions.get(key) ?? rowFilterSql(showing, env);
    if (condition !== undefined) conditions.set(key, condition);
    return condition;
  };
  return {
    entity,
    env,
    grants,
    rows: rowFilterSql(grants, env),
    fields: [...entity.fields.values()].filter((field) => readable.has(field.name) && isOfRecord(field)),
    visibleWhen: seen,
    column: (field) => {
      if (!readable.has(field)) return undefined;
      const bare = env.field(field).sql;
      const when = seen(field);
      return when === undefined ? bare : sql`CASE WHEN ${when} THEN ${bare} END`;
    },
  };
};

/** True if each of these write grants implies a read grant, so that the row needs no separate read check. */
export const grantsImplyRead = (scope: ReadScope, grants: readonly Grant[]): boolean =>
  grants.every((grant) =>
    scope.grants.some(({ conditions }) => conditions.every((condition) => grant.conditions.includes(condition))),
  );

/** True if a readable record certainly stays readable after a write of these fields. */
export const staysReadable = ({ entity, grants }: ReadScope, written: ReadonlySet<string>): boolean => {
  const isUnchanged = (name: string): boolean =>
    !written.has(name) && (entity.fields.get(name)?.storage.as ?? "column") === "column";
  return grants.every(({ conditions }) =>
    conditions.every((condition) => {
      const { fields, recordReads } = collectReadSet(condition);
      return [...fields].every(isUnchanged) && recordReads.every((others) => others.entity !== entity.name);
    }),
  );
};

/**
 * The column mask inside a branch whose `WHERE` already has the conditions of these grants: without a row filter, and
 * without a condition on fields that all of them cover.
 */
export const columnsUnderGrants = ({ rows: _, ...scope }: ReadScope, grants: readonly Grant[]): ColumnMask => {
  const isShown = (field: string) => grants.every((grant) => grant.fields === null || grant.fields.has(field));
  return {
    ...scope,
    visibleWhen: (field) => (isShown(field) ? undefined : scope.visibleWhen(field)),
    column: (field) => {
      const column = scope.column(field);
      return column !== undefined && isShown(field) ? scope.env.field(field).sql : column;
    },
  };
};
