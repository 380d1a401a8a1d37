import { grantsFor } from "../../../core/derive/authorization/grants.ts";
import { conversationOf } from "../../../core/derive/client/comment-threads.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity } from "../../../core/model/model.ts";
import { type PartList, partListsOf } from "../../../core/model/parts.ts";
import { namesOfEntity } from "../../../core/model/renaming.ts";
import { constant, identifier, join, slot, sql } from "../../../core/sql.ts";
import type { PartLine } from "../../../core/wire/history.ts";
import type { Row } from "../../../postgres/database.ts";
import { type Asker, type Context, signatureOf } from "../context.ts";
import { labelOf, labelText } from "../row/labels.ts";
import { asCondition, eyesOf } from "../row/read-scope.ts";
import { tableOf } from "../row/sql-env.ts";
import type { Written } from "../statements.ts";
import { changesIn, labelsInLines, linesOf, type Reading, seenColumns, wordsOf } from "./lines.ts";

/** What came of the parts of one list, by the record's line that they were given with. */
export interface PartHistory {
  readonly queries: readonly Written<undefined>[];
  readonly read: (found: readonly (readonly Row[])[]) => ReadonlyMap<string, readonly PartLine[]>;
}

/** So many lines of one list are told; who wants to know more looks at the parts themselves. */
const MOST = 1_000;

/**
 * The parts that were added, changed and taken out with their record, as far as the person reads them. One that is gone is
 * judged as it was when it went. What people say about a record stands where they say it.
 */
export const partHistories = (
  context: Context,
  whole: Entity,
  asker: Asker,
  format: Format,
): readonly PartHistory[] => {
  const { model } = context;
  const eyes = eyesOf(model, whole, asker.person, "w");
  const isRead = ({ list, entity }: PartList) =>
    grantsFor(model, entity, "read", asker.person).length > 0 &&
    eyes.gates.some(({ fields }) => fields === null || fields.has(list.name));
  return partListsOf(model, whole)
    .filter((one) => isRead(one) && conversationOf(one.entity, one.field.name) === null)
    .map((one) => partHistory(context, whole, one, asker, format));
};

const partHistory = (
  context: Context,
  whole: Entity,
  { list, entity, field }: PartList,
  asker: Asker,
  format: Format,
): PartHistory => {
  const { model, past } = context;
  const { person } = asker;
  const eyes = eyesOf(model, entity, person, "t");
  const key = ["history of parts", whole.name, list.name, signatureOf(person)];
  const names = join(
    namesOfEntity(past, entity.name).map((name) => constant(name)),
    ", ",
  );
  const id = slot("id", "uuid");
  const lines = context.statements.get(key, () => {
    const ofWhole = eyesOf(model, whole, person, "w");
    return {
      more: undefined,
      sql: sql`SELECT ${join([sql`"a".cause AS "line", "a".action, "a".document, "a".changes`, sql`${labelOf(model, entity, person, "t")} AS "label"`, ...seenColumns(eyes)], ", ")}
        FROM (${linesOf(context, whole, sql`id, action`, sql`${id}`)}) AS "l"
        JOIN ninefold.audit AS "a" ON "a".cause = "l".id AND "l".action <> 'create' AND "a".entity IN (${names})
        LEFT JOIN ${tableOf(entity)} AS "c" ON "c"."id" = "a".record
        LEFT JOIN LATERAL (SELECT jsonb_object_agg("e".key, "e".value -> 0) AS "values" FROM ninefold.audit AS "d", jsonb_each("d".changes) AS "e"
          WHERE "c"."id" IS NULL AND "d".record = "a".record AND "d".action = 'delete') AS "gone" ON TRUE
        CROSS JOIN LATERAL jsonb_populate_record("c", CASE WHEN "c"."id" IS NULL THEN coalesce("gone"."values", '{}') || jsonb_build_object('id', "a".record) ELSE '{}' END) AS "t"
        WHERE EXISTS (SELECT FROM ${tableOf(whole)} AS "w" WHERE "w"."id" = ${id} AND ${asCondition(ofWhole.rows)} AND ${asCondition(ofWhole.seen(list.name))})
          AND "t".${identifier(field.name)} = ${id} AND ${asCondition(eyes.rows)}
        ORDER BY "a".id LIMIT ${constant(MOST)}`,
    };
  });
  const labels = labelsInLines(
    context,
    eyes,
    asker,
    ["labels", ...key],
    sql`entity IN (${names}) AND cause IN (SELECT id FROM ninefold.audit WHERE record = ${id})`,
  );
  return {
    queries: [lines, ...labels.map(({ written }) => written)],
    read: ([rows = [], ...found]) => {
      const reading: Reading = {
        entity,
        // What they are parts of, and where they stand among each other, is seen from where they stand.
        fields: eyes.fields.filter(({ name, type }) => name !== field.name && type !== "position"),
        words: wordsOf(labels, found, format),
        past,
      };
      const byLine = new Map<string, PartLine[]>();
      for (const row of rows) {
        const part = partLine(row, reading, list.name, format);
        // One that only moved up because another went is not told of.
        if (part.action === "update" && part.changes.length === 0) continue;
        const line = String(row.line);
        byLine.set(line, [...(byLine.get(line) ?? []), part]);
      }
      return byLine;
    },
  };
};

const partLine = (row: Row, reading: Reading, list: string, format: Format): PartLine => {
  const action = row.action === "create" || row.action === "delete" ? row.action : "update";
  return {
    list,
    entity: reading.entity.name,
    action,
    label: labelText(reading.entity.label, row.label, format),
    // One that came or went is told of as a whole.
    changes: action === "update" ? changesIn(row, reading) : [],
  };
};
