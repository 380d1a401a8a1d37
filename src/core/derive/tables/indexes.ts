import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Entity } from "../../model/entity.ts";
import { type Field, isStored } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { definitionText, identifier, join, type Sql, sql } from "../../sql.ts";
import type { FieldTypeName } from "../../wire/entities.ts";
import type { Order } from "../sql/list-orders.ts";
import { hasSortValue, sortValue } from "../sql/sort-value.ts";
import { STATE_SINCE } from "./columns.ts";
import { constraintName, shortHash } from "./names.ts";
import type { Index } from "./table.ts";
import { uniqueIndexes } from "./unique.ts";

/**
 * Indexes of a reference, for finding referring records and for lists limited by that reference. The sort keys of the
 * entity's first list follow the reference.
 */
export const fieldIndexes = (
  field: Field,
  entity: Entity,
  order: Order | undefined,
  along: readonly Field[],
): readonly Index[] => {
  // Needed to find files that no record refers to, for their deletion.
  const isFile = field.type === "file" || field.type === "image";
  const file: readonly Index[] =
    isFile && !field.many
      ? [
          {
            name: constraintName(entity.table, "by", `${field.name}_id`),
            on: definitionText(sql`((${identifier(field.name)} ->> 'id'))`),
            unique: false,
            clause: field.clause.id,
          },
        ]
      : [];
  // Lists of files need no index: nobody searches by them, and file clean-up scans the column.
  const several: readonly Index[] =
    field.many && !isFile
      ? [
          {
            name: constraintName(entity.table, "of", field.name),
            on: definitionText(sql`using gin (${identifier(field.name)})`),
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
            name: constraintName(entity.table, "ref", field.name),
            on: `${orderedOn(entity, [field, ...(order?.axis == null ? [] : [order.axis])], order)}${including(along, entity, order)}`,
            unique: false,
            clause: field.clause.id,
          },
        ];
  return [...uniqueIndexes(field, entity), ...several, ...reference, ...file];
};

/**
 * Indexes for each list order, ending in the id as the paging does, with each filter as the leading column. Lists with
 * equal orders share indexes.
 */
export const listIndexes = (orders: readonly Order[], entity: Entity): readonly Index[] =>
  orders.flatMap((order) => {
    const index = (first: readonly Field[]): Index => {
      const on = orderedOn(entity, first, order);
      const keys = [...first.map(({ name }) => name), ...order.sort.map(sortedName)].join("_");
      return {
        name: constraintName(entity.table, "by", `${keys}_${shortHash(on)}`),
        on,
        unique: false,
        clause: order.clause,
      };
    };
    // The default order, newest first, uses the primary key.
    const unfiltered = order.axis === null ? (order.sort.length === 0 ? [] : [index([])]) : [index([order.axis])];
    return [...unfiltered, ...order.filters.map((field) => index([field]))];
  });

/** The index for timeouts: by state and the time of entering it. */
export const dueIndexes = ({ table, states }: Entity): readonly Index[] =>
  states === null || ![...states.transitions.values()].some(({ timeout }) => timeout !== null)
    ? []
    : [
        {
          name: constraintName(table, "by", STATE_SINCE),
          on: definitionText(sql`(${identifier(states.field)}, ${identifier(STATE_SINCE)})`),
          unique: false,
          clause: states.clause.id,
        },
      ];

/** An index for each field by which reminders find the records whose moment has come. */
export const reminderIndexes = ({ table, fields, reminders }: Entity): readonly Index[] =>
  [...new Set([...reminders.values()].map(({ field }) => field))]
    .flatMap((name) => fields.get(name) ?? [])
    .map(({ name, clause }) => ({
      name: constraintName(table, "by", `${name}_reminder`),
      on: definitionText(sql`(${identifier(name)})`),
      unique: false,
      clause: clause.id,
    }));

/** `("status", "first_day" desc nulls last, "id" desc)`: leading columns, followed by the sort keys. */
const orderedOn = (entity: Entity, first: readonly Field[], order: Order | undefined): string => {
  const sort = order?.sort ?? [];
  const names = new Set(first.map(({ name }) => name));
  // A leading choice does not have the order of the document.
  const isFurther = (key: string) => !names.has(sortedName(key)) || isOrdinal(entity, key);
  const keys = order === undefined ? [] : sort.filter(isFurther).map((key) => sortKey(entity, key, order.collation));
  const direction = sort[0]?.startsWith("-") ? sql` desc` : sql``;
  return definitionText(sql`(${join([...[...names].map(identifier), ...keys, sql`"id"${direction}`], ", ")})`);
};

const sortedName = (key: string): string => key.replace(/^-/u, "");

/** True if a choice is sorted in the order of the document, by an expression. */
const isOrdinal = (entity: Entity, key: string): boolean => {
  const field = entity.fields.get(sortedName(key));
  return field !== undefined && hasSortValue(field);
};

const sortKey = (entity: Entity, key: string, collation: Sql): Sql => {
  const column = identifier(sortedName(key));
  const field = entity.fields.get(sortedName(key));
  const value = field === undefined ? column : sortValue(field, column, collation);
  const by = field !== undefined && hasSortValue(field) ? sql`(${value})` : value;
  return key.startsWith("-") ? sql`${by} desc nulls last` : sql`${by} nulls last`;
};

/** Fields that rules read from referring records, by reference (`Request.employee`). */
export type RuleReads = ReadonlyMap<string, ReadonlySet<string>>;

export const collectRuleReads = (model: Model): RuleReads => {
  const along = new Map<string, Set<string>>();
  for (const { rules } of model.entities.values())
    for (const { rule } of rules)
      for (const { entity, by, fields } of collectReadSet(rule).recordReads) {
        const key = `${entity}.${by ?? ""}`;
        along.set(key, new Set([...(along.get(key) ?? []), ...fields]));
      }
  return along;
};

/** Columns to include in the index of a reference, so that sums over referring records need only the index. */
export const includedColumns = (along: RuleReads, entity: Entity, field: Field): readonly Field[] =>
  field.entity === null
    ? []
    : [...(along.get(`${entity.name}.${field.name}`) ?? [])]
        .flatMap((name) => entity.fields.get(name) ?? [])
        .filter((other) => isStored(other) && small.has(other.type) && !other.many && other !== field);

const including = (fields: readonly Field[], entity: Entity, order: Order | undefined): string => {
  const sorted = (order?.sort ?? []).filter((key) => !isOrdinal(entity, key)).map(sortedName);
  const there = new Set([order?.axis?.name, ...sorted]);
  const more = [...new Set(fields)].filter(({ name }) => !there.has(name));
  const names = join(
    more.map(({ name }) => identifier(name)),
    ", ",
  );
  return more.length === 0 ? "" : definitionText(sql` include (${names})`);
};

/** Fields by whose values rules and conditions of transitions find other records (`Leave.who`). */
export const collectComparedFields = (model: Model): ReadonlySet<string> => {
  const reads = [...model.entities.values()].flatMap(({ rules, states }) => [
    ...rules.flatMap(({ recordReads }) => recordReads),
    ...[...(states?.transitions.values() ?? [])].flatMap(({ guardAndPreconditions: condition }) =>
      condition === null ? [] : collectReadSet(condition).recordReads,
    ),
  ]);
  return new Set(reads.flatMap(({ entity, by }) => (by === undefined ? [] : [`${entity}.${by}`])));
};

/**
 * Indexes for finding the records with a value, as rules do: `Leave.exists(l, l.who == who)`. A hash, because a text can be
 * too long for the ordered kind. References, unique fields and leading fields of uniqueness rules have indexes anyway, and
 * too many records share a choice.
 */
export const comparedIndexes = (compared: ReadonlySet<string>, entity: Entity): readonly Index[] =>
  [...entity.fields.values()]
    .filter(
      (field) =>
        compared.has(`${entity.name}.${field.name}`) &&
        isStored(field) &&
        !field.many &&
        !field.unique &&
        hashed.has(field.type) &&
        !entity.uniquenessRules.some(({ same }) => same[0] === field.name),
    )
    .map((field) => ({
      name: constraintName(entity.table, "by", `${field.name}_value`),
      on: definitionText(sql`using hash (${identifier(field.name)})`),
      unique: false,
      clause: field.clause.id,
    }));

const hashed: ReadonlySet<FieldTypeName> = new Set([
  "text",
  "long text",
  "integer",
  "decimal",
  "money",
  "date",
  "time",
  "datetime",
  "email",
  "url",
  "phone",
  "sequence",
  "integer sequence",
]);

/** Types with values of a few bytes. */
const small: ReadonlySet<FieldTypeName> = new Set(["integer", "boolean", "date", "choice", "state", "reference"]);
