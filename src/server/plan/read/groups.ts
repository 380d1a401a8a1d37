import { decidingClauseId } from "../../../core/derive/authorization/grants.ts";
import { isGrouping, isSummed, MOST_GROUPINGS } from "../../../core/derive/http/list-capabilities.ts";
import { compareAsRead } from "../../../core/derive/sql/reading-order.ts";
import { permissionSentence } from "../../../core/explain/who-may.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { FiguresJson, GroupedJson, GroupsJson } from "../../../core/wire/groups.ts";
import type { Query, Row } from "../../../postgres/database.ts";
import type { Intent } from "../../intent.ts";
import { badQuery, forbid, type Refusal } from "../../refusal.ts";
import { GROUPED, TABLE } from "../aliases.ts";
import { type Caller, getEntity, mergeParams, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import {
  asNumber,
  asTextOrNull,
  asValue,
  type ResultColumn,
  readColumn,
  resultColumn,
  selectAs,
} from "../result-columns.ts";
import { labelText, referenceLabelSql } from "../row/labels.ts";
import { type ReadScope, readScope } from "../row/read-scope.ts";
import { toQuery } from "../statements.ts";
import { filterParams, filtersKey, parseFilters } from "./filter.ts";
import { SEARCH_LIMIT } from "./list.ts";
import { listRowsSql } from "./page-sql.ts";
import { findScreenConditions, screenConditionsSql } from "./screen-conditions.ts";
import { searchFor } from "./search.ts";

/** Maximum number of groups of a response. */
const MAX_GROUPS = 2_000;

const LEVEL: ResultColumn<number> = resultColumn("is:level", asNumber);
const COUNT: ResultColumn<number> = resultColumn("is:count", asNumber);
const keyColumn = (nth: number): ResultColumn<unknown> => resultColumn(`key:${nth}`, asValue);
const labelColumn = (nth: number): ResultColumn<unknown> => resultColumn(`label:${nth}`, asValue);
const sumColumn = (nth: number): ResultColumn<string | null> => resultColumn(`sum:${nth}`, asTextOrNull);

/**
 * The records of a list in groups, in one statement: the groups, the totals of each outer group, and the grand total.
 * Rows and columns are those that the caller can read, so no sum or group contains a hidden value.
 */
export const planGroups = (
  context: PlanContext,
  { list: intent, by, sums }: Extract<Intent, { kind: "groups" }>,
  caller: Caller,
  format: Format,
): BatchPlan<Found> | Refusal => {
  const { model } = context;
  const { principal } = caller;
  const entity = getEntity(context, intent.entity);
  const scope = readScope(model, entity, principal, TABLE.alias);
  if (scope.grants.length === 0)
    return forbid(decidingClauseId(entity, "read"), permissionSentence(caller.phrases, entity, "read"));
  const fields = findFields(scope, by, isGrouping);
  if ("kind" in fields) return fields;
  if (fields.length === 0 || fields.length > MOST_GROUPINGS || new Set(by).size < by.length) return badQuery("GROUPS");
  const summed = findFields(scope, sums, isSummed);
  if ("kind" in summed) return summed;
  const filters = parseFilters(scope, intent, context.past);
  if ("kind" in filters) return filters;
  const where = findScreenConditions(model, principal, entity, intent.where);
  if ("kind" in where) return where;
  const search = intent.search === null ? null : searchFor(context, scope, caller, intent.search);

  const shape = [entity.name, principalKey(principal), intent.where, filtersKey(filters), search?.shape ?? null];
  const statement = context.statements.get(["groups", ...shape, by, sums], () => {
    const listing = {
      reader: { model, principal },
      scope,
      sort: [],
      filters,
      shown: screenConditionsSql(model, principal, entity, where),
      search,
      cursor: null,
    };
    return { more: undefined, sql: groupsSql(context, caller, scope, fields, summed, listRowsSql(listing)) };
  });
  const slots = mergeParams(caller, filterParams(filters), search?.slots ?? {}, { groups: MAX_GROUPS + 1 });
  const limits: readonly Query[] = search === null ? [] : [SEARCH_LIMIT];
  return planBatch<Found>([...limits, toQuery(statement, slots)], (results) =>
    asFound(decodeGroups(context, fields, summed, results.at(-1) ?? [], format)),
  );
};

const findFields = (
  scope: ReadScope,
  names: readonly string[],
  isAllowed: (field: Field) => boolean,
): readonly Field[] | Refusal => {
  const found = names.map((name) => scope.fields.find((field) => field.name === name && isAllowed(field)));
  const at = found.indexOf(undefined);
  return at < 0 ? found.flatMap((field) => field ?? []) : badQuery("GROUP", { word: names[at] ?? "" });
};

const groupsSql = (
  { model }: PlanContext,
  { principal }: Caller,
  scope: ReadScope,
  fields: readonly Field[],
  summed: readonly Field[],
  from: Sql,
): Sql => {
  const columnOf = ({ name }: Field): Sql => scope.column(name) ?? sql`NULL`;
  const values = [
    ...fields.map((field, i) =>
      selectAs(
        field.type === "date" ? sql`date_trunc('month', ${columnOf(field)})::date` : columnOf(field),
        keyColumn(i),
      ),
    ),
    ...summed.map((field, i) => selectAs(columnOf(field), sumColumn(i))),
  ];
  const keys = fields.map((_, i) => identifier(keyColumn(i).alias));
  const sets = keys.map((_, i) => sql`(${join(keys.slice(0, i + 1), ", ")})`);
  const figures = [
    selectAs(sql`GROUPING(${join(keys, ", ")})`, LEVEL),
    selectAs(sql`count(*)`, COUNT),
    ...summed.map((_, i) => selectAs(sql`sum(${identifier(sumColumn(i).alias)})`, sumColumn(i))),
  ];
  const groups = sql`SELECT ${join([...keys, ...figures], ", ")} FROM (SELECT ${join(values, ", ")} ${from}) AS ${TABLE} GROUP BY GROUPING SETS (${join([...sets, sql`()`], ", ")}) ORDER BY ${identifier(COUNT.alias)} DESC, ${identifier(LEVEL.alias)} DESC, ${join(keys, ", ")} LIMIT ${slot("groups", "integer")}`;
  const labels = fields.flatMap((field, i) => {
    const target = field.type === "reference" ? model.entities.get(field.entity ?? "") : undefined;
    if (target === undefined) return [];
    const key = sql`${GROUPED}.${identifier(keyColumn(i).alias)}`;
    return [selectAs(referenceLabelSql(model, target, principal, key), labelColumn(i))];
  });
  const texts = summed.map((_, i) => selectAs(sql`${GROUPED}.${identifier(sumColumn(i).alias)}::text`, sumColumn(i)));
  const shown = [...keys, identifier(LEVEL.alias), identifier(COUNT.alias)].map((key) => sql`${GROUPED}.${key}`);
  return sql`SELECT ${join([...shown, ...texts, ...labels], ", ")} FROM (${groups}) AS ${GROUPED}`;
};

const decodeGroups = (
  { model }: PlanContext,
  fields: readonly Field[],
  summed: readonly Field[],
  rows: readonly Row[],
  format: Format,
): GroupsJson => {
  const shown = rows.slice(0, MAX_GROUPS);
  const compare = compareAsRead(model.locale);
  const figuresOf = (row: Row | undefined): FiguresJson => ({
    count: row === undefined ? 0 : readColumn(row, COUNT),
    sums: Object.fromEntries(
      summed.map(({ name }, i) => [name, plainNumber((row && readColumn(row, sumColumn(i))) ?? "0")]),
    ),
  });
  const keyOf = (row: Row, i: number): string | boolean | null => {
    const key = readColumn(row, keyColumn(i));
    return typeof key === "boolean" ? key : key === null || key === undefined ? null : String(key);
  };
  const labelOf = (row: Row, i: number): Pick<GroupedJson, "label"> => {
    const target = fields[i]?.type === "reference" ? model.entities.get(fields[i].entity ?? "") : undefined;
    if (target === undefined || keyOf(row, i) === null) return {};
    const label = readColumn(row, labelColumn(i));
    return { label: label == null ? "…" : labelText(target.label, label, format) };
  };
  // The level of a row has a bit for each field that it does not group by, with the last field as the lowest bit.
  const allFields = 2 ** fields.length - 1;
  const levelOf = (depth: number): number => 2 ** (fields.length - depth) - 1;
  const groupsAt = (depth: number, within: readonly (string | boolean | null)[]): readonly GroupedJson[] =>
    shown
      .filter((row) => readColumn(row, LEVEL) === levelOf(depth + 1) && within.every((key, i) => keyOf(row, i) === key))
      .map((row): GroupedJson => {
        const key = keyOf(row, depth);
        return {
          key,
          ...labelOf(row, depth),
          ...figuresOf(row),
          ...(depth + 1 < fields.length ? { groups: groupsAt(depth + 1, [...within, key]) } : {}),
        };
      })
      .toSorted(compareGroups(fields[depth], compare));
  return {
    ...figuresOf(shown.find((row) => readColumn(row, LEVEL) === allFields)),
    groups: groupsAt(0, []),
    more: rows.length > MAX_GROUPS,
  };
};

/** Orders choices and states as in the document, references by label, and dates by time. Missing values come last. */
const compareGroups =
  (field: Field | undefined, compare: ReturnType<typeof compareAsRead>) =>
  (a: GroupedJson, b: GroupedJson): number => {
    if (a.key === null || b.key === null) return a.key === b.key ? 0 : a.key === null ? 1 : -1;
    if (field?.type === "choice" || field?.type === "state")
      return field.values.indexOf(String(a.key)) - field.values.indexOf(String(b.key));
    if (typeof a.key === "boolean") return Number(b.key) - Number(a.key);
    const [one, other] = [a.label ?? a.key, b.label ?? String(b.key)];
    return compare(one, other) || (a.key < String(b.key) ? -1 : 1);
  };

const plainNumber = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/u, "") : text);
