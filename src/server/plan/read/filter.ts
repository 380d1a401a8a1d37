import { hasRange, hasWords, isFilteredBy } from "../../../core/derive/http/list-capabilities.ts";
import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import type { FieldKind } from "../../../core/field/kind.ts";
import { kinds } from "../../../core/field/kinds.ts";
import { specOf } from "../../../core/model/field-spec.ts";
import type { Field } from "../../../core/model/model.ts";
import type { Past } from "../../../core/model/renaming.ts";
import { join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { ListIntent } from "../../intent.ts";
import { badQuery, type Refusal } from "../../refusal.ts";
import { currentValueName, readableFieldName, renamedText } from "../row/former-names.ts";
import type { ReadScope } from "../row/read-scope.ts";
import type { PlanValue } from "../statements.ts";

/** What a list is narrowed to by one field. Its parts are alternatives: values, missing, a range, words. */
export interface Filter {
  readonly field: Field;
  readonly slot: string;
  /** In their stored form, each once. */
  readonly values: readonly unknown[];
  /** Whether it may be missing too. */
  readonly missing: boolean;
  /** The ends of a range in their stored form; undefined where it is open. */
  readonly from?: unknown;
  readonly to?: unknown;
  /** Each in small letters; one of them is in the text. */
  readonly words?: readonly string[];
}

/** In an address everything is text; a boolean is one of two words, and any other is refused by its type. */
export const filterValue = (field: Pick<Field, "type">, value: string): Json =>
  field.type === "boolean" && (value === "true" || value === "false") ? value === "true" : value;

const ways = { "": isFilteredBy, ">": hasRange, "<": hasRange, "~": hasWords } as const;
const isWay = (how: string): how is keyof typeof ways => Object.hasOwn(ways, how);

/** Of what the person may read; a field that they may not is refused as one that is not there. */
export const parseFilters = (
  scope: ReadScope,
  { filters }: ListIntent,
  past: Past = [],
): readonly Filter[] | Refusal => {
  const found = new Map<string, Filter>();
  for (const [key, given] of filters) {
    const name = key.replace(/[<>~]$/u, "");
    const how = key.slice(name.length);
    const field = scope.fields.find((one) => one.name === name);
    if (field === undefined || !isWay(how) || !ways[how](field))
      return badQuery(...renamedText("FILTER", key, readableFieldName(past, scope, name)));
    const known = found.get(name) ?? { field, slot: `filter:${found.size}`, values: [], missing: false };
    const part = partOf(scope, field, how, given);
    if (part === undefined) {
      const now = given.flatMap((value) => currentValueName(past, scope.entity, name, value) ?? []).at(0);
      return badQuery(...renamedText("VALUE", key, now));
    }
    found.set(name, { ...known, ...part });
  }
  return [...found.values()];
};

const partOf = (
  scope: ReadScope,
  field: Field,
  how: keyof typeof ways,
  values: readonly string[],
): Partial<Filter> | undefined => {
  const given = values.filter((value) => value !== "");
  if (how === "~")
    return given.some((value) => value.includes("\0"))
      ? undefined
      : { words: [...new Set(given.map((value) => value.toLowerCase()))] };
  const spec = specOf(scope.entity, { ...field, min: null, max: null });
  // An amount that is calculated has more places than one that is given.
  const kind: FieldKind = field.type === "money" && field.held.as !== "column" ? kinds.decimal : kinds[field.type];
  const stored: unknown[] = [];
  for (const value of given) {
    const read = kind.read(filterValue(field, value), spec);
    if (!read.ok) return undefined;
    stored.push(read.value);
  }
  if (how === "") return { values: [...new Set(stored)], missing: given.length < values.length };
  if (stored.length !== 1) return undefined;
  return how === ">" ? { from: stored[0] } : { to: stored[0] };
};

/** Whether a field must have one of the values, and nothing else will do: what an index can be read by. */
export const isOneOf = ({ missing, from, to, words }: Filter): boolean =>
  !missing && from === undefined && to === undefined && words === undefined;

/** What of filters decides a statement's text: their fields, and whether one value or several are given. */
export const filtersKey = (filters: readonly Filter[]): PlanValue =>
  filters.map(({ field, values, missing, from, to, words }) => [
    field.name,
    Math.min(values.length, 2),
    missing,
    from !== undefined,
    to !== undefined,
    words !== undefined,
  ]);

export const filterParams = (filters: readonly Filter[]): Readonly<Record<string, unknown>> => {
  const slots: Record<string, unknown> = {};
  for (const { slot, values, from, to, words } of filters) {
    slots[slot] = values.length === 1 ? values[0] : values;
    if (from !== undefined) slots[`${slot}>`] = from;
    if (to !== undefined) slots[`${slot}<`] = to;
    if (words !== undefined) slots[`${slot}~`] = words;
  }
  return slots;
};

/** One value is compared by itself: of several, Postgres would not know the order in which an index has them. */
export const filterCondition = (filter: Filter, column: Sql): Sql => {
  const { many } = filter.field;
  const type = typeOfColumn({ ...filter.field, many: false });
  const { values, missing, from, to, words } = filter;
  const ends = [
    ...(from === undefined ? [] : [sql`${column} >= ${slot(`${filter.slot}>`, type)}`]),
    ...(to === undefined ? [] : [sql`${column} <= ${slot(`${filter.slot}<`, type)}`]),
  ];
  const alternatives = [
    ...(values.length === 1
      ? [many ? sql`${column} @> ARRAY[${slot(filter.slot, type)}]` : sql`${column} = ${slot(filter.slot, type)}`]
      : []),
    ...(values.length > 1
      ? [
          many
            ? sql`${column} && ${slot(filter.slot, `${type}[]`)}`
            : sql`${column} = ANY(${slot(filter.slot, `${type}[]`)})`,
        ]
      : []),
    ...(missing ? [many ? sql`${column} = '{}'` : sql`${column} IS NULL`] : []),
    ...(ends.length > 0 ? [sql`(${join(ends, " AND ")})`] : []),
    ...(words === undefined
      ? []
      : [
          sql`EXISTS (SELECT FROM unnest(${slot(`${filter.slot}~`, "text[]")}) AS "w" ("word") WHERE strpos(lower(${valueLinesSql(filter.field, column)}), "w"."word") > 0)`,
        ]),
  ];
  return alternatives.length === 0 ? sql`FALSE` : sql`(${join(alternatives, " OR ")})`;
};

/** Of several values, each is a line. */
export const valueLinesSql = ({ many }: Field, column: Sql): Sql =>
  many ? sql`array_to_string(${column}, E'\\n')` : column;
