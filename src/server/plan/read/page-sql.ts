import {
  type AccessPath,
  accessPathsFor,
  getOperands,
  type KeyLookup,
  narrowToConditions,
} from "../../../core/derive/authorization/access-paths.ts";
import { type Order, orderFor } from "../../../core/derive/sql/list-orders.ts";
import { linksName } from "../../../core/derive/tables/names.ts";
import { toJs } from "../../../core/expression/compile/to-js.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { JsEnv } from "../../../core/expression/values/value.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { KEYS, TABLE, VALUES } from "../aliases.ts";
import type { PlanContext } from "../context.ts";
import { booleanColumn, resultColumnSql, selectAs } from "../result-columns.ts";
import { sessionHolds } from "../row/own-session.ts";
import { type ColumnMask, columnsUnderGrants, type ReadScope } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";
import { type Filter, filterCondition, hasValuesOnly } from "./filter.ts";
import { KEY_LIMIT, type Keys, type Search } from "./search.ts";
import {
  afterCursorSql,
  findSortKeys,
  type ListReader,
  orderBySql,
  type SortKey,
  sortColumn,
  sortJoinsSql,
} from "./sort.ts";

/** The part of a list request that determines the text of its statements. */
export interface ListQuerySpec {
  readonly scope: ReadScope;
  readonly reader: ListReader;
  readonly sort: readonly string[];
  readonly filters: readonly Filter[];
  /** Conditions of the document's lists, tiles and references, on the alias `t`. */
  readonly shown: () => readonly Sql[];
  /** Those of them that are conditions of a list or a tile. */
  readonly conditions: readonly Expr[];
  readonly search: Search | null;
  readonly cursor: readonly (string | null)[] | null;
}

/** The columns of a page. */
export interface PageColumns {
  /** The columns of a record on the alias `t`. `labels` replaces labels of references that are already available. */
  columns(labels: ReadonlyMap<string, Sql>): Sql;
  /**
   * The label of the record that a reference with this key refers to; undefined if the reference is not visible on
   * every record.
   */
  label(reference: string, key: Sql): Sql | undefined;
}

/** The slot for the number of rows of a page, with the one that tells of a next page. */
const LIMIT = sql`${slot("limit", "integer")}`;
/** The slot for the number up to which records are counted. */
const MOST_COUNTED = sql`${slot("most", "integer")}`;

/** The column that marks a page as not read because there are too many keys. */
export const EXCEEDS_KEY_LIMIT = booleanColumn("exceeds:limit");

/**
 * Builds a page: its columns, and `sort:0` … for cursor values that the columns lack. Each access path contributes its
 * first rows, read from each of its keys in index order; the page is the first of all these rows. The limit stays a
 * parameter, because with a literal Postgres reads and sorts all rows of a key.
 *
 * The number of keys is known only at execution. With too many of them, none is read: the result is at least one
 * row with `EXCEEDS_KEY_LIMIT`, and `list.ts` plans the page again with `isScan`, which scans in order and tests the
 * key of each record. Rows without an id are not records. `isChecking`: without the caller's session, there are no rows at all.
 */
export const pageSql = (
  context: PlanContext,
  listing: ListQuerySpec,
  page: PageColumns,
  { isScan, isChecking }: { readonly isScan: boolean; readonly isChecking: boolean },
): Sql => {
  const { scope } = listing;
  const order = orderFor(context.model, scope.entity, listing.sort);
  const accessPaths = isScan ? accessPathsFor(scope.grants) : narrowedPaths(listing);
  const isKeyed = keyedIn(listing);
  const branches = accessPaths.map((path) =>
    buildBranch(
      listing,
      path,
      order,
      isScan && isKeyed(path) ? scanInOrder(path) : readByKeyOrSearch(listing, path, LIMIT),
    ),
  );
  const sortKeys = buildSortKeys(listing.reader, scope, listing.sort);
  const named = sortKeys.map((key, i) =>
    key.isRowValue ? { ...key, column: resultColumnSql(TABLE, sortColumn(i)) } : key,
  );
  const labelled = isScan ? noLabels : buildLabels(accessPaths, page);
  const isPadded = !isScan && accessPaths.some(isKeyed);
  const session = isChecking ? [sessionHolds(context.model)] : [];
  const select = (sort: readonly SortKey[], from: Sql, where: readonly Sql[] = []): Sql =>
    sql`SELECT ${join(
      [
        page.columns(labelled.labels),
        ...sort.flatMap((key, i) => (sortKeys[i]?.isInResponse === true ? [] : [selectAs(key.column, sortColumn(i))])),
        ...(isPadded ? [resultColumnSql(branches.length === 1 ? KEYS.alias : TABLE.alias, EXCEEDS_KEY_LIMIT)] : []),
      ],
      ", ",
    )} FROM ${from}${whereAll([...where, ...session])} ORDER BY ${orderBySql(sort, isPadded)} LIMIT ${LIMIT}`;
  const [branch] = branches;
  if (branch !== undefined && branches.length === 1)
    return branch.keys === undefined && branch.sources.length === 0
      ? select(branch.sort, sql`${tableSql(scope.entity)} AS ${TABLE}${sortJoinsSql(branch.sort)}`, [branch.where])
      : select(named, firstRowsSql(scope, branch, sortKeys, labelled.ofKey));
  const all = join(
    branches.map(
      (item) =>
        sql`(SELECT ${TABLE}.*${isPadded ? (item.keys === undefined ? sql`, ${selectAs(sql`FALSE`, EXCEEDS_KEY_LIMIT)}` : sql`, ${resultColumnSql(KEYS, EXCEEDS_KEY_LIMIT)}`) : sql``} FROM ${firstRowsSql(scope, item, sortKeys, undefined)})`,
    ),
    " UNION ALL ",
  );
  // Removes duplicates from several access paths. The order is total, so equal sort values mean one record.
  const once = join(
    [...(isPadded ? [identifier(EXCEEDS_KEY_LIMIT.alias)] : []), ...named.map((key) => key.column)],
    ", ",
  );
  const first = sql`${isPadded ? sql`${identifier(EXCEEDS_KEY_LIMIT.alias)} DESC, ` : sql``}${orderBySql(named, isPadded)}`;
  return select(
    named,
    sql`(SELECT DISTINCT ON (${once}) * FROM (${all}) AS ${TABLE} ORDER BY ${first} LIMIT ${LIMIT}) AS ${TABLE}`,
  );
};

const whereAll = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`` : sql` WHERE ${join(conditions, " AND ")}`;

/** The access paths of a page. The ids that a search finds narrow a path without keys better than a condition of the list. */
const narrowedPaths = ({ scope, search, conditions }: ListQuerySpec): readonly AccessPath[] =>
  accessPathsFor(scope.grants).map((path) => (search === null ? narrowToConditions(path, conditions) : path));

interface Labels {
  readonly labels: ReadonlyMap<string, Sql>;
  /** The label in SQL, in the scope of the key. */
  readonly ofKey: Sql | undefined;
}

const noLabels: Labels = { labels: new Map(), ofKey: undefined };

/**
 * For records read by the keys of one reference, the label of the reference is looked up once per key instead of once
 * per record.
 */
const buildLabels = ([path, ...others]: readonly AccessPath[], page: PageColumns): Labels => {
  const by = path?.by ?? null;
  if (path === undefined || by === null || by === "id" || others.length > 0) return noLabels;
  const [only] = path.keys;
  if (isKeyed(path) || only === undefined) {
    const ofKey = page.label(by, sql`${KEYS}."key"`);
    return ofKey === undefined ? noLabels : { labels: new Map([[by, sql`${KEYS}."label"`]]), ofKey };
  }
  const label = page.label(by, toSql(only.to, {}).value);
  return label === undefined ? noLabels : { labels: new Map([[by, label]]), ofKey: undefined };
};

/** The number of records in a list up to a limit, as `count`. */
export const countRecordsSql = (listing: ListQuerySpec): Sql => {
  const { scope } = listing;
  const { branches, keySets } = buildBranches({ ...listing, cursor: null }, accessPathsFor(scope.grants), undefined);
  const rows = branches.map(({ keys, sources: own, where, when }) => {
    const sources = [...buildSource(keys), ...own];
    const found = sql`SELECT ${TABLE}."id" FROM ${tableSql(scope.entity)} AS ${TABLE} WHERE ${where} LIMIT ${MOST_COUNTED}`;
    return sources.length === 0 && when === undefined
      ? sql`(${found})`
      : sql`(SELECT ${TABLE}."id" FROM ${join([...sources, sql`LATERAL (${found}) AS ${TABLE}`], " CROSS JOIN ")}${onlyWhen(when)} LIMIT ${MOST_COUNTED})`;
  });
  return sql`${withSets(keySets)}SELECT count(*)::integer AS "count" FROM (SELECT FROM (${join(rows, " UNION ")}) AS ${TABLE} LIMIT ${MOST_COUNTED}) AS ${TABLE}`;
};

/** True if the list has any record. A condition that names the caller finds its records by key. */
export const hasRecordsSql = (listing: ListQuerySpec): Sql => {
  const table = sql`${tableSql(listing.scope.entity)} AS ${TABLE}`;
  const found = narrowedPaths(listing).map((path) => {
    const { keys, sources, where } = buildBranch({ ...listing, cursor: null }, path, undefined, readByKey(path));
    return sql`EXISTS (SELECT FROM ${join([...buildSource(keys), ...sources, table], " CROSS JOIN ")} WHERE ${where})`;
  });
  return sql`(${join(found, " OR ")})`;
};

/** The rows of a list as the table `t`, for counting and aggregation: `FROM …`. */
export const listRowsSql = (listing: ListQuerySpec): Sql => {
  const { scope } = listing;
  const table = sql`${tableSql(scope.entity)} AS ${TABLE}`;
  const branches = accessPathsFor(scope.grants).map((path) =>
    buildBranch({ ...listing, cursor: null }, path, undefined, readByKey(path)),
  );
  const [branch] = branches;
  if (branch !== undefined && branches.length === 1 && branch.keys === undefined && branch.sources.length === 0)
    return sql`FROM ${table} WHERE ${branch.where}`;
  const ids = branches.map(
    ({ keys, sources, where }) =>
      sql`SELECT ${TABLE}."id" FROM ${join([...buildSource(keys), ...sources, table], " CROSS JOIN ")} WHERE ${where}`,
  );
  return sql`FROM (${join(ids, " UNION ")}) AS "ids" JOIN ${table} ON ${TABLE}."id" = "ids"."id"`;
};

/** One access path as SQL: its sources in order, and the conditions on its rows, the permission among them. */
interface Branch {
  /** The keys, if there are several. */
  readonly keys: Keys | undefined;
  readonly sources: readonly Sql[];
  readonly where: Sql;
  readonly sort: readonly SortKey[];
  /** The condition for reading it at all. */
  readonly when?: Sql;
}

/** How a branch finds its records. */
interface Lookup {
  readonly keys?: Keys;
  readonly where?: Sql;
  /** True if an index is read by key. */
  readonly byKey: boolean;
}

/** True if the access path has several keys, or keys that are known only at execution. */
const isKeyed = ({ by, keys }: AccessPath): boolean =>
  by !== null && !(keys.length === 1 && keys[0]?.path.length === 0 && keys[0].to.type.kind !== "list");

/**
 * The keys of an access path, each once. For one value beside one query, whose keys are distinct, it is enough to leave the value
 * out of the query: a union costs a hash table with each run.
 */
const unitedKeys = ({ keys }: AccessPath): Sql => {
  const [value, query, ...more] = keys.toSorted((a, b) => Number(isQuery(a)) - Number(isQuery(b)));
  if (value === undefined || query === undefined || more.length > 0 || isQuery(value) || !isQuery(query))
    return join(
      keys.map((key) => lookupSql(key)),
      " UNION ",
    );
  const only = toSql(value.to, {}).value;
  return sql`SELECT ${only} UNION ALL SELECT * FROM (${lookupSql(query)}) AS ${KEYS} ("key") WHERE ${KEYS}."key" IS DISTINCT FROM ${only}`;
};

/** True for keys that a query finds, and false for a single value of the caller. */
const isQuery = ({ path, to }: KeyLookup): boolean => path.length > 0 || to.type.kind === "list";

const keysOf = (path: AccessPath): Keys => ({ sets: new Map(), select: unitedKeys(path), limit: KEY_LIMIT });

const buildSource = (keys: Keys | undefined): readonly Sql[] =>
  keys === undefined ? [] : [sql`(${keys.select}) AS ${KEYS} ("key")`];

/** The ids found by an indexed search serve as keys of an access path without keys. */
const findSearchKeys = ({ search }: ListQuerySpec, path: AccessPath): Search["keys"] =>
  path.by === null ? (search?.keys ?? null) : null;
const keyedIn =
  (listing: ListQuerySpec) =>
  (path: AccessPath): boolean =>
    isKeyed(path) || findSearchKeys(listing, path) !== null;
const readByKeyOrSearch = (listing: ListQuerySpec, path: AccessPath, wanted: Sql): Lookup => {
  const found = findSearchKeys(listing, path);
  return found === null
    ? readByKey(path)
    : { keys: found(wanted), where: sql`${TABLE}."id" = ${KEYS}."key"`, byKey: true };
};

/** Reads by key. */
const readByKey = (path: AccessPath): Lookup => {
  const { by, keys } = path;
  if (by === null) return { byKey: false };
  const column = sql`${TABLE}.${identifier(by)}`;
  const [only] = keys;
  if (!isKeyed(path) && only !== undefined) return { where: sql`${column} = ${toSql(only.to, {}).value}`, byKey: true };
  return { keys: keysOf(path), where: sql`${column} = ${KEYS}."key"`, byKey: true };
};

/** Scans in order and tests the key of each record. */
const scanInOrder = (path: AccessPath): Lookup => (path.by === null ? { byKey: false } : testKeys(path));
const testKeys = (path: AccessPath): Lookup => ({
  // A separate condition, because Postgres would turn a join into a loop over the keys.
  where: sql`(${TABLE}.${identifier(path.by ?? "id")} IN (${unitedKeys(path)})) IS TRUE`,
  byKey: false,
});

/**
 * Builds the branches of all access paths for counting. The number of keys is known only at execution: few keys are
 * read one by one; with too many, most records match, and a scan in order finds them soon. The statement contains both
 * variants and executes one. The keys of a search are counted in no order, however many there are.
 */
const buildBranches = (
  listing: ListQuerySpec,
  accessPaths: readonly AccessPath[],
  order: Order | undefined,
): { readonly branches: readonly Branch[]; readonly keySets: ReadonlyMap<string, Sql> } => {
  const keySets = new Map<string, Sql>();
  const branches = accessPaths.flatMap((path, i): readonly Branch[] => {
    if (!keyedIn(listing)(path)) return [buildBranch(listing, path, order, readByKey(path))];
    const close = readByKeyOrSearch(listing, path, MOST_COUNTED);
    const found = close.keys ?? keysOf(path);
    for (const [name, set] of found.sets) keySets.set(name, set);
    const choose = (keys: Keys, exceedsLimit: Sql): readonly Branch[] => [
      { ...buildBranch(listing, path, order, close), keys, when: sql`NOT ${exceedsLimit}` },
      { ...buildBranch(listing, path, order, scanInOrder(path)), when: exceedsLimit },
    ];
    if (found.exceedsLimit !== undefined) return choose(found, found.exceedsLimit);
    const set = identifier(`k${i}`);
    keySets.set(`k${i}`, sql`SELECT * FROM (${found.select}) AS ${KEYS} ("key") LIMIT ${found.limit} + 1`);
    return choose(
      { ...found, select: sql`SELECT * FROM ${set}` },
      sql`((SELECT count(*) FROM ${set}) > ${found.limit})`,
    );
  });
  return { branches, keySets };
};

const withSets = (sets: ReadonlyMap<string, Sql>): Sql =>
  sets.size === 0
    ? sql``
    : sql`WITH ${join(
        [...sets].map(([name, set]) => sql`${identifier(name)} AS MATERIALIZED (${set})`),
        ", ",
      )} `;

const onlyWhen = (when: Sql | undefined): Sql => (when === undefined ? sql`` : sql` WHERE ${when}`);

/**
 * The first rows of a branch from each of its sources, as the table `t` with the computed sort values. `label`: the
 * label of a key, as `"k"."label"`.
 */
const firstRowsSql = (
  scope: ReadScope,
  { keys, sources, where, sort }: Branch,
  sortKeys: readonly SortKey[],
  label: Sql | undefined,
): Sql => {
  const extra = sortKeys.flatMap((key, i) =>
    key.isRowValue ? [sql`, ${selectAs(sort[i]?.column ?? key.column, sortColumn(i))}`] : [],
  );
  // Evaluated before any row is read; with too many keys, no row is read.
  const isRead = keys === undefined ? sql`` : sql`NOT ${resultColumnSql(KEYS, EXCEEDS_KEY_LIMIT)} AND `;
  const rows = sql`(SELECT ${join([sql`${TABLE}.*`, ...extra], "")} FROM ${tableSql(scope.entity)} AS ${TABLE}${sortJoinsSql(sort)} WHERE ${isRead}${where} ORDER BY ${orderBySql(sort)} LIMIT ${LIMIT}) AS ${TABLE}`;
  const found = sources.length === 0 ? rows : join([...sources, sql`LATERAL ${rows}`], " CROSS JOIN ");
  if (keys === undefined) return found;
  const { sets, exceedsLimit, select, limit } = keys;
  // A row without a key stands for keys that are not read.
  const none = exceedsLimit === undefined ? sql`` : sql`SELECT NULL::uuid WHERE ${exceedsLimit} UNION ALL `;
  const exceedsKeyLimit = sql`count(*) OVER () > ${limit}${exceedsLimit === undefined ? sql`` : sql` OR ${KEYS}."key" IS NULL`}`;
  const each = sql`(SELECT ${KEYS}."key"${label === undefined ? sql`` : sql`, ${label} AS "label"`}, ${selectAs(exceedsKeyLimit, EXCEEDS_KEY_LIMIT)} FROM (SELECT * FROM (${withSets(sets)}${none}${select}) AS ${KEYS} LIMIT ${limit} + 1) AS ${KEYS} ("key")) AS ${KEYS}`;
  return sql`${each} LEFT JOIN LATERAL ${sources.length === 0 ? rows : sql`(SELECT ${TABLE}.* FROM ${found}) AS ${TABLE}`} ON TRUE`;
};

/**
 * Builds the branch of an access path. Its `WHERE` has the permission, as the key in `found` and the remaining conditions of
 * the path, then the conditions of the list, the filters, the search and the cursor.
 */
const buildBranch = (
  { reader, scope, sort, filters, shown, conditions, search, cursor }: ListQuerySpec,
  path: AccessPath,
  order: Order | undefined,
  found: Lookup,
): Branch => {
  const own = columnsUnderGrants(scope, path.grants);
  const keys = buildSortKeys(reader, own, sort);
  const sources: Sql[] = [];
  const where: Sql[] = found.where === undefined ? [] : [found.where];
  // Records found by a search are read one by one.
  const axis =
    order === undefined || (found.byKey && path.by === null)
      ? undefined
      : findAxis(order, found.byKey ? path.by : null, filters, own, [...path.conditions, ...conditions]);
  if (axis !== undefined) {
    sources.push(sql`unnest(${axis.values}) AS ${VALUES} ("value")`);
    where.push(sql`${TABLE}.${identifier(axis.name)} = ${VALUES}."value"`);
  }
  for (const condition of path.conditions) where.push(sql`(${toSql(condition, scope.env).truth})`);
  where.push(...shown());
  for (const filter of filters)
    if (filter.field.name !== axis?.name) where.push(filterCondition(filter, (name) => own.column(name)));
  if (search !== null) where.push(search.condition(own));
  if (cursor !== null) where.push(afterCursorSql(keys, cursor));
  return { keys: found.keys, sources, where: where.length === 0 ? sql`TRUE` : join(where, " AND "), sort: keys };
};

const buildSortKeys = (reader: ListReader, scope: ColumnMask, names: readonly string[]): readonly SortKey[] => {
  const keys = findSortKeys(reader, scope, names);
  if ("kind" in keys) throw new Error("a list is planned after its order was found good");
  return keys;
};

/** The ids at the start of a path whose end is the caller's value, or another one. */
export const lookupSql = ({ path, to }: KeyLookup, end: Sql = toSql(to, {}).value): Sql =>
  path.reduceRight<Sql>(
    (found, { entity, field }) =>
      field.type.kind === "list"
        ? sql`SELECT DISTINCT ${KEYS}."record" FROM "app".${identifier(linksName(entity.table, field.name))} AS ${KEYS} WHERE ${KEYS}."refers" IN (${found})`
        : sql`SELECT ${KEYS}."id" FROM "app".${identifier(entity.table)} AS ${KEYS} WHERE ${KEYS}.${identifier(field.column ?? field.name)} IN (${found})`,
    to.type.kind === "list" ? sql`SELECT DISTINCT unnest(${end})` : sql`SELECT ${end}`,
  );

/**
 * The values of the column that the conditions permit: with `status != done`, nothing is read of the index for `done`.
 * Only conditions on that column alone are decided here.
 */
const possibleValues = (
  { name, values }: NonNullable<Order["axis"]>,
  conditions: readonly Expr[],
): readonly string[] => {
  const decisive = conditions
    .flatMap((condition) => getOperands(condition, "boolean && boolean"))
    .filter((condition) => readsOnly(condition, name))
    .map(toJs);
  return values.filter((value) => decisive.every((holds) => holds({ [name]: value }, nowhere) === true));
};

const nowhere: JsEnv = { now: "", today: "", rows: () => [] };

const readsOnly = (condition: Expr, name: string): boolean => {
  const { fields, paths, names, user, old, clock, recordReads } = collectReadSet(condition);
  const isAlone = fields.size === 1 && fields.has(name) && [...paths].every((path) => path === name);
  return isAlone && names.size === 0 && !user && !old && !clock && recordReads.length === 0;
};

/**
 * The distinct values of a leading index column with few values, if no filter fixes it; the index is then read in order
 * for each value. `order` is the order of a list in the document, `by` the key column.
 */
const findAxis = (
  order: Order,
  by: string | null,
  filters: readonly Filter[],
  scope: ColumnMask,
  conditions: readonly Expr[],
): { readonly name: string; readonly values: Sql } | undefined => {
  const { axis } = order;
  if (axis === null || scope.column(axis.name) === undefined || scope.visibleWhen(axis.name) !== undefined)
    return undefined;
  const filter = filters.find(({ field }) => field.name === axis.name);
  if (filter !== undefined && (!hasValuesOnly(filter) || filter.values.length < 2)) return undefined;
  const one = filters.filter((filter) => filter.values.length === 1 && hasValuesOnly(filter));
  if (by === "id" || (by !== null && !order.main)) return undefined;
  if (by === null) {
    // The index of another filter has this order already; the index of a reference also begins with the axis.
    if (one.some(({ field }) => order.filters.some(({ name }) => name === field.name))) return undefined;
    if (!order.main && one.some(({ field }) => field.type === "reference")) return undefined;
  }
  const values =
    filter === undefined
      ? sql`ARRAY[${join(
          possibleValues(axis, conditions).map((value) => constant(value)),
          ", ",
        )}]::text[]`
      : sql`${slot(filter.slot, "text[]")}`;
  return { name: axis.name, values };
};
