import { type Entity, type Field, isGiven } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import type { GivenPart } from "../input/parse-parts.ts";
import { columnTypeOf } from "../row/proposed-row.ts";
import { rowsWritten, type Written, type WrittenRow } from "../transaction/write-set.ts";
import type { Ordered } from "./match-order.ts";

/** A part of the record whose id is known by now. */
export interface Placed extends Ordered {
  readonly whole: string;
}

/** What was written of a list, where each stands in what was sent, and what was refused. */
export interface Done {
  readonly wave: Written;
  readonly places: readonly (readonly [id: string, at: string])[];
  readonly broken: readonly RefusalAt[];
}

/** The parts as they were sent: `p` has a row for each, and of each field what was given as text. */
export const sentParts = (entity: Entity): Sql => {
  const columns = [...entity.fields.values()]
    .filter(isGiven)
    .flatMap((field) => [
      sql`${identifier(`v:${field.name}`)} ${field.many ? sql`text[]` : sql`text`}`,
      ...(field.type === "slug" ? [sql`${identifier(`slug:${field.name}`)} text`] : []),
    ]);
  return sql`"p" AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(${slot("parts", "jsonb")}) AS "p"(${join([sql`"nth" integer`, sql`"id" uuid`, sql`"whole" uuid`, sql`"asked" text[]`, ...columns], ", ")}))`;
};

export const sentSlot = (parts: readonly Placed[]): string =>
  JSON.stringify(
    parts.map(({ id, whole, asked, lists, values, slugs }, nth) => ({
      nth,
      id,
      whole,
      asked: [...asked, ...lists],
      ...Object.fromEntries([...values].map(([name, value]) => [`v:${name}`, value])),
      ...Object.fromEntries(Object.entries(slugs).map(([name, slug]) => [`slug:${name}`, slug])),
    })),
  );

/** What was given for a field, as its column holds it. */
export const sentValue = (field: Field): Sql => sql`("p".${identifier(`v:${field.name}`)})::${columnTypeOf(field)}`;
/** Whether a part was given something for this field. */
export const isAsked = (name: string, of = "p"): Sql => sql`${constant(name)} = ANY(${identifier(of)}."asked")`;

/** The rows that were written with their verdicts, as what became of each part. */
export const doneOf = (
  wave: Omit<Written, "rows">,
  parts: readonly Placed[],
  rows: readonly Row[],
  brokenIn: (row: Row, part: GivenPart) => readonly RefusalAt[],
): Done => {
  const done: WrittenRow[] = [];
  const places: (readonly [string, string])[] = [];
  const broken: RefusalAt[] = [];
  for (const row of rows) {
    const part = parts[Number(row["is:nth"])];
    if (part === undefined) continue;
    places.push([String(row.id), part.at]);
    if (row.line !== null && row.line !== undefined) done.push(...rowsWritten([row]));
    const wrong = brokenIn(row, part);
    broken.push(...wrong.map((one) => ({ ...one, at: `${part.at}${one.at}` })));
    if (wrong.length === 0 && row.line === null && row["is:other"] !== false)
      throw new Error(`a part of ${wave.entity.name} was judged right and not written`);
  }
  return { wave: { ...wave, rows: done }, places, broken };
};
