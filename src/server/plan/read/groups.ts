import { decidingClauseId } from "../../../core/derive/authorization/grants.ts";
import { permissionSentence } from "../../../core/explain/who-may.ts";
import { MOST_GROUPINGS } from "../../../core/model/facts/grouping.ts";
import type { Format } from "../../../core/model/format.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { GroupedJson, GroupsJson } from "../../../core/wire/groups.ts";
import type { Query, Row } from "../../../postgres/database.ts";
import type { Intent } from "../../intent.ts";
import { badQuery, forbid, type Refusal } from "../../refusal.ts";
import { GROUPED, TABLE } from "../aliases.ts";
import { type Caller, getEntity, mergeParams, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { readColumn } from "../result-columns.ts";
import { type ReadScope, readScope } from "../row/read-scope.ts";
import { toQuery } from "../statements.ts";
import { filterParams, filtersKey, parseFilters } from "./filter.ts";
import {
  COUNT,
  compareGroups,
  figuresSql,
  findGrouping,
  type Grouping,
  groupColumnsSql,
  keysAndSumsSql,
  keysSql,
  LEVEL,
  readFigures,
  readKey,
  readLabel,
} from "./grouping.ts";
import { SEARCH_LIMIT } from "./list.ts";
import { listRowsSql } from "./page-sql.ts";
import { decodePivot, LARGE_PIVOT, pivotSql, SMALL_PIVOT } from "./pivot.ts";
import { findScreenConditions, screenConditionsSql } from "./screen-conditions.ts";
import { searchFor } from "./search.ts";

/** Maximum number of groups of a response. */
const MAX_GROUPS = 2_000;

/**
 * The records of a list in groups, or as a pivot, in one statement: the groups, the totals of each outer group (of each row
 * and column of a pivot), and the grand total. Rows and columns are those that the caller can read, so no sum or group
 * contains a hidden value.
 */
export const planGroups = (
  context: PlanContext,
  { kind, list: intent, by, sums, isSmall = false }: Extract<Intent, { kind: "groups" | "pivot" }>,
  caller: Caller,
  format: Format,
): BatchPlan<Found> | Refusal => {
  const { model } = context;
  const { principal } = caller;
  const entity = getEntity(context, intent.entity);
  const scope = readScope(model, entity, principal, TABLE.alias);
  if (scope.grants.length === 0)
    return forbid(decidingClauseId(entity, "read"), permissionSentence(caller.phrases, entity, "read"));
  const grouping = findGrouping(scope, by, sums);
  if ("kind" in grouping) return grouping;
  const { length } = grouping.fields;
  if (length === 0 || length > MOST_GROUPINGS) return badQuery("GROUPS");
  if (kind === "pivot" && length < 2) return badQuery("PIVOT");
  const filters = parseFilters(context, scope, intent, caller);
  if ("kind" in filters) return filters;
  const where = findScreenConditions(model, principal, entity, intent.where);
  if ("kind" in where) return where;
  const search = intent.search === null ? null : searchFor(context, scope, caller, intent.search);

  const shape = [entity.name, principalKey(principal), intent.where, filtersKey(filters), search?.shape ?? null];
  const statement = context.statements.get([kind, ...shape, by, sums, isSmall], () => {
    const listing = {
      reader: { model, principal },
      scope,
      sort: [],
      filters,
      shown: screenConditionsSql(model, principal, entity, where),
      conditions: where,
      search,
      cursor: null,
    };
    const from = listRowsSql(listing);
    const written =
      kind === "pivot"
        ? pivotSql(context, caller, scope, grouping, from, isSmall ? SMALL_PIVOT : LARGE_PIVOT)
        : groupsSql(context, caller, scope, grouping, from);
    return { more: undefined, sql: written };
  });
  const slots = mergeParams(caller, filterParams(filters), search?.slots ?? {}, { groups: MAX_GROUPS + 1 });
  const limits: readonly Query[] = search === null ? [] : [SEARCH_LIMIT];
  const decode = kind === "pivot" ? decodePivot : decodeGroups;
  return planBatch<Found>([...limits, toQuery(statement, slots)], (results) =>
    asFound(decode(context, grouping, results.at(-1) ?? [], format)),
  );
};

const groupsSql = ({ model }: PlanContext, caller: Caller, scope: ReadScope, grouping: Grouping, from: Sql): Sql => {
  const keys = keysSql(grouping);
  const sets = keys.map((_, i) => sql`(${join(keys.slice(0, i + 1), ", ")})`);
  const groups = sql`SELECT ${join([...keys, ...figuresSql(grouping)], ", ")} FROM (SELECT ${keysAndSumsSql(scope, grouping)} ${from}) AS ${TABLE} GROUP BY GROUPING SETS (${join([...sets, sql`()`], ", ")}) ORDER BY ${identifier(COUNT.alias)} DESC, ${identifier(LEVEL.alias)} DESC, ${join(keys, ", ")} LIMIT ${slot("groups", "integer")}`;
  return sql`SELECT ${groupColumnsSql(model, caller, grouping)} FROM (${groups}) AS ${GROUPED}`;
};

const decodeGroups = ({ model }: PlanContext, grouping: Grouping, rows: readonly Row[], format: Format): GroupsJson => {
  const { fields } = grouping;
  const shown = rows.slice(0, MAX_GROUPS);
  const allFields = 2 ** fields.length - 1;
  const levelOf = (depth: number): number => 2 ** (fields.length - depth) - 1;
  const groupsAt = (depth: number, within: readonly GroupedJson["key"][]): readonly GroupedJson[] =>
    shown
      .filter(
        (row) => readColumn(row, LEVEL) === levelOf(depth + 1) && within.every((key, i) => readKey(row, i) === key),
      )
      .map((row): GroupedJson => {
        const key = readKey(row, depth);
        return {
          key,
          ...readLabel(model, grouping, row, depth, format),
          ...readFigures(grouping, row),
          ...(depth + 1 < fields.length ? { groups: groupsAt(depth + 1, [...within, key]) } : {}),
        };
      })
      .toSorted(compareGroups(fields[depth], model.locale));
  return {
    ...readFigures(
      grouping,
      shown.find((row) => readColumn(row, LEVEL) === allFields),
    ),
    groups: groupsAt(0, []),
    more: rows.length > MAX_GROUPS,
  };
};
