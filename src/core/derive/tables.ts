import { kinds } from "../field/kinds.ts";
import type { Entity, Field, Model } from "../model/model.ts";
import { readsOf } from "../rule/reads.ts";
import { toSql } from "../rule/to-sql.ts";
import { constant, identifier, join, render, type Sql, sql } from "../sql.ts";

/** A table as the document wants it: readable names, real constraints, each with the clause it comes from. */
export interface Table {
  readonly name: string;
  readonly clause: string;
  readonly columns: readonly Column[];
  readonly checks: readonly Check[];
  readonly indexes: readonly Index[];
}

export interface Column {
  readonly name: string;
  /** As `format_type` writes it: `timestamp(3) with time zone`. */
  readonly type: string;
  readonly required: boolean;
  /** The table that a reference refers to. */
  readonly references: string | null;
  /** SQL text of what existing rows get when the column is added; null where there is nothing to give. */
  readonly initial: string | null;
  readonly clause: string;
}

export interface Check {
  readonly name: string;
  readonly condition: string;
  /** For a choice or a state: the values, so that a longer list is known to be wider. */
  readonly values: readonly string[] | null;
  readonly clause: string;
}

export interface Index {
  readonly name: string;
  readonly on: string;
  readonly unique: boolean;
  readonly clause: string;
}

/** Postgres writes some types in longer words; comparing needs its own. */
const catalogueType: { readonly [type: string]: string } = {
  "timestamptz(3)": "timestamp(3) with time zone",
  "numeric(38,10)": "numeric(38,10)",
};

const columnType = (field: Field): string => {
  const { column } = kinds[field.type];
  return catalogueType[column] ?? column;
};

/** Names beyond 63 bytes are cut by Postgres, so a long one ends in a hash of the whole. */
const boundedName = (name: string): string => {
  if (name.length <= 63) return name;
  let hash = 5381;
  for (let i = 0; i < name.length; i++) hash = ((hash * 33) ^ name.charCodeAt(i)) >>> 0;
  return `${name.slice(0, 54)}_${hash.toString(36)}`;
};

export const checkName = (table: string, error: string): string => boundedName(`${table}_${error.toLowerCase()}`);
export const uniqueName = (table: string, field: string): string => boundedName(`${table}_${field}_unique`);
export const referenceName = (table: string, field: string): string => boundedName(`${table}_${field}_fkey`);

const textOf = (piece: Sql): string => {
  const { text, parameters } = render(piece);
  if (parameters.length > 0) throw new Error(`a definition holds no parameters: ${text}`);
  return text;
};

const system: readonly Column[] = [
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

/** People hold granted roles; they are no field of the document's, and no call writes them. */
const userColumns: readonly Column[] = [
  { name: "roles", type: "text[]", required: true, references: null, initial: "'{}'", clause: "6.roles" },
  { name: "active", type: "boolean", required: true, references: null, initial: "true", clause: "7.sign in" },
];

export const tablesOf = (model: Model): readonly Table[] =>
  [...model.entities.values()].map((entity) => tableOf(entity, model));

const tableOf = (entity: Entity, model: Model): Table => {
  const fields = [...entity.fields.values()];
  return {
    name: entity.table,
    clause: entity.clause.id,
    columns: [
      ...system,
      ...(entity.name === "User" ? userColumns : []),
      ...fields.map((field) => columnOf(field, entity, model)),
    ],
    checks: [...fields.flatMap((field) => choiceCheck(field, entity)), ...ruleChecks(entity)],
    indexes: [...fields.flatMap((field) => fieldIndexes(field, entity)), ...screenIndexes(entity, model)],
  };
};

const columnOf = (field: Field, entity: Entity, model: Model): Column => ({
  name: field.name,
  type: columnType(field),
  required: !field.optional || field.type === "boolean",
  references: field.entity === null ? null : (model.entities.get(field.entity)?.table ?? null),
  initial: initialOf(field, entity),
  clause: field.clause.id,
});

/** Rows that exist when a column comes: a state begins at the initial one, a boolean is false, an optional field is missing. */
const initialOf = (field: Field, entity: Entity): string | null => {
  if (field.type === "state") return textOf(constant(entity.states?.initial ?? ""));
  return field.type === "boolean" ? "false" : null;
};

const choiceCheck = (field: Field, entity: Entity): readonly Check[] => {
  if (field.type !== "choice" && field.type !== "state") return [];
  const values = join(
    field.values.map((one) => constant(one)),
    ", ",
  );
  return [
    {
      name: boundedName(`${entity.table}_${field.name}_values`),
      condition: textOf(sql`${identifier(field.name)} in (${values})`),
      values: field.values,
      clause: field.clause.id,
    },
  ];
};

/**
 * A rule becomes a constraint only where it reads its own record and is always in force. The server judges it first, so
 * that a person gets the document's error; the constraint holds against everything else that writes to the table.
 */
const ruleChecks = (entity: Entity): readonly Check[] =>
  entity.rules.flatMap((rule) => {
    const reads = readsOf(rule.rule);
    if (rule.during !== null || rule.when !== null || reads.user || reads.clock || reads.footprint.length > 0)
      return [];
    const condition = toSql(rule.rule, {
      field: (name) => ({ sql: identifier(name), missing: entity.fields.get(name)?.optional ?? false }),
    }).value;
    return [
      { name: checkName(entity.table, rule.error), condition: textOf(condition), values: null, clause: rule.clause.id },
    ];
  });

const fieldIndexes = (field: Field, entity: Entity): readonly Index[] => {
  const unique: readonly Index[] = field.unique
    ? [
        {
          name: uniqueName(entity.table, field.name),
          on: textOf(sql`(${uniqueKey(field)})`),
          unique: true,
          clause: field.clause.id,
        },
      ]
    : [];
  const reference: readonly Index[] =
    field.entity === null
      ? []
      : [
          {
            name: boundedName(`${entity.table}_${field.name}`),
            on: textOf(sql`(${identifier(field.name)}, "id")`),
            unique: false,
            clause: field.clause.id,
          },
        ];
  return [...unique, ...reference];
};

/** Email addresses are the same in any case. */
const uniqueKey = (field: Field): Sql =>
  field.type === "email" ? sql`lower(${identifier(field.name)})` : identifier(field.name);

/** Each list's order is an index that ends in the id, as its pages walk it. */
const screenIndexes = (entity: Entity, model: Model): readonly Index[] =>
  model.screens.flatMap((screen) => {
    if (screen.kind !== "list" || screen.entity !== entity.name || screen.sort.length === 0) return [];
    const keys = screen.sort.map((key) => sortKey(key));
    const direction = screen.sort[0]?.startsWith("-") ? sql` desc` : sql``;
    return [
      {
        name: boundedName(`${entity.table}_by_${screen.sort.map((key) => key.replace(/^-/u, "")).join("_")}`),
        on: textOf(sql`(${join([...keys, sql`"id"${direction}`], ", ")})`),
        unique: false,
        clause: screen.clause.id,
      },
    ];
  });

const sortKey = (key: string): Sql =>
  key.startsWith("-") ? sql`${identifier(key.slice(1))} desc nulls last` : sql`${identifier(key)} nulls last`;
