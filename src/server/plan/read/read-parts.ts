import { grantsFor } from "../../../core/derive/authorization/grants.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findPartLists, MOST_PARTS, type PartList } from "../../../core/model/facts/parts.ts";
import type { Format } from "../../../core/model/format.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { OWNER, PARENT, TABLE } from "../aliases.ts";
import { type Caller, type PlanContext, principalKey } from "../context.ts";
import { asText, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import { asCondition, type ReadScope, readScope, visibilityColumn } from "../row/read-scope.ts";
import { recordColumns, rowReader } from "../row/record-columns.ts";
import { tableSql } from "../row/sql-env.ts";
import type { Written } from "../statements.ts";

/** A list of parts that is read with its record. */
export interface PartListReader {
  /** The statement of the list, followed by those of nested lists; each reads the parts of all records at once. */
  readonly written: readonly Written<unknown>[];
  /** The column that tells if the list is visible on the record, if that varies. */
  readonly shown: (scope: ReadScope) => readonly Sql[];
  /**
   * Inserts the parts into the record's JSON. Leaves out a list longer than a form allows, so that nobody saves half of
   * it.
   */
  readonly into: (record: string, row: Row, rows: readonly (readonly Row[])[]) => string;
}

/** The readable lists of parts of an entity, ordered by position or creation. */
export const partListReaders = (
  context: PlanContext,
  entity: Entity,
  caller: Caller,
  format: Format,
): readonly PartListReader[] =>
  listsRead({ context, caller, format }, entity, sql`= ${slot("id", "uuid")}`, entity.name);

interface Reading {
  readonly context: PlanContext;
  readonly caller: Caller;
  readonly format: Format;
}

/** `parentIds`: a comparison with the ids of the parents. */
const listsRead = (reading: Reading, entity: Entity, parentIds: Sql, of: string): readonly PartListReader[] => {
  const { context, caller } = reading;
  return findPartLists(context.model, entity).flatMap((partList): readonly PartListReader[] => {
    const isEmpty = grantsFor(context.model, partList.entity, "read", caller.principal).length === 0;
    return isEmpty ||
      !readScope(context.model, entity, caller.principal, OWNER.alias).grants.some(
        ({ fields }) => fields === null || fields.has(partList.list.name),
      )
      ? []
      : [listRead(reading, partList, parentIds, `${of}.${partList.list.name}`)];
  });
};

const wanted = { may: true, label: false };

/** The id of the parent. */
const WHOLE = resultColumn("is:whole", asText);

const listRead = (
  reading: Reading,
  { list, entity, field, place }: PartList,
  parentIds: Sql,
  name: string,
): PartListReader => {
  const { context, caller, format } = reading;
  const { model } = context;
  const { principal, phrases } = caller;
  const by = identifier(field.name);
  const own = listsRead(
    reading,
    entity,
    sql`IN (SELECT ${PARENT}."id" FROM ${tableSql(entity)} AS ${PARENT} WHERE ${PARENT}.${by} ${parentIds})`,
    name,
  );
  const written = context.statements.get(["parts of", name, principalKey(principal)], () => {
    const scope = readScope(model, entity, principal, TABLE.alias);
    const order = place === null ? sql`${TABLE}."id"` : sql`${TABLE}.${identifier(place.name)}, ${TABLE}."id"`;
    const columns = [
      recordColumns(context, principal, scope, TABLE.alias, wanted),
      selectAs(sql`${TABLE}.${by}`, WHOLE),
      ...own.flatMap(({ shown }) => shown(scope)),
    ];
    return {
      sql: sql`SELECT ${join(columns, ", ")} FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}.${by} ${parentIds} AND ${asCondition(scope.rows)} ORDER BY ${order} LIMIT ${constant(MOST_PARTS + 1)}`,
      more: rowReader(context, principal, scope, wanted, format),
    };
  });
  return {
    written: [written, ...own.flatMap((reader) => reader.written)],
    shown: ({ visibleWhen }) => {
      const condition = visibleWhen(list.name);
      return condition === undefined ? [] : [selectAs(sql`COALESCE(${condition}, FALSE)`, visibilityColumn(list.name))];
    },
    into: (record, row, [rows = [], ...below]) => {
      if (rows.length > MOST_PARTS || readColumn(row, visibilityColumn(list.name)) === false) return record;
      const texts = rows
        .filter((part) => readColumn(part, WHOLE) === row.id)
        .map((part) => {
          let from = 0;
          return own.reduce(
            (text, inner) => {
              const ownRows = below.slice(from, from + inner.written.length);
              from += inner.written.length;
              return inner.into(text, part, ownRows);
            },
            written.more.text(part, phrases),
          );
        });
      return `${record.slice(0, -1)},"${list.name}":[${texts.join()}]}`;
    },
  };
};
