import type { Entity } from "../../../core/model/entity.ts";
import { type Field, isPlainColumn } from "../../../core/model/field.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { SENT } from "../aliases.ts";
import { DIFFERS } from "../checks/check.ts";
import type { PartInput } from "../input/parse-parts.ts";
import { readColumn } from "../result-columns.ts";
import { columnTypeSql } from "../row/proposed-row.ts";
import { NTH } from "../transaction/insert-rows.ts";
import { changedRow, type WriteSet, type WrittenRow } from "../transaction/write-set.ts";
import { tableAs } from "../transaction/write-statement.ts";
import type { OrderedPart } from "./match-order.ts";

/** A part with the id of its parent. */
export interface PlacedPart extends OrderedPart {
  readonly parent: string;
}

/** The result of writing a list: the write set, the pointer of each part in the request, and refusals. */
export interface PartsOutcome {
  readonly wave: WriteSet;
  readonly places: readonly (readonly [id: string, at: string])[];
  readonly broken: readonly RefusalAt[];
}

/** The sent parts as table `p`: one row per part, with sent values as text. */
export const sentPartsSql = (entity: Entity): Sql => {
  const columns = [...entity.fields.values()]
    .filter(isPlainColumn)
    .flatMap((field) => [
      sql`${identifier(`v:${field.name}`)} ${field.many ? sql`text[]` : sql`text`}`,
      ...(field.type === "slug" ? [sql`${identifier(`slug:${field.name}`)} text`] : []),
    ]);
  const all = [sql`"nth" integer`, sql`"id" uuid`, sql`"whole" uuid`, sql`"asked" text[]`, ...columns];
  return tableAs(SENT, sql`SELECT * FROM jsonb_to_recordset(${slot("parts", "jsonb")}) AS ${SENT}(${join(all, ", ")})`);
};

export const sentPartsParam = (parts: readonly PlacedPart[]): string =>
  JSON.stringify(
    parts.map(({ id, parent, sentFields, lists, values, slugs }, nth) => ({
      nth,
      id,
      whole: parent,
      asked: [...sentFields, ...lists],
      ...Object.fromEntries([...values].map(([name, value]) => [`v:${name}`, value])),
      ...Object.fromEntries(Object.entries(slugs).map(([name, slug]) => [`slug:${name}`, slug])),
    })),
  );

/** The sent value of a field, cast to its column type. */
export const sentValueSql = (field: Field): Sql =>
  sql`(${SENT}.${identifier(`v:${field.name}`)})::${columnTypeSql(field)}`;
/** The condition that the part has a sent value for the field. */
export const isSentSql = (name: string, of = SENT.alias): Sql =>
  sql`${constant(name)} = ANY(${identifier(of)}."asked")`;

/** Decodes the written rows with their checks into the result for each part. */
export const decodePartsOutcome = (
  writeSet: Omit<WriteSet, "rows">,
  parts: readonly PlacedPart[],
  rows: readonly Row[],
  brokenIn: (row: Row, part: PartInput) => readonly RefusalAt[],
): PartsOutcome => {
  const done: WrittenRow[] = [];
  const places: (readonly [string, string])[] = [];
  const broken: RefusalAt[] = [];
  for (const row of rows) {
    const part = parts[readColumn(row, NTH)];
    if (part === undefined) continue;
    const written = changedRow.read(row);
    places.push([written.id, part.at]);
    if (written.line !== null) done.push(written);
    const wrong = brokenIn(row, part);
    broken.push(...wrong.map((error) => ({ ...error, at: `${part.at}${error.at}` })));
    if (wrong.length === 0 && written.line === null && readColumn(row, DIFFERS) !== false)
      throw new Error(`a part of ${writeSet.entity.name} passed every check and was not written`);
  }
  return { wave: { ...writeSet, rows: done }, places, broken };
};
