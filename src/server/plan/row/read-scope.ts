import {
  type Grant,
  grantedFields,
  grantsFor,
  isUnconditional,
  type Principal,
} from "../../../core/derive/authorization/grants.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import { readSetOf } from "../../../core/expression/inspect/read-set.ts";
import { type Entity, type Field, isOfRecord, type Model } from "../../../core/model/model.ts";
import { join, type Sql, sql } from "../../../core/sql.ts";
import { rowEnv } from "./sql-env.ts";

/** What holds when one of the gates lets a record through; undefined when every record passes. */
export const grantsToSql = (grants: readonly Grant[], env: SqlEnv): Sql | undefined => {
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

/** The column that says whether a field is seen on a row, where it is not on every one. */
export const visibilityColumn = (field: string): string => `seen:${field}`;

/** What a person sees of an entity on one alias: which rows, and of each row which fields. */
export interface ReadScope {
  readonly entity: Entity;
  readonly env: ReturnType<typeof rowEnv>;
  readonly grants: readonly Grant[];
  /** Which rows; undefined: all. */
  readonly rows: Sql | undefined;
  /** The fields that may be read on some row, in document order. */
  readonly fields: readonly Field[];
  /** The field's value where it may be read and NULL elsewhere; undefined where it may be read on no row. */
  readonly column: (field: string) => Sql | undefined;
  /** When a field that is not open on every visible row may be read; undefined: wherever the row may. */
  readonly visibleWhen: (field: string) => Sql | undefined;
}

/** `table`: what stands for the tables, where they are read as they would be. */
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
  const seen = (field: string): Sql | undefined => {
    const showing = grants.filter((grant) => grant.fields === null || grant.fields.has(field));
    return showing.length === grants.length || isUnconditional(showing) ? undefined : grantsToSql(showing, env);
  };
  return {
    entity,
    env,
    grants,
    rows: grantsToSql(grants, env),
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

/** Whether who comes through any of these gates sees the record by that alone: all that one of their own asks is asked there. */
export const grantsImplyRead = (scope: ReadScope, grants: readonly Grant[]): boolean =>
  grants.every((grant) =>
    scope.grants.some(({ conditions }) => conditions.every((condition) => grant.conditions.includes(condition))),
  );

/** Whether who sees a record sees it after a write of these fields of it too, which then need not be asked. */
export const staysReadable = ({ entity, grants }: ReadScope, written: ReadonlySet<string>): boolean => {
  const stays = (name: string): boolean =>
    !written.has(name) && (entity.fields.get(name)?.held.as ?? "column") === "column";
  return grants.every(({ conditions }) =>
    conditions.every((condition) => {
      const { fields, recordReads } = readSetOf(condition);
      return [...fields].every(stays) && recordReads.every((others) => others.entity !== entity.name);
    }),
  );
};

/** The same eyes on rows that come through some of their gates alone: what all of these show needs no condition. */
export const narrowToGrants = (scope: ReadScope, grants: readonly Grant[]): ReadScope => {
  const isShown = (field: string) => grants.every((grant) => grant.fields === null || grant.fields.has(field));
  return {
    ...scope,
    rows: undefined,
    visibleWhen: (field) => (isShown(field) ? undefined : scope.visibleWhen(field)),
    column: (field) => {
      const column = scope.column(field);
      return column !== undefined && isShown(field) ? scope.env.field(field).sql : column;
    },
  };
};
