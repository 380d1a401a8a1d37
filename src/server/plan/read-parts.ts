import { gatesOf } from "../../core/derive/access.ts";
import { MOST_PARTS, type PartList, partListsOf } from "../../core/derive/parts.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity } from "../../core/model/model.ts";
import { constant, identifier, type Sql, slot, sql } from "../../core/sql.ts";
import type { Row } from "../../postgres/database.ts";
import { type Asker, type Context, signatureOf, type Written } from "./context.ts";
import { tableOf } from "./environment.ts";
import { asCondition, type Eyes, eyesOf } from "./eyes.ts";
import { columnsOf, readerOf } from "./record.ts";

/** A list of parts that is read with its record. */
export interface PartsRead {
  readonly written: Written<unknown>;
  /** A column of the record: whether it shows the list to this person, where it does not on every record. */
  readonly shown: (eyes: Eyes) => readonly Sql[];
  /** The record's JSON with the parts in it. A list of more than a form takes is left out, so that nobody hands back half. */
  readonly into: (record: string, row: Row, rows: readonly Row[]) => string;
}

/** The lists of an entity's parts that this person reads, in the order of their places, or as they were made. */
export const partsRead = (context: Context, entity: Entity, asker: Asker, format: Format): readonly PartsRead[] =>
  partListsOf(context.model, entity).flatMap((one): readonly PartsRead[] => {
    const isEmpty = gatesOf(context.model, one.entity, "read", asker.person).length === 0;
    return isEmpty ||
      !eyesOf(context.model, entity, asker.person, "o").gates.some(
        ({ fields }) => fields === null || fields.has(one.list.name),
      )
      ? []
      : [listRead(context, entity, one, asker, format)];
  });

const wanted = { may: true, label: false };

const listRead = (
  context: Context,
  whole: Entity,
  { list, entity, field, place }: PartList,
  { person, tongue }: Asker,
  format: Format,
): PartsRead => {
  const { model } = context;
  const written = context.statements.get(`parts of ${whole.name}.${list.name} ${signatureOf(person)}`, () => {
    const eyes = eyesOf(model, entity, person, "t");
    const ofWhole = sql`"t".${identifier(field.name)} = ${slot("id", "uuid")}`;
    const order = place === null ? sql`"t"."id"` : sql`"t".${identifier(place.name)}, "t"."id"`;
    return {
      sql: sql`SELECT ${columnsOf(context, person, eyes, "t", wanted)} FROM ${tableOf(entity)} AS "t" WHERE ${ofWhole} AND ${asCondition(eyes.rows)} ORDER BY ${order} LIMIT ${constant(MOST_PARTS + 1)}`,
      more: readerOf(context, person, eyes, wanted, format),
    };
  });
  const text = (row: Row): string => written.more.text(row, tongue);
  return {
    written,
    shown: ({ seen }) => {
      const condition = seen(list.name);
      return condition === undefined ? [] : [sql`COALESCE(${condition}, FALSE) AS ${identifier(`seen:${list.name}`)}`];
    },
    into: (record, row, rows) =>
      rows.length > MOST_PARTS || row[`seen:${list.name}`] === false
        ? record
        : `${record.slice(0, -1)},"${list.name}":[${rows.map(text).join()}]}`,
  };
};
