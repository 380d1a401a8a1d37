import { kindOf } from "../field/many.ts";
import {
  type Entity,
  type Field,
  isStored,
  isWritten,
  type Model,
  madeOf,
  type TogetherRule,
  type ValidationRule,
} from "../model/model.ts";
import type { Expr } from "../rule/expr.ts";
import { type Kind, kinds as ruleKinds } from "../rule/kinds.ts";
import { isOfOwnRow } from "../rule/own-row.ts";
import { readsOf } from "../rule/reads.ts";
import { toSql } from "../rule/to-sql.ts";
import { constant, identifier, join, render, type Sql, sql, withSlots } from "../sql.ts";
import type { FieldTypeName } from "../wire/entities.ts";
import { environmentOf } from "./environment.ts";
import { isSearched } from "./lists.ts";
import { type Order, ordersOf } from "./orders.ts";
import { readOfSource, rowFields, rowsSql } from "./rows.ts";
import { amongOf, exclusionOf, sameKey, uniqueOf } from "./together.ts";

/** A table as the document wants it: readable names, real constraints, each with the clause it comes from. */
export interface Table {
  readonly name: string;
  readonly clause: string;
  readonly columns: readonly Column[];
  readonly checks: readonly Check[];
  readonly indexes: readonly Index[];
  readonly exclusions: readonly Exclusion[];
  /** Of a table of links: the column of which they are. */
  readonly links?: Links;
  /** Of rows that exist because of others: how Postgres keeps them. */
  readonly kept?: Kept;
}

export interface Kept {
  /** The functions by which it does, whose triggers go with them. */
  readonly functions: readonly string[];
  /** SQL text that makes functions, triggers and rows, each statement by itself. */
  readonly run: readonly string[];
  /** What is not the same is made anew. */
  readonly hash: string;
}

/**
 * Several references stand in an array, in their order, and Postgres keeps a row for each beside it: an index by which a
 * record that is referred to finds those that do, and the foreign key that arrays cannot have.
 */
export interface Links {
  /** The table and the column of the array. */
  readonly of: string;
  readonly column: string;
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
  /** SQL text of what Postgres computes it by; absent for a column that is written. */
  readonly generated?: string;
  /** What goes when the row that it refers to goes; absent where that row then stays. */
  readonly goesWith?: true;
  /** Of a table as it is: a reference that is looked at with every statement, where it should be with the transaction. */
  readonly hasty?: true;
  /** SQL text by which the rows that are there get their value, from others of theirs or of other tables. */
  readonly filled?: string;
  readonly clause: string;
}

export interface Check {
  readonly name: string;
  readonly condition: string;
  /** For a choice or a state: the values, so that a longer list is known to be wider. */
  readonly values: readonly string[] | null;
  /** A type's own bounds are held quietly; what the document says is told. */
  readonly of: "type" | "document";
  readonly clause: string;
}

export interface Index {
  readonly name: string;
  readonly on: string;
  readonly unique: boolean;
  /**
   * A unique one of columns alone is a constraint that waits: rows may change places in one statement, and steps of one
   * transaction too.
   */
  readonly waits?: true;
  /** Nothing is wrong without it, only slow: it is made while everybody works, and not with the change that wants it. */
  readonly later?: true;
  /** Of a unique one, a query with a row for each value that stands there more than once. */
  readonly twice?: string;
  readonly clause: string;
}

/** Rows that may not stand beside each other: `exclude using gist (…)`. */
export interface Exclusion {
  readonly name: string;
  readonly definition: string;
  /** They may not be the same, where others may not overlap. */
  readonly same?: true;
  readonly clause: string;
}

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

const hashOf = (text: string): string => {
  let hash = 5381;
  for (let i = 0; i < text.length; i++) hash = ((hash * 33) ^ text.charCodeAt(i)) >>> 0;
  return hash.toString(36);
};

/**
 * The name of an index or a constraint: the table, two underscores, what it is, of what. No table has two underscores in
 * its name, and what it is comes before what authors name, so that no two names meet. Postgres cuts names beyond 63
 * bytes; a longer one ends in a hash of the whole.
 */
const nameOf = (
  table: string,
  is: "unique" | "of" | "words" | "ref" | "fk" | "by" | "values" | "bounds" | "rule" | "together" | "links" | "rows",
  of: string,
): string => {
  const name = `${table}__${is}_${of}`;
  return name.length <= 63 ? name : `${name.slice(0, 54)}_${hashOf(name)}`;
};

export const uniqueName = (table: string, field: string): string => nameOf(table, "unique", field);
export const referenceName = (table: string, field: string): string => nameOf(table, "fk", field);
/** The table of the links of a field that holds several references, and the foreign key to what it refers to. */
export const linksName = (table: string, field: string): string => nameOf(table, "links", field);
export const linkName = (table: string, field: string): string => referenceName(linksName(table, field), "refers");

/** Several rules may raise one error; each is a constraint of its own, told apart by a number, with which no code begins. */
export const ruleName = (entity: Entity, rule: ValidationRule): string => {
  const before = entity.rules.slice(0, entity.rules.indexOf(rule)).filter((one) => one.error === rule.error).length;
  return nameOf(entity.table, "rule", `${before === 0 ? "" : `${before + 1}_`}${rule.error.toLowerCase()}`);
};

/** The same for what holds between records. */
export const togetherName = (entity: Entity, rule: TogetherRule): string => {
  const before = entity.together
    .slice(0, entity.together.indexOf(rule))
    .filter((one) => one.error === rule.error).length;
  return nameOf(entity.table, "together", `${before === 0 ? "" : `${before + 1}_`}${rule.error.toLowerCase()}`);
};

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

/** When a record came into the state that it is in; what happens after a time is counted from there. Of records that are there before this is, from now. */
/** Since when a record is in its state: the program's own, of which a document says nothing. */
export const STATE_SINCE = "state_since";

const stateColumns = ({ states }: Entity): readonly Column[] =>
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

/** What is due is found by its state, in the order in which it came there. */
const dueIndexes = ({ table, states }: Entity): readonly Index[] =>
  states === null || ![...states.transitions.values()].some(({ timeout }) => timeout !== null)
    ? []
    : [
        {
          name: nameOf(table, "by", STATE_SINCE),
          on: textOf(sql`(${identifier(states.field)}, ${identifier(STATE_SINCE)})`),
          unique: false,
          clause: states.clause.id,
        },
      ];

/** People hold granted roles; they are no field of the document's, and no call writes them. */
const userColumns: readonly Column[] = [
  { name: "roles", type: "text[]", required: true, references: null, initial: "'{}'", clause: "6.roles" },
  { name: "active", type: "boolean", required: true, references: null, initial: "true", clause: "7.sign in" },
];

/** Where texts are searched by an index of their trigrams: the schema of `pg_trgm`, and the tables that are large enough. */
export interface Trigrams {
  readonly schema: string;
  readonly tables: ReadonlySet<string>;
}

export const tablesOf = (model: Model, trigrams: Trigrams | null = null): readonly Table[] => {
  const along = alongOf(model);
  return [...model.entities.values()].flatMap((entity) => {
    const bare = tableOf(entity, model, along);
    const table = { ...bare, indexes: [...bare.indexes, ...searchIndexes(model, entity, trigrams)] };
    return [entity.rows === null ? table : keptTable(table, entity, model), ...linksOf(entity, model)];
  });
};

/** A table whose rows Postgres makes when a source is written, and takes away with it. */
const keptTable = (table: Table, entity: Entity, model: Model): Table => {
  const sources = (entity.rows?.sources ?? []).flatMap((source) => ("entity" in source ? [source] : []));
  const columns = table.columns.map((column) =>
    column.references === null ? column : { ...column, goesWith: true as const },
  );
  const fields = [...rowFields(entity)];
  const names = join(["id", "version", "created_at", "updated_at", ...fields].map(identifier), ", ");
  const into = sql`"app".${identifier(table.name)}`;
  const kept = [...entity.fields.values()].filter(({ held }) => held.as === "kept").map(({ name }) => identifier(name));
  const differs = sql`(${join(
    kept.map((name) => sql`"t".${name}`),
    ", ",
  )}) is distinct from (${join(
    kept.map((name) => sql`excluded.${name}`),
    ", ",
  )})`;
  const again =
    kept.length === 0
      ? sql`do nothing`
      : sql`do update set ${join(
          [
            sql`"version" = "t"."version" + 1`,
            sql`"updated_at" = excluded."updated_at"`,
            ...kept.map((name) => sql`${name} = excluded.${name}`),
          ],
          ", ",
        )} where ${differs}`;
  const insert = (from: Sql): Sql => sql`insert into ${into} as "t" (${names}) ${from} on conflict ("id") ${again}`;
  const byNobody = (piece: Sql): Sql => withSlots(piece, standing(model));
  const functions = sources.map((source) => {
    const name = nameOf(table.name, "rows", source.name);
    const owner = sql`"app".${identifier(model.entities.get(source.entity)?.table ?? "")}`;
    const fresh = rowsSql(model, entity, { only: { id: sql`new."id"`, sources: [source] } });
    const read = [...readOfSource(entity, source)].map(
      (column) => sql`old.${identifier(column)} is distinct from new.${identifier(column)}`,
    );
    const body = byNobody(
      sql`with "fresh" as materialized (${fresh}), "gone" as (delete from ${into} where ${identifier(source.name)} = new."id" and "id" not in (select "id" from "fresh")) ${insert(sql`select ${names} from "fresh"`)}`,
    );
    const trigger = (when: string, condition: Sql): Sql =>
      sql`create trigger ${identifier(`${name.slice(0, 56)}_${when}`)} after ${{ kind: "sql", parts: [when] }} on ${owner} for each row ${condition}execute function "app".${identifier(name)}()`;
    return {
      name,
      run: [
        textOf(
          sql`create function "app".${identifier(name)}() returns trigger language plpgsql as $rows$ begin ${body}; return null; end $rows$`,
        ),
        textOf(trigger("insert", sql``)),
        ...(read.length === 0 ? [] : [textOf(trigger("update", sql`when (${join(read, " or ")}) `))]),
      ],
    };
  });
  const run = [...functions.flatMap((one) => one.run), textOf(byNobody(insert(rowsSql(model, entity))))];
  const made = { ...table, columns };
  return {
    ...made,
    kept: { functions: functions.map(({ name }) => name), run, hash: hashOf(JSON.stringify([made, run])) },
  };
};

/** A row for each link. It goes with the record that refers, and stands against the end of the one that is referred to. */
const linksOf = (entity: Entity, model: Model): readonly Table[] =>
  [...entity.fields.values()].flatMap((field) => {
    const target = field.many && isStored(field) ? model.entities.get(field.entity ?? "") : undefined;
    if (target === undefined) return [];
    const name = linksName(entity.table, field.name);
    const clause = field.clause.id;
    const end = { type: "uuid", required: true, initial: null, clause } as const;
    return [
      {
        name,
        clause,
        columns: [
          { ...end, name: "record", references: entity.table, goesWith: true },
          { ...end, name: "refers", references: target.table },
        ],
        checks: [],
        indexes: [
          { name: nameOf(name, "unique", "record"), on: `("record", "refers")`, unique: true, clause },
          { name: nameOf(name, "by", "refers"), on: `("refers", "record")`, unique: false, clause },
        ],
        exclusions: [],
        links: { of: entity.table, column: field.name },
      },
    ];
  });

/** What a text is searched as, wherever it is: in small letters, by code point. */
export const searchedAs = (column: Sql): Sql => sql`lower(${column})`;

/** The fields that a search of an entity looks at, where an index can serve it: each a text of its own in the table. */
export const indexedTexts = (entity: Entity): readonly Field[] | null => {
  const searched = [...entity.fields.values()].filter(isSearched);
  return searched.length > 0 && searched.every((field) => isStored(field) && !field.many) ? searched : null;
};

const searchIndexes = (model: Model, entity: Entity, trigrams: Trigrams | null): readonly Index[] => {
  if (trigrams?.tables.has(entity.table) !== true) return [];
  if (!model.screens.some((screen) => screen.kind === "list" && screen.entity === entity.name)) return [];
  const kind = sql`${identifier(trigrams.schema)}.gin_trgm_ops`;
  return (indexedTexts(entity) ?? []).map((field) => ({
    name: nameOf(entity.table, "words", field.name),
    on: textOf(sql`using gin (${searchedAs(identifier(field.name))} ${kind})`),
    unique: false,
    later: true,
    clause: field.clause.id,
  }));
};

const tableOf = (entity: Entity, model: Model, along: Along): Table => {
  const fields = [...entity.fields.values()].filter(isStored);
  // What is computed is of its type already.
  const given = fields.filter((field) => madeOf(field) === null);
  const orders = ordersOf(model, entity);
  return {
    name: entity.table,
    clause: entity.clause.id,
    columns: [
      ...system,
      ...(entity.name === "User" ? userColumns : []),
      ...stateColumns(entity),
      ...fields.map((field) => columnOf(field, entity, model)),
    ],
    checks: [
      ...given.flatMap((field) => [...choiceCheck(field, entity), ...boundsCheck(field, entity)]),
      ...ruleChecks(entity, model),
    ],
    indexes: [
      ...fields.flatMap((field) => fieldIndexes(field, entity, orders[0], readAlong(along, entity, field))),
      ...entity.together.filter((rule) => !isExclusion(rule, entity)).map((rule) => togetherIndex(rule, entity, model)),
      ...listIndexes(orders, entity),
      ...dueIndexes(entity),
    ],
    exclusions: entity.together
      .filter((rule) => isExclusion(rule, entity))
      .map((rule) => ({
        name: togetherName(entity, rule),
        definition: textOf(exclusionOf(model, entity, rule)),
        ...(rule.range === null ? { same: true as const } : {}),
        clause: rule.clause.id,
      })),
  };
};

const columnOf = (field: Field, entity: Entity, model: Model): Column => {
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
      ? { generated: textOf(toSql(held.from, environmentOf(model, entity, null, { hasColumn: isWritten })).value) }
      : {}),
    ...(held.as === "kept" ? { filled: textOf(filling(held.from, entity, model)) } : {}),
    clause: field.clause.id,
  };
};

/** What is kept from now on is computed once for the rows that are there, by nobody and at this moment. */
const filling = (from: Expr, entity: Entity, model: Model): Sql =>
  withSlots(toSql(from, environmentOf(model, entity, entity.table)).value, standing(model));

/** Nobody, and this moment. */
const standing = (model: Model): Readonly<Record<string, Sql>> => ({
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

const choiceCheck = (field: Field, entity: Entity): readonly Check[] => {
  if (field.type !== "choice" && field.type !== "state") return [];
  const values = join(
    field.values.map((one) => constant(one)),
    ", ",
  );
  return [
    {
      name: nameOf(entity.table, "values", field.name),
      condition: textOf(
        field.many
          ? sql`${identifier(field.name)} <@ ARRAY[${values}]::text[]`
          : sql`${identifier(field.name)} in (${values})`,
      ),
      values: field.values,
      of: "document",
      clause: field.clause.id,
    },
  ];
};

/** Postgres keeps days and moments that no calendar of ours has; calculating with one would raise an error. */
const boundsCheck = (field: Field, entity: Entity): readonly Check[] => {
  const kind: Kind = ruleKinds[field.ruleType.kind];
  if (kind.bounds === undefined) return [];
  const name = nameOf(entity.table, "bounds", field.name);
  return [
    { name, condition: textOf(kind.bounds(identifier(field.name))), values: null, of: "type", clause: field.clause.id },
  ];
};

/** Whether a rule reads its own record alone and is always in force: then the table holds it too. */
export const isConstraint = (rule: ValidationRule, entity: Entity): boolean =>
  rule.during === null &&
  rule.when === null &&
  isOfOwnRow(rule.rule, (name) => {
    const field = entity.fields.get(name);
    return field === undefined || isStored(field);
  });

/**
 * A rule becomes a constraint only where it reads its own record and is always in force. The server judges it first, so
 * that a person gets the document's error; the constraint holds against everything else that writes to the table.
 */
const ruleChecks = (entity: Entity, model: Model): readonly Check[] =>
  entity.rules.flatMap((rule) => {
    if (!isConstraint(rule, entity)) return [];
    const condition = toSql(rule.rule, environmentOf(model, entity, null)).value;
    return [
      {
        name: ruleName(entity, rule),
        condition: textOf(condition),
        values: null,
        of: "document",
        clause: rule.clause.id,
      },
    ];
  });

/**
 * An index of a reference serves what refers to a record, and the lists of those who see the records that refer to theirs:
 * after the reference stand the keys of the entity's first list.
 */
const fieldIndexes = (
  field: Field,
  entity: Entity,
  order: Order | undefined,
  along: readonly Field[],
): readonly Index[] => {
  const unique: readonly Index[] = field.unique
    ? [
        {
          name: uniqueName(entity.table, field.name),
          ...(isColumn(field)
            ? { on: waiting([field], field.countsMissing), waits: true as const }
            : { on: textOf(sql`(${sameKey(field, null)})${field.countsMissing ? sql` nulls not distinct` : sql``}`) }),
          unique: true,
          twice: twiceIn(entity, [sameKey(field, null)], field.countsMissing, undefined),
          clause: field.clause.id,
        },
      ]
    : [];
  // What no record names is found by it, and taken away.
  const isFile = field.type === "file" || field.type === "image";
  const file: readonly Index[] =
    isFile && !field.many
      ? [
          {
            name: nameOf(entity.table, "by", `${field.name}_id`),
            on: textOf(sql`((${identifier(field.name)} ->> 'id'))`),
            unique: false,
            clause: field.clause.id,
          },
        ]
      : [];
  // Nobody looks for a record by one of its files, and what takes files away reads a column of several at one go.
  const several: readonly Index[] =
    field.many && !isFile
      ? [
          {
            name: nameOf(entity.table, "of", field.name),
            on: textOf(sql`using gin (${identifier(field.name)})`),
            unique: false,
            clause: field.clause.id,
          },
        ]
      : [];
  const reference: readonly Index[] =
    field.entity === null || field.many
      ? []
      : [
          {
            name: nameOf(entity.table, "ref", field.name),
            on: `${orderedOn([field, ...(order?.axis == null ? [] : [order.axis])], order?.sort ?? [])}${including(along, order)}`,
            unique: false,
            clause: field.clause.id,
          },
        ];
  return [...unique, ...several, ...reference, ...file];
};

/** Whether two values are compared as they stand in the column. */
const isColumn = (field: Field): boolean => textOf(sameKey(field, null)) === textOf(identifier(field.name));

const isPlain = (rule: TogetherRule, entity: Entity): boolean =>
  rule.where === null && rule.same.flatMap((name) => entity.fields.get(name) ?? []).every(isColumn);

/**
 * Parts change places in one request. Where a unique constraint cannot say what is unique among them, since it knows neither
 * conditions nor expressions, an exclusion does, which costs a second look at its index.
 */
const isExclusion = (rule: TogetherRule, entity: Entity): boolean =>
  rule.range !== null ||
  (!rule.countsMissing && !isPlain(rule, entity) && [...entity.fields.values()].some(({ partOf }) => partOf));

/** `nulls not distinct ("a", "b") deferrable`, as a constraint has it. */
const waiting = (fields: readonly Field[], countsMissing: boolean): string =>
  textOf(
    sql`${countsMissing ? sql`nulls not distinct ` : sql``}(${join(
      fields.map(({ name }) => identifier(name)),
      ", ",
    )}) deferrable`,
  );

const togetherIndex = (rule: TogetherRule, entity: Entity, model: Model): Index => {
  const fields = rule.same.flatMap((name) => entity.fields.get(name) ?? []);
  const keys = fields.map((field) => sameKey(field, null));
  return {
    name: togetherName(entity, rule),
    ...(isPlain(rule, entity)
      ? { on: waiting(fields, rule.countsMissing), waits: true as const }
      : { on: textOf(uniqueOf(model, entity, rule)) }),
    unique: true,
    twice: twiceIn(entity, keys, rule.countsMissing, amongOf(model, entity, rule, null)),
    clause: rule.clause.id,
  };
};

const twiceIn = (entity: Entity, keys: readonly Sql[], missing: boolean, among: Sql | undefined): string => {
  const given = missing ? [] : keys.map((key) => sql`${key} IS NOT NULL`);
  const where = [...given, ...(among === undefined ? [] : [among])];
  return textOf(
    sql`SELECT 1 FROM "app".${identifier(entity.table)}${where.length === 0 ? sql`` : sql` WHERE ${join(where, " AND ")}`} GROUP BY ${join(keys, ", ")} HAVING count(*) > 1`,
  );
};

/** Types whose values are a few bytes each. */
const small: ReadonlySet<FieldTypeName> = new Set(["integer", "boolean", "date", "choice", "state", "reference"]);

/** What rules read of the records of an entity that refer to one: by `Request.employee`, the names of fields. */
type Along = ReadonlyMap<string, ReadonlySet<string>>;

const alongOf = (model: Model): Along => {
  const along = new Map<string, Set<string>>();
  for (const { rules } of model.entities.values())
    for (const { rule } of rules)
      for (const { entity, by, fields } of readsOf(rule).footprint) {
        const key = `${entity}.${by ?? ""}`;
        along.set(key, new Set([...(along.get(key) ?? []), ...fields]));
      }
  return along;
};

/** A sum over the records that refer to one is read from the index of the reference alone. */
const readAlong = (along: Along, entity: Entity, field: Field): readonly Field[] =>
  field.entity === null
    ? []
    : [...(along.get(`${entity.name}.${field.name}`) ?? [])]
        .flatMap((name) => entity.fields.get(name) ?? [])
        .filter((one) => isStored(one) && small.has(one.type) && !one.many && one !== field);

const including = (fields: readonly Field[], order: Order | undefined): string => {
  const there = new Set([order?.axis?.name, ...(order?.sort ?? []).map((key) => key.replace(/^-/u, ""))]);
  const more = [...new Set(fields)].filter(({ name }) => !there.has(name));
  const names = join(
    more.map(({ name }) => identifier(name)),
    ", ",
  );
  return more.length === 0 ? "" : textOf(sql` include (${names})`);
};

/** Each list's order is an index that ends in the id, as its pages walk it, behind each of its filters; lists with one order share it. */
const listIndexes = (orders: readonly Order[], entity: Entity): readonly Index[] =>
  orders.flatMap((order) => {
    const index = (first: readonly Field[]): Index => {
      const on = orderedOn(first, order.sort);
      const keys = [...first.map(({ name }) => name), ...order.sort.map((key) => key.replace(/^-/u, ""))].join("_");
      return { name: nameOf(entity.table, "by", `${keys}_${hashOf(on)}`), on, unique: false, clause: order.clause };
    };
    // The newest come first by their ids, which have an index already.
    const whole = order.axis === null ? (order.sort.length === 0 ? [] : [index([])]) : [index([order.axis])];
    return [...whole, ...order.filters.map((field) => index([field]))];
  });

/** `("status", "first_day" desc nulls last, "id" desc)`: some columns, and what a list is sorted by behind them. */
const orderedOn = (first: readonly Field[], sort: readonly string[]): string => {
  const names = new Set(first.map(({ name }) => name));
  const keys = sort.filter((key) => !names.has(key.replace(/^-/u, ""))).map(sortKey);
  const direction = sort[0]?.startsWith("-") ? sql` desc` : sql``;
  return textOf(sql`(${join([...[...names].map(identifier), ...keys, sql`"id"${direction}`], ", ")})`);
};

const sortKey = (key: string): Sql =>
  key.startsWith("-") ? sql`${identifier(key.slice(1))} desc nulls last` : sql`${identifier(key)} nulls last`;
