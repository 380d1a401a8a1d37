import { PICTURES } from "../../core/field/file.ts";
import { type Entity, type Field, isStored } from "../../core/model/model.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../core/sql.ts";
import type { Row } from "../../postgres/database.ts";
import type { RefusalAt } from "../refusal.ts";
import { givenSlot } from "./given.ts";
import { CANDIDATE, type Verdict } from "./judge.ts";

/** A file that was sent and that no record names is there for a day. */
export const UNBOUND = sql`interval '24 hours'`;

export const isFile = (field: Field | undefined): boolean =>
  field !== undefined && (field.type === "file" || field.type === "image") && isStored(field);

export const fileFields = (entity: Entity): readonly Field[] => [...entity.fields.values()].filter(isFile);

/** The id that a column names; an index of each such column is by it. */
const idOfFile = (field: Field, alias: string | null): Sql =>
  alias === null
    ? sql`${identifier(field.name)} ->> 'id'`
    : sql`${identifier(alias)}.${identifier(field.name)} ->> 'id'`;

/**
 * What a column keeps of a file that is given: its id, its name, its type as its bytes show it, its size. NULL where it
 * may not be given: whoever gives a file sent it themselves, within the last day, or leaves the one that is there.
 */
export const givenFile = (field: Field, current: string | null): Sql => {
  const given = sql`${givenSlot(field)} #>> '{}'`;
  const pictures = join(
    PICTURES.map((type) => constant(type)),
    ", ",
  );
  const picture = field.type === "image" ? sql` AND "f".type IN (${pictures})` : sql``;
  const kept = current === null ? sql`` : sql` OR ${idOfFile(field, current)} = "f".id::text`;
  return sql`(SELECT jsonb_build_object('id', "f".id, 'name', "f".name, 'type', "f".type, 'size', "f".size) FROM ninefold.file AS "f" WHERE "f".id = (${given})::uuid AND "f".size IS NOT NULL${picture} AND (("f".person = ${slot("user", "uuid")} AND "f".made_at > now() - ${UNBOUND})${kept}))`;
};

/** A file that is given is there. */
export const fileVerdicts = (fields: readonly Field[]): readonly Verdict[] =>
  fields.map((field) => ({
    column: `file:${field.name}`,
    condition: sql`(${givenSlot(field)} IS NULL OR ${identifier(CANDIDATE)}.${identifier(field.name)} IS NOT NULL)`,
  }));

export const brokenFiles = (fields: readonly Field[], row: Row): readonly RefusalAt[] =>
  fields.flatMap((field): RefusalAt[] =>
    row[`file:${field.name}`] === false
      ? [
          {
            at: `/${field.name}`,
            code: field.type === "image" ? "NO_SUCH_PICTURE" : "NO_SUCH_FILE",
            clause: field.clause.id,
            values: { field: field.title },
          },
        ]
      : [],
  );
