import { referenceRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { identifier, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { ELEMENTS, OTHER } from "../aliases.ts";
import type { Caller, PlanContext } from "../context.ts";
import { type BooleanColumn, booleanColumn, readColumn } from "../result-columns.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { type ColumnValues, tableSql } from "../row/sql-env.ts";
import { candidateColumn, type FieldCheck } from "./check.ts";

const referenceColumn = (field: string): BooleanColumn => booleanColumn(`ref:${field}`);

/**
 * A sent reference must refer to a record that the caller can read; others count as not found. A field with several
 * references can keep existing ones that are unreadable.
 */
export const referenceChecks = (
  context: PlanContext,
  caller: Caller,
  entity: Entity,
  names: Iterable<string>,
  current: string | null,
  candidate: ColumnValues = candidateColumn,
): readonly FieldCheck[] =>
  [...names].flatMap((name) => {
    const target = context.model.entities.get(entity.fields.get(name)?.entity ?? "");
    if (target === undefined) return [];
    const scope = readScope(context.model, target, caller.principal, OTHER.alias);
    const input = candidate(name);
    const isReadableRecord = (one: Sql) =>
      sql`EXISTS (SELECT FROM ${tableSql(target)} AS ${OTHER} WHERE ${OTHER}."id" = ${one} AND ${asCondition(scope.rows)})`;
    if (entity.fields.get(name)?.many !== true)
      return [
        {
          field: name,
          column: referenceColumn(name),
          condition: sql`(${input} IS NULL OR ${isReadableRecord(input)})`,
        },
      ];
    const isUnchanged = current === null ? sql`` : sql`"one" = ANY(${identifier(current)}.${identifier(name)}) OR `;
    return [
      {
        field: name,
        column: referenceColumn(name),
        condition: sql`NOT EXISTS (SELECT FROM unnest(${input}) AS ${ELEMENTS}("one") WHERE NOT (${isUnchanged}${isReadableRecord(sql`${ELEMENTS}."one"`)}))`,
      },
    ];
  });

export const brokenReferences = (entity: Entity, names: Iterable<string>, row: Row): readonly RefusalAt[] =>
  [...names].flatMap((name): RefusalAt[] => {
    const field = entity.fields.get(name);
    if (field === undefined || readColumn(row, referenceColumn(name)) !== false) return [];
    return [{ ...referenceRefusal(field), values: { field: field.title } }];
  });
