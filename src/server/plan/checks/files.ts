import { fileRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { PICTURES } from "../../../core/field/file.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { type Field, isStored } from "../../../core/model/field.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import type { RefusalAt } from "../../refusal.ts";
import { CANDIDATE, FILES } from "../aliases.ts";
import { inputParam } from "../input/parse-input.ts";
import { type BooleanColumn, booleanColumn, readColumn } from "../result-columns.ts";
import type { FieldCheck } from "./check.ts";

/** Lifetime of an uploaded file without a record. */
export const UNNAMED_FILE_LIFETIME = sql`interval '24 hours'`;

export const isFileField = (field: Field | undefined): boolean =>
  field !== undefined && (field.type === "file" || field.type === "image") && isStored(field);

export const fileFields = (entity: Entity): readonly Field[] => [...entity.fields.values()].filter(isFileField);

/** The condition that a column refers to the file `f`. */
export const columnNamesFile = (column: Sql, many: boolean): Sql =>
  many
    ? sql`EXISTS (SELECT FROM unnest(${column}) AS "named"("one") WHERE "named"."one" ->> 'id' = ${FILES}.id::text)`
    : sql`(${column}) ->> 'id' = ${FILES}.id::text`;

/**
 * The stored value of sent files, in order: id, name, detected type and size. Accepts only files that the caller
 * uploaded within the last day, or that the field already contains. All others are left out.
 */
export const fileInputValue = (field: Field, current: string | null, input: Sql = inputParam(field)): Sql => {
  const pictures = join(
    PICTURES.map((type) => constant(type)),
    ", ",
  );
  const picture = field.type === "image" ? sql` AND ${FILES}.type IN (${pictures})` : sql``;
  const alreadyStored =
    current === null
      ? sql``
      : sql` OR ${columnNamesFile(sql`${identifier(current)}.${identifier(field.name)}`, field.many)}`;
  const known = sql`jsonb_build_object('id', ${FILES}.id, 'name', ${FILES}.name, 'type', ${FILES}.type, 'size', ${FILES}.size)`;
  const may = sql`${FILES}.size IS NOT NULL${picture} AND ((${FILES}.person = ${slot("user", "uuid")} AND ${FILES}.made_at > now() - ${UNNAMED_FILE_LIFETIME})${alreadyStored})`;
  return field.many
    ? sql`(SELECT COALESCE(array_agg(${known} ORDER BY "given"."nth"), '{}') FROM unnest(${input}) WITH ORDINALITY AS "given"("one", "nth") JOIN ninefold.file AS ${FILES} ON ${FILES}.id = ("given"."one" #>> '{}')::uuid WHERE ${may})`
    : sql`(SELECT ${known} FROM ninefold.file AS ${FILES} WHERE ${FILES}.id = (${input} #>> '{}')::uuid AND ${may})`;
};

const fileColumn = (field: string): BooleanColumn => booleanColumn(`file:${field}`);

/** Checks that every sent file was accepted. */
export const fileChecks = (
  fields: readonly Field[],
  inputOf: (field: Field) => Sql = inputParam,
): readonly FieldCheck[] =>
  fields.map((field) => {
    const accepted = sql`${CANDIDATE}.${identifier(field.name)}`;
    const areAllAccepted = field.many
      ? sql`cardinality(${accepted}) = cardinality(${inputOf(field)})`
      : sql`${accepted} IS NOT NULL`;
    return {
      field: field.name,
      column: fileColumn(field.name),
      condition: sql`(${inputOf(field)} IS NULL OR ${areAllAccepted})`,
    };
  });

export const brokenFiles = (fields: readonly Field[], row: Row): readonly RefusalAt[] =>
  fields.flatMap((field): RefusalAt[] =>
    readColumn(row, fileColumn(field.name)) === false
      ? [{ ...fileRefusal(field), values: { field: field.title } }]
      : [],
  );
