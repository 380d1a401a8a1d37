import { toSql } from "../../expression/compile/to-sql.ts";
import type { Expr } from "../../expression/expr.ts";
import { kindOf } from "../../field/multi-valued.ts";
import { type Entity, type Field, isWritten, type Model, madeOf } from "../../model/model.ts";
import { constant, type Sql, sql, textOf, withSlots } from "../../sql.ts";
import { rowEnv } from "../sql/row-env.ts";
import type { Column } from "./table.ts";

/** Postgres writes some types in longer words; comparing needs its own. */
const catalogueType: { readonly [type: string]: string } = {
  "timestamptz(3)": "timestamp(3) with time zone",
  "numeric(38,10)": "numeric(38,10)",
  "time(0)": "time(0) without time zone",
};

/** Of what is computed, every digit is kept: a rounded one would not be what the expression says. */
export const typeOfColumn = (field: Field): string => {
  const { column } = kindOf(field);
  return field.type === "decimal" && madeOf(field) !== null ? "numeric" : column;
};

const columnType = (field: Field): string => {
  const type = typeOfColumn(field);
  const one = type.replace(/\[\]$/u, "");
  return type === one ? (catalogueType[type] ?? type) : `${catalogueType[one] ?? one}[]`;
};

export const system: readonly Column[] = [
  { name: "id", type: "uuid", required: true, references: null, initial: null, clause: "3" },
  { name: "version", type: "integer", required: true, references: null, initial: "1", clause: "3" },
  {
    name: "created_at",
    type: "timestamp(3) with time zone",
    required: true,
    references: null,
    initial: null,
    clause: "3",
  },
  {
    name: "updated_at",
    type: "timestamp(3) with time zone",
    required: true,
    references: null,
    initial: null,
    clause: "3",
  },
];

/**
 * When a record came into the state that it is in; what happens after a time is counted from there. Of records that are
 * there before this is, from now. It is the program's own: a document says nothing of it.
 */
export const STATE_SINCE = "state_since";

export const stateColumns = ({ states }: Entity): readonly Column[] =>
  states === null
    ? []
    : [
        {
          name: STATE_SINCE,
          type: "timestamp(3) with time zone",
          required: true,
          references: null,
          initial: "now()",
          clause: states.clause.id,
        },
      ];

/** People hold granted roles; they are no field of the document's, and no call writes them. */
export const userColumns: readonly Column[] = [
  { name: "roles", type: "text[]", required: true, references: null, initial: "'{}'", clause: "6.roles" },
  { name: "active", type: "boolean", required: true, references: null, initial: "true", clause: "7.sign in" },
];

export const columnOf = (field: Field, entity: Entity, model: Model): Column => {
  const { held } = field;
  return {
    name: field.name,
    type: columnType(field),
    // Of what is computed anything may come out missing; a record is not refused for it.
    required: held.as === "column" && (!field.optional || field.type === "boolean" || field.many),
    references: field.entity === null || field.many ? null : (model.entities.get(field.entity)?.table ?? null),
    initial: initialOf(field, entity),
    // No computed column may read another, so what it reads is written out.
    ...(held.as === "generated"
      ? { generated: textOf(toSql(held.from, rowEnv(model, entity, null, { hasColumn: isWritten })).value) }
      : {}),
    ...(held.as === "kept" ? { filled: textOf(filling(held.from, entity, model)) } : {}),
    clause: field.clause.id,
  };
};

/** What is kept from now on is computed once for the rows that are there, by nobody and at this moment. */
const filling = (from: Expr, entity: Entity, model: Model): Sql =>
  withSlots(toSql(from, rowEnv(model, entity, entity.table)).value, standing(model));

/** Nobody, and this moment. */
export const standing = (model: Model): Readonly<Record<string, Sql>> => ({
  user: sql`'00000000-0000-0000-0000-000000000000'::uuid`,
  now: sql`date_trunc('milliseconds', now())`,
  today: sql`(now() AT TIME ZONE ${constant(model.timezone)})::date`,
});

/** Rows that exist when a column comes: a state begins at the initial one, a boolean is false, an optional field is missing. */
const initialOf = (field: Field, entity: Entity): string | null => {
  if (madeOf(field) !== null) return null;
  if (field.many) return "'{}'";
  if (field.type === "state") return textOf(constant(entity.states?.initial ?? ""));
  return field.type === "boolean" ? "false" : null;
};
