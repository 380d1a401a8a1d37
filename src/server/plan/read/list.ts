import { decidingClauseId, isUnconditional } from "../../../core/derive/authorization/grants.ts";
import { cursorRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { Phrases } from "../../../core/explain/language.ts";
import { permissionSentence } from "../../../core/explain/who-may.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import { constant, render, sql } from "../../../core/sql.ts";
import type { Count } from "../../../core/wire/lists.ts";
import type { BuildRows, Query, Row, RowValues } from "../../../postgres/database.ts";
import type { ListIntent } from "../../intent.ts";
import { forbid, type Refusal, refuseCall } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import { type Caller, getEntity, mergeParams, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found, JsonText } from "../outcome.ts";
import { type BatchPlan, markSessionChecked, planBatch } from "../plan.ts";
import { asText, asTextOrNull, asValues, positionalRows, readColumn, resultColumn } from "../result-columns.ts";
import { type OwnSession, ownSessionParams } from "../row/own-session.ts";
import { readScope } from "../row/read-scope.ts";
import { keyLabelSql, type RowReader, recordColumns, rowReader } from "../row/record-columns.ts";
import { tableSql } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";
import { cursorParams, cursorSeal, readCursor, writeCursor } from "./cursor.ts";
import { filterParams, filtersKey, parseFilters } from "./filter.ts";
import { countRecordsSql, EXCEEDS_KEY_LIMIT, pageSql } from "./page-sql.ts";
import { candidateFilter } from "./reference-candidates.ts";
import { findScreenConditions, screenConditionsSql } from "./screen-conditions.ts";
import { searchFor } from "./search.ts";
import { cursorColumn, findSortKeys, type SortKey } from "./sort.ts";

/** Maximum number of keys to read one by one. Beyond it, a scan in order is cheaper. */
const DEFAULT_KEY_LIMIT = 1_000;
export const getKeyLimit = ({ keyLimit = DEFAULT_KEY_LIMIT }: PlanContext): number => keyLimit;

/**
 * Time limit of a search, because it reads every record if there is no index. It also applies to later statements of
 * the transaction.
 */
const SEARCH_TIMEOUT_MS = 5_000;
export const SEARCH_LIMIT: Query = {
  name: "search limit",
  text: `select set_config('statement_timeout', '${SEARCH_TIMEOUT_MS}', true)`,
  values: [],
};

/** Time limit of counting the matches of a search. Beyond it, the page comes without the count. */
const SEARCH_COUNT_TIMEOUT_MS = 2_000;
const SEARCH_COUNT_LIMIT: Query = {
  name: "search count limit",
  text: `select set_config('statement_timeout', '${SEARCH_COUNT_TIMEOUT_MS}', true)`,
  values: [],
  isOptional: true,
};

/** A row of a page: the JSON of its record, `null` if it is none, and its values in page tokens. */
const ITEM = {
  text: resultColumn("item:text", asTextOrNull),
  cursor: resultColumn("item:cursor", asValues),
};

/**
 * Builds the rows of a page straight from the values by position, because a page has thousands of values. Their positions
 * are the same wherever the statement runs, so they are found once.
 */
const buildItems = (reader: RowReader, sort: readonly SortKey[]): ((phrases: Phrases) => BuildRows) => {
  let known: ((values: RowValues, phrases: Phrases) => Row) | undefined;
  return (phrases) => (names) => {
    known ??= buildItemOf(names, reader, sort);
    const build = known;
    return (values) => build(values, phrases);
  };
};

const buildItemOf = (
  names: readonly string[],
  reader: RowReader,
  sort: readonly SortKey[],
): ((values: RowValues, phrases: Phrases) => Row) => {
  const { find } = positionalRows(names);
  const text = reader.textOf(names);
  const id = find(resultColumn("id", asText));
  const exceedsKeyLimit = find(EXCEEDS_KEY_LIMIT);
  const cursor = sort.map((key, i) => find(cursorColumn(key, i)));
  return (values, phrases) => ({
    [ITEM.text.alias]: id(values) === null ? null : text(values, phrases),
    [ITEM.cursor.alias]: cursor.map((value) => value(values)),
    [EXCEEDS_KEY_LIMIT.alias]: exceedsKeyLimit(values),
  });
};

/** Maximum count: "10,000+". */
export const COUNT_LIMIT = 10_000;
export const toCount = (counted: unknown): Count => {
  const count = Number(counted ?? 0);
  return count > COUNT_LIMIT ? "10,000+" : count;
};

/** No table has more records than this, the largest `integer` of Postgres. */
const MAX_INTEGER = 2_147_483_647;

/** The number of records of a table according to its statistics. */
const estimateRecords = ({ statements }: PlanContext, entity: Entity) =>
  statements.get(["estimate", entity.name], () => ({
    more: undefined,
    sql: sql`SELECT reltuples::bigint AS "about" FROM pg_class WHERE oid = to_regclass(${constant(render(tableSql(entity)).text)})`,
  }));

/** Three digits of an estimate, which has no more; undefined for one that contradicts the count. */
const roundEstimate = (estimate: unknown): number | undefined => {
  const rounded = Number(Number(estimate ?? 0).toPrecision(3));
  return rounded > COUNT_LIMIT ? rounded : undefined;
};

/**
 * Plans a page of records in the requested order, with permissions in the WHERE clause, and the cursor of the next
 * page. `isScan`: scan in order, for callers with too many keys. `session`: the caller's, which the statement of the page then
 * checks, unless another statement precedes it.
 */
export const planList = (
  context: PlanContext,
  intent: ListIntent,
  caller: Caller,
  format: Format,
  { isScan = false, session }: { readonly isScan?: boolean; readonly session?: OwnSession | undefined } = {},
): BatchPlan<Found> | Refusal => {
  const entity = getEntity(context, intent.entity);
  const { principal } = caller;
  const who = [entity.name, principalKey(principal)];
  const scope = context.statements.find(["read scope", ...who], () =>
    readScope(context.model, entity, principal, TABLE.alias),
  );
  // Without a read grant, an empty list would wrongly say that there are no records.
  if (scope.grants.length === 0)
    return forbid(decidingClauseId(entity, "read"), permissionSentence(caller.phrases, entity, "read"));

  const sort = context.statements.find(["sort", ...who, intent.sort], () =>
    findSortKeys({ model: context.model, principal }, scope, intent.sort, context.past),
  );
  if ("kind" in sort) return sort;
  const filters = parseFilters(context, scope, intent, caller);
  if ("kind" in filters) return filters;
  const where = findScreenConditions(context.model, principal, entity, intent.where);
  if ("kind" in where) return where;
  const limited =
    intent.among === null ? null : candidateFilter(context, caller, intent.among, entity, sql`${TABLE}."id"`);
  if (limited !== null && "kind" in limited) return limited;
  // Only a list with several pages needs it.
  let known: string | undefined;
  const seal = (): string => (known ??= cursorSeal(intent));
  const cursor = intent.after === null ? null : readCursor(intent.after, sort, seal());
  if (cursor === undefined) return refuseCall(cursorRefusal);

  const wanted = { may: intent.may, label: intent.label };
  const shown = () => [
    ...screenConditionsSql(context.model, principal, entity, where)(),
    ...(limited?.conditions() ?? []),
  ];
  const search = intent.search === null ? null : searchFor(context, scope, caller, intent.search);
  const isChecking = session !== undefined && search === null;
  const listing = {
    reader: { model: context.model, principal },
    scope,
    sort: intent.sort,
    filters,
    shown,
    conditions: where,
    search,
    cursor,
  };
  const shape = [...who, intent.where, filtersKey(filters), limited?.shape ?? null, search?.shape ?? null];
  const nulls = cursor?.map((value) => value === null) ?? null;
  const form = [intent.sort, nulls, intent.may, intent.label, isScan, isChecking];
  const page = context.statements.get(["list", ...shape, ...form], () => ({
    sql: pageSql(
      context,
      listing,
      {
        columns: (labels) => recordColumns(context, principal, scope, TABLE.alias, wanted, labels),
        label: (reference, key) => keyLabelSql(context, principal, scope, reference, key),
      },
      { isScan, isChecking },
    ),
    more: buildItems(rowReader(context, principal, scope, wanted, format), sort),
  }));
  const slots = mergeParams(
    caller,
    filterParams(filters),
    limited?.slots ?? {},
    cursorParams(cursor),
    search?.slots ?? {},
    {
      limit: intent.limit + 1,
      keyLimit: getKeyLimit(context),
    },
    ownSessionParams(session),
  );
  const limits: readonly Query[] = search === null ? [] : [SEARCH_LIMIT];
  const queries: Query[] = [...limits, { ...toQuery(page, slots), rows: page.more(caller.phrases) }];
  // Counting the matches of a search can take long although its first page is found at once.
  const later: Query[] = [];
  if (intent.count !== false) {
    // The statistics of a table are about all of its records.
    const seesAll = isUnconditional(scope.grants) && filters.length === 0 && where.length === 0 && entity.rows === null;
    const count = context.statements.get(["count", ...shape], () => ({
      sql: countRecordsSql(listing),
      more: undefined,
    }));
    const counting = toQuery(count, { ...slots, most: intent.count === "exact" ? MAX_INTEGER : COUNT_LIMIT + 1 });
    if (search !== null && intent.count === true) later.push(SEARCH_COUNT_LIMIT, { ...counting, isOptional: true });
    else queries.push(counting);
    if (intent.count === true && seesAll && limited === null && search === null)
      queries.push(toQuery(estimateRecords(context, entity), {}));
  }
  const plan = planBatch<Found>(queries, (results) => {
    const [rows = [], counts, estimates] = results.slice(limits.length);
    const found = rows.filter((row) => readColumn(row, ITEM.text) !== null);
    // The caller has too many keys, so the list is read in its own order.
    if (found.length < rows.length && rows.some((row) => readColumn(row, EXCEEDS_KEY_LIMIT) === true))
      return planList(context, intent, caller, format, { isScan: true });
    const paged = found.slice(0, intent.limit);
    const last = found.length > intent.limit ? paged.at(-1) : undefined;
    const next = last === undefined ? null : writeCursor(readColumn(last, ITEM.cursor), seal());
    const answer = (counted: readonly Row[] | undefined): Found => {
      const count = counted?.[0] === undefined ? undefined : Number(counted[0].count);
      const shown = count === undefined || intent.count === "exact" ? count : toCount(count);
      const about = typeof shown === "number" ? undefined : roundEstimate(estimates?.[0]?.about);
      const members = shown === undefined ? "" : `,${JSON.stringify({ count: shown, about }).slice(1, -1)}`;
      return asFound(
        new JsonText(
          `{"items":[${paged.map((row) => readColumn(row, ITEM.text)).join()}],"next":${JSON.stringify(next)}${members}}`,
        ),
      );
    };
    return later.length === 0 ? answer(counts) : planBatch<Found>(later, ([, counted]) => answer(counted));
  });
  return markSessionChecked(plan, isChecking);
};
