import { type SqlEnv, toSql } from "../../expression/compile/to-sql.ts";
import type { Expr } from "../../expression/expr.ts";
import { getFieldKind } from "../../field/multi-valued.ts";
import type { SeriesPart } from "../../field/sequence.ts";
import type { Entity } from "../../model/entity.ts";
import { computedExpr, type Field, isWritten } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { constant, definitionText, type Sql, slot, sql, withSlots } from "../../sql.ts";
import { rowEnv } from "../sql/row-env.ts";
import type { Column, Conversion, Counter } from "./table.ts";

/** Type names as in Postgres's catalogue, for comparison. */
const catalogueType: { readonly [type: string]: string } = {
  "timestamptz(3)": "timestamp(3) with time zone",
  "numeric(38,10)": "numeric(38,10)",
  "time(0)": "time(0) without time zone",
};

/** A computed decimal keeps all its digits, since rounding would change the result of its expression. */
export const typeOfColumn = (field: Field): string => {
  const { column } = getFieldKind(field);
  return field.type === "decimal" && computedExpr(field) !== null ? "numeric" : column;
};

/** The type of the column as in Postgres’s catalogue. */
export const columnType = (field: Field): string => toCatalogueType(typeOfColumn(field));

const toCatalogueType = (type: string): string => {
  const item = type.replace(/\[\]$/u, "");
  return type === item ? (catalogueType[type] ?? type) : `${catalogueType[item] ?? item}[]`;
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
 * Time when a record entered its current state, from which timeouts count; for records older than the column, the time
 * of the migration. An internal column, unknown to the document.
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

/** Internal columns of people: granted roles and the active flag. No call writes them as fields. */
export const userColumns: readonly Column[] = [
  { name: "roles", type: "text[]", required: true, references: null, initial: "'{}'", clause: "6.roles" },
  { name: "active", type: "boolean", required: true, references: null, initial: "true", clause: "7.sign in" },
];

export const buildColumn = (field: Field, entity: Entity, model: Model): Column => {
  const { storage } = field;
  return {
    name: field.name,
    type: columnType(field),
    // A computed value can always be missing, and that must not refuse the write.
    required: storage.as === "column" && (!field.optional || field.type === "boolean" || field.many),
    references: field.entity === null || field.many ? null : (model.entities.get(field.entity)?.table ?? null),
    initial: findInitialValue(field, entity),
    // A generated column cannot read another, so its inputs are inlined.
    ...(storage.as === "generated"
      ? { generated: definitionText(toSql(storage.from, rowEnv(model, entity, null, { hasColumn: isWritten })).value) }
      : {}),
    ...(storage.as === "stored" ? { filled: definitionText(filling(storage.from, entity, model)) } : {}),
    ...(field.fill === null
      ? {}
      : field.former.length > 0
        ? { conversion: buildConversion(field, field.fill, entity, model) }
        : { fill: definitionText(filling(field.fill, entity, model)) }),
    ...(field.series === null ? {} : { counter: toCounter(field, field.series.parts, entity, model) }),
    clause: field.clause.id,
  };
};

/** The column of a value that only an act has. Its last value must not keep anything else from changing. */
export const buildActColumn = (field: Field): Column => ({
  name: field.name,
  type: columnType(field),
  required: false,
  references: null,
  initial: null,
  clause: field.clause.id,
});

const toCounter = (field: Field, parts: readonly SeriesPart[], entity: Entity, { timezone }: Model): Counter => ({
  key: `${entity.table}.${field.name}`,
  text: field.type === "integer sequence" ? null : { parts, timezone },
});

/** Fills a new `kept` column of existing rows, computed for an anonymous user at the time of the migration. */
const filling = (from: Expr, entity: Entity, model: Model): Sql =>
  withSlots(toSql(from, rowEnv(model, entity, entity.table)).value, anonymousSlots(model));

const buildConversion = (field: Field, fill: Expr, entity: Entity, model: Model): Conversion => {
  const optional = new Map<string, boolean>(
    field.former.map(({ name, type, many }) => [`was.${name}`, !many && type !== "boolean"] as const),
  );
  const env: SqlEnv = {
    ...rowEnv(model, entity, entity.table),
    names: (name) => ({ sql: { kind: "sql", parts: [slot(name)] }, missing: optional.get(name) ?? true }),
  };
  const asSql = (expr: Expr): Sql => withSlots(toSql(expr, env).value, anonymousSlots(model));
  return {
    former: field.former.map((former) => ({
      name: former.name,
      type: toCatalogueType(getFieldKind(former).column),
      references: former.entity === null || former.many ? null : (model.entities.get(former.entity)?.table ?? null),
    })),
    value: asSql(fill),
    isEmptied: asSql(emptied(fill)),
    isDeclared: true,
  };
};

/** The condition under which an expression has no value because an alternative of it is `null`. */
const emptied = (expr: Expr): Expr => {
  const { span } = expr;
  const always = (value: boolean): Expr => ({
    kind: "constant",
    value,
    type: { kind: "boolean" },
    missing: false,
    span,
  });
  if (expr.kind === "constant") return always(expr.value === null);
  const [condition, one, other] = expr.kind === "call" && expr.row === "boolean ? any : any" ? expr.args : [];
  if (expr.kind !== "call" || condition === undefined || one === undefined || other === undefined) return always(false);
  return {
    kind: "call",
    row: "boolean ? boolean : boolean",
    args: [condition, emptied(one), emptied(other)],
    zone: expr.zone,
    type: { kind: "boolean" },
    missing: false,
    span,
  };
};

/** Values of the slots in statements without a caller: the anonymous user and the current time. */
export const anonymousSlots = (model: Model): Readonly<Record<string, Sql>> => ({
  user: sql`'00000000-0000-0000-0000-000000000000'::uuid`,
  now: sql`date_trunc('milliseconds', now())`,
  today: sql`(now() AT TIME ZONE ${constant(model.timezone)})::date`,
});

/** Initial values for existing rows: the initial state, false, an empty list, or missing. */
const findInitialValue = (field: Field, entity: Entity): string | null => {
  if (computedExpr(field) !== null) return null;
  if (field.many) return "'{}'";
  if (field.type === "state") return definitionText(constant(entity.states?.initial ?? ""));
  return field.type === "boolean" ? "false" : null;
};
