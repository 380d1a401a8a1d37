import {
  type Deadline,
  findStateDeadline,
  hasPeriods,
  hasRange,
  hasWords,
  isFilteredBy,
} from "../../../core/derive/http/list-capabilities.ts";
import { filteredField } from "../../../core/derive/http/list-query.ts";
import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { getZone } from "../../../core/expression/values/calendar.ts";
import { isPeriodName, type PeriodBounds, periodDays, periodMoments } from "../../../core/expression/values/periods.ts";
import type { FieldKind } from "../../../core/field/kind.ts";
import { fieldKinds } from "../../../core/field/kinds.ts";
import { toFieldSpec } from "../../../core/model/facts/field-spec.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { ListIntent } from "../../intent.ts";
import { badQuery, type Refusal } from "../../refusal.ts";
import { WORDS } from "../aliases.ts";
import type { Caller, PlanContext } from "../context.ts";
import { currentValueName, readableFieldName, renamedText } from "../row/former-names.ts";
import type { ReadScope } from "../row/read-scope.ts";
import type { PlanValue } from "../statements.ts";

/**
 * The filter of a list on one field. Its parts are alternatives: values, missing values, a range, words. A period limits
 * all of them.
 */
export interface Filter {
  readonly field: Field;
  readonly slot: string;
  /** In stored form, without duplicates. */
  readonly values: readonly unknown[];
  /** True if missing values match too. */
  readonly missing: boolean;
  /** Bounds in stored form; undefined for an open end. */
  readonly from?: unknown;
  readonly to?: unknown;
  /** In lower case. A text matches if it contains one of them. */
  readonly words?: readonly string[];
  readonly period?: FilterPeriod;
}

interface FilterPeriod extends PeriodBounds {
  /** The states in which the field is a deadline, for overdue records. */
  readonly deadline?: Deadline;
}

/** Query parameters are text; only `true` and `false` become booleans, and the field type refuses everything else. */
export const filterValue = (field: Pick<Field, "type">, value: string): Json =>
  field.type === "boolean" && (value === "true" || value === "false") ? value === "true" : value;

const supports = { "": isFilteredBy, ">": hasRange, "<": hasRange, "@": hasPeriods, "~": hasWords } as const;
const isWay = (operator: string): operator is keyof typeof supports => Object.hasOwn(supports, operator);

/** Parses the filters. Only readable fields can be filtered; others are refused as unknown. */
export const parseFilters = (
  { model, past }: Pick<PlanContext, "model" | "past">,
  scope: ReadScope,
  { filters }: ListIntent,
  caller: Pick<Caller, "now" | "today">,
): readonly Filter[] | Refusal => {
  const found = new Map<string, Filter>();
  for (const [key, values] of filters) {
    const name = filteredField(key);
    const operator = key.slice(name.length);
    const field = scope.fields.find((candidate) => candidate.name === name);
    if (field === undefined || !isWay(operator) || !supports[operator](field))
      return badQuery(...renamedText("FILTER", key, readableFieldName(past, scope, name)));
    const known = found.get(name) ?? { field, slot: `filter:${found.size}`, values: [], missing: false };
    const part =
      operator === "@" ? buildPeriod(model, scope, field, values, caller) : buildPart(scope, field, operator, values);
    if (part === undefined) {
      const now = values.flatMap((value) => currentValueName(past, scope.entity, name, value) ?? []).at(0);
      return badQuery(...renamedText("VALUE", key, now));
    }
    found.set(name, { ...known, ...part });
  }
  return [...found.values()];
};

/** The bounds of a period at the time of the request. Only a deadline can be overdue, and only for readers of the state. */
const buildPeriod = (
  { timezone }: Model,
  scope: ReadScope,
  field: Field,
  [name = "", ...more]: readonly string[],
  { now, today }: Pick<Caller, "now" | "today">,
): Partial<Filter> | undefined => {
  if (!isPeriodName(name) || more.length > 0) return undefined;
  const bounds =
    field.type === "date"
      ? periodDays(name, today)
      : periodMoments(name, { now: now.toISOString(), today, zone: getZone(timezone) });
  if (name !== "overdue") return { period: bounds };
  const deadline = findStateDeadline(scope.entity, field, (state) => scope.fields.some((one) => one.name === state));
  return deadline === undefined ? undefined : { period: { ...bounds, deadline } };
};

const buildPart = (
  scope: ReadScope,
  field: Field,
  operator: Exclude<keyof typeof supports, "@">,
  values: readonly string[],
): Partial<Filter> | undefined => {
  const nonEmpty = values.filter((value) => value !== "");
  if (operator === "~")
    return nonEmpty.some((value) => value.includes("\0"))
      ? undefined
      : { words: [...new Set(nonEmpty.map((value) => value.toLowerCase()))] };
  const spec = toFieldSpec(scope.entity, { ...field, min: null, max: null });
  // A computed amount can have more decimal places than an entered one.
  const kind: FieldKind =
    field.type === "money" && field.storage.as !== "column" ? fieldKinds.decimal : fieldKinds[field.type];
  const stored: unknown[] = [];
  for (const value of nonEmpty) {
    const read = kind.read(filterValue(field, value), spec);
    if (!read.ok) return undefined;
    stored.push(read.value);
  }
  if (operator === "") return { values: [...new Set(stored)], missing: nonEmpty.length < values.length };
  if (stored.length !== 1) return undefined;
  return operator === ">" ? { from: stored[0] } : { to: stored[0] };
};

/** True if the filter consists of values only, so that an index serves it. */
export const hasValuesOnly = ({ missing, from, to, words, period }: Filter): boolean =>
  !missing && from === undefined && to === undefined && words === undefined && period === undefined;

/** The part of the filters that determines the statement text: fields, and whether one or several values were sent. */
export const filtersKey = (filters: readonly Filter[]): PlanValue =>
  filters.map(({ field, values, missing, from, to, words, period }) => [
    field.name,
    Math.min(values.length, 2),
    missing,
    from !== undefined,
    to !== undefined,
    words !== undefined,
    period === undefined ? null : [period.from !== null, period.before !== null, period.deadline !== undefined],
  ]);

export const filterParams = (filters: readonly Filter[]): Readonly<Record<string, unknown>> => {
  const slots: Record<string, unknown> = {};
  for (const { slot, values, from, to, words, period } of filters) {
    slots[slot] = values.length === 1 ? values[0] : values;
    if (from !== undefined) slots[`${slot}>`] = from;
    if (to !== undefined) slots[`${slot}<`] = to;
    if (words !== undefined) slots[`${slot}~`] = words;
    if (period !== undefined) Object.assign(slots, { [`${slot}@>`]: period.from, [`${slot}@<`]: period.before });
  }
  return slots;
};

/** The condition on a row whose columns the reader sees; false if the reader does not see the field. */
export const filterCondition = (filter: Filter, columnOf: (field: string) => Sql | undefined): Sql => {
  const column = columnOf(filter.field.name);
  if (column === undefined) return sql`FALSE`;
  const { values, missing, from, to, words, period } = filter;
  const isPeriodOnly = values.length === 0 && !missing && (from ?? to ?? words) === undefined;
  const conditions = [
    ...(period === undefined ? [] : periodConditions(filter, period, column, columnOf)),
    ...(period !== undefined && isPeriodOnly ? [] : [alternativesCondition(filter, column)]),
  ];
  return conditions.length === 0 ? sql`TRUE` : join(conditions, " AND ");
};

const periodConditions = (
  { field, slot: name }: Filter,
  { from, before, deadline }: FilterPeriod,
  column: Sql,
  columnOf: (field: string) => Sql | undefined,
): readonly Sql[] => {
  const type = typeOfColumn(field);
  const state = deadline && columnOf(deadline.field);
  return [
    ...(from === null ? [] : [sql`${column} >= ${slot(`${name}@>`, type)}`]),
    ...(before === null ? [] : [sql`${column} < ${slot(`${name}@<`, type)}`]),
    // A missing day is in no period.
    ...(from === null && before === null ? [sql`${column} IS NOT NULL`] : []),
    ...(deadline === undefined
      ? []
      : [
          state === undefined
            ? sql`FALSE`
            : sql`${state} IN (${join(
                deadline.states.map((one) => constant(one)),
                ", ",
              )})`,
        ]),
  ];
};

/** Compares a single value with `=`. With an array, Postgres would not know that the index provides the order. */
const alternativesCondition = (filter: Filter, column: Sql): Sql => {
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
          sql`EXISTS (SELECT FROM unnest(${slot(`${filter.slot}~`, "text[]")}) AS ${WORDS} ("word") WHERE strpos(lower(${valueLinesSql(filter.field, column)}), ${WORDS}."word") > 0)`,
        ]),
  ];
  return alternatives.length === 0 ? sql`FALSE` : sql`(${join(alternatives, " OR ")})`;
};

/** Joins several values as lines. */
export const valueLinesSql = ({ many }: Field, column: Sql): Sql =>
  many ? sql`array_to_string(${column}, E'\\n')` : column;
