import type { Entity } from "../../../core/model/entity.ts";
import { type Field, isActValue, isPlainColumn } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { CANDIDATE, CURRENT, LINES, TABLE, WRITTEN_ROWS } from "../aliases.ts";
import { candidateColumn } from "../checks/check.ts";
import type { PlanContext } from "../context.ts";
import { type DrawnNumbers, noNumbers } from "../input/generated-values.ts";
import { auditLine, changesBetween, findGeneratedColumns } from "../row/audit-line.ts";
import { beforeKept, candidateSql } from "../row/proposed-row.ts";
import type { ColumnValues } from "../row/sql-env.ts";
import { bumpParentVersions } from "./parent-versions.ts";
import { updateSql } from "./update-sql.ts";

/** Rows before they are updated. */
interface ChangedRows {
  /** `update` or the name of a transition. */
  readonly action: string;
  /** The new value of a field; undefined if it does not change. */
  readonly value: (field: Field) => Sql | undefined;
  /** Columns beside the fields, each with its alias. */
  readonly more?: readonly Sql[];
  /** `FROM …` with the current records as `c`. */
  readonly from: Sql;
}

/** The rows as they will be after an update, with their computed fields. */
export const changedRowsSql = (model: Model, entity: Entity, { action, value, more = [], from }: ChangedRows): Sql => {
  const own = (name: string): Sql => sql`${CURRENT}.${identifier(name)}`;
  const assigned = (name: string): Sql | undefined => {
    const field = entity.fields.get(name);
    return field === undefined ? undefined : value(field);
  };
  const columns = [
    ...["id", "version", "created_at", "updated_at"].map(own),
    ...more,
    ...beforeKept(entity, action, own, assigned),
    ...[...entity.fields.values()]
      .filter((field) => isPlainColumn(field) || (isActValue(field) && value(field) !== undefined))
      .map((field) => sql`${value(field) ?? own(field.name)} AS ${identifier(field.name)}`),
  ];
  return candidateSql(model, entity, sql`SELECT ${join(columns, ", ")} ${from}`, "change");
};

interface UpdatedRows {
  readonly context: PlanContext;
  readonly entity: Entity;
  /** `update`, the name of a transition, or that of another action. */
  readonly action: string;
  readonly clause: string;
  /** The names of the columns that can change. */
  readonly changed: ReadonlySet<string>;
  /** True if the state changes. */
  readonly changesState: boolean;
  /** `FROM … WHERE …`. */
  readonly from: Sql;
  /** The alias of the table in `from`. */
  readonly alias?: string;
  /** The new values; those of the table expression `n` if absent. */
  readonly value?: ColumnValues;
  readonly numbers?: DrawnNumbers;
  /** Columns of the written rows; all if absent. */
  readonly returning?: Sql;
  /** The id of the audit line of the causing write. */
  readonly cause?: Sql;
  /** The person on whose behalf a deputy acts. */
  readonly actingFor?: Sql | undefined;
  /** `FROM` of the audit lines, with the records before (`c`) and after (`d`) the update. */
  readonly lines: Sql;
  /** True if the statement reads the audit lines. */
  readonly readsLines?: boolean;
  /** False if another statement raises the versions of the parents. */
  readonly raisesParents?: boolean;
}

/**
 * The table expressions of a statement that updates one or more records: the numbers of sequences, the updated rows
 * (`d`), an audit line for each (`a`), and the raised versions of their parents.
 */
export const updateRowsSql = ({
  context,
  entity,
  action,
  clause,
  changed,
  changesState,
  from,
  alias = TABLE.alias,
  value = candidateColumn,
  numbers = noNumbers,
  returning,
  cause,
  actingFor,
  lines,
  readsLines = false,
  raisesParents = true,
}: UpdatedRows): Sql => {
  const line = auditLine({
    entity,
    action,
    clause,
    version: context.version,
    changes: changesBetween(
      entity,
      [...changed, ...findGeneratedColumns(entity, changed)],
      CURRENT.alias,
      WRITTEN_ROWS.alias,
    ),
    ...(cause === undefined ? {} : { cause }),
    actingFor,
    from: lines,
  });
  const values = [...changed].map((name) => [name, numbers.value(name) ?? value(name)] as const);
  return sql`${numbers.tables}${WRITTEN_ROWS} AS (${updateSql(entity, alias, { values, changesState, from })} RETURNING ${returning ?? sql`${identifier(alias)}.*`}),
        ${LINES} AS (${line}${readsLines ? sql` RETURNING "id", "record"` : sql``})${raisesParents ? bumpParentVersions(context.model, entity, WRITTEN_ROWS.alias) : sql``}`;
};

/** The row of `t` to update is that of the table expression `n`. */
export const isCandidate = sql`${TABLE}."id" = ${CANDIDATE}."id"`;
