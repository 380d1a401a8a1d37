import {
  audienceOnRecords,
  mightSeeTile,
  readableFieldsFor,
  seesScreen,
} from "../../../core/derive/authorization/grants.ts";
import { opensTile } from "../../../core/derive/client/dashboard-tiles.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Type } from "../../../core/expression/values/type.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { isTimestampField } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Aggregate, Tile, TilesScreen } from "../../../core/model/screen.ts";
import { join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Count, ListJson } from "../../../core/wire/lists.ts";
import type { GroupJson, OverviewJson, TileDataJson } from "../../../core/wire/overview.ts";
import type { Query, Row } from "../../../postgres/database.ts";
import { type Refusal, refuse } from "../../refusal.ts";
import { GROUPED, TABLE } from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found, JsonText } from "../outcome.ts";
import { type BatchPlan, planSteps } from "../plan.ts";
import {
  type BooleanColumn,
  booleanColumn,
  type ResultColumn,
  readColumn,
  resultColumn,
  selectAs,
} from "../result-columns.ts";
import { labelText, readerEnv, referenceLabelSql } from "../row/labels.ts";
import { readScope } from "../row/read-scope.ts";
import { toQuery } from "../statements.ts";
import { type Steps, sideBySide } from "../steps.ts";
import { findGrouping, type Grouping } from "./grouping.ts";
import { COUNT_LIMIT, getKeyLimit, planList, toCount } from "./list.ts";
import { countRecordsSql, hasRecordsSql, type ListQuerySpec, listRowsSql } from "./page-sql.ts";
import { decodePivot, pivotSql, SMALL_PIVOT } from "./pivot.ts";
import { screenConditionsSql } from "./screen-conditions.ts";

/** Maximum number of rows in a tile. The list shows the rest. */
const MAX_ROWS = 6;
/** Maximum number of groups in a chart. */
const MAX_GROUPS = 400;

/**
 * The contents of a screen's tiles in the caller's read scope. One statement serves all counting tiles; each list, figure,
 * chart and pivot has its own.
 */
export const planOverview = (
  context: PlanContext,
  intent: { readonly screen: string },
  caller: Caller,
  format: Format,
): BatchPlan<Found> | Refusal => {
  const { model } = context;
  const { principal } = caller;
  const screen = model.screens.find((candidate) => candidate.kind === "tiles" && candidate.path === intent.screen);
  if (screen?.kind !== "tiles" || !seesScreen(model, screen, principal)) return refuse("NOT_FOUND");
  const tiles = screen.tiles.filter(
    (tile) => mightSeeTile(model, tile, principal) && opensTile(tile, readableFieldsFor(model, tile.entity, principal)),
  );
  // A screen without visible tiles does not exist for the caller.
  if (tiles.length === 0) return refuse("NOT_FOUND");

  const counted: readonly Tile[] = tiles.filter((tile) => tile.kind === "count" || tile.kind === "list");
  const conditional: readonly Tile[] = tiles.filter((tile) => !seesScreen(model, tile, principal));
  const counting =
    counted.length + conditional.length > 0
      ? countsQuery(context, screen, { counted, conditional }, caller)
      : undefined;
  const readers: (() => Steps<TileReader>)[] = [];
  for (const tile of tiles) {
    const count = countColumn(counted.indexOf(tile));
    if (tile.kind === "count") readers.push(() => countTile(count));
    else if (tile.kind === "list") {
      const hasStates = model.entities.get(tile.entity)?.states != null;
      const intent = listIntent(tile, readableFieldsFor(model, tile.entity, principal), hasStates);
      const list = planList(context, intent, caller, format);
      if (list.kind === "refusal") return list;
      readers.push(() => listTile(list, count));
    } else if (tile.kind === "figure") {
      const query = figureQuery(context, tile, caller);
      readers.push(() => figureTile(query));
    } else if (tile.kind === "pivot") {
      const { query, grouping } = pivotQuery(context, tile, caller);
      readers.push(() => pivotTile(context, grouping, query, format));
    } else {
      const query = chartQuery(context, tile, caller);
      readers.push(() => chartTile(context, tile, query, format));
    }
  }
  return planSteps<Found>(function* () {
    // A tile that turns out to be meant for others is not read.
    const early = conditional.length === 0 ? null : yield* readCounts(counting);
    const absent = new Set(conditional.filter((_, nth) => early !== null && !readColumn(early, audienceColumn(nth))));
    const isAbsent = (tile: Tile | undefined) => tile !== undefined && absent.has(tile);
    const [late, ready] = yield* sideBySide(
      readCounts(early === null ? counting : undefined),
      readers.map((read, nth) => (isAbsent(tiles[nth]) ? absentTile() : read())),
    );
    const body: OverviewJson = { tiles: ready.map((read) => read(early ?? late)) };
    return asFound(body);
  });
};

/** The number of records of a tile, by its index among those that count. */
const countColumn = (nth: number): ResultColumn<Count> => resultColumn(`count:${nth}`, toCount);

/** True if the caller holds a role for which the tile is meant on some record, by its index among the conditional tiles. */
const audienceColumn = (nth: number): BooleanColumn => booleanColumn(`audience:${nth}`);

/** Builds the data of a tile after the counts of all tiles are known. */
type TileReader = (counts: Row) => OverviewJson["tiles"][number];

function* readCounts(query: Query | undefined): Steps<Row> {
  if (query === undefined) return {};
  const [[counts = {}] = []] = yield [query];
  return counts;
}

/** In place of a tile for a role that the caller holds on no record. */
function* absentTile(): Steps<TileReader> {
  return () => ({ kind: "absent" });
}

/** The number comes from the statement that counts for all tiles. */
function* countTile(count: ResultColumn<Count>): Steps<TileReader> {
  return (counts) => ({ kind: "count", count: readColumn(counts, count) });
}

function* listTile(list: BatchPlan<Found>, count: ResultColumn<Count>): Steps<TileReader> {
  const result = yield* list.steps();
  // A list returns its records as JSON text; a tile parses the few it has.
  const body = result.kind === "found" ? result.body : undefined;
  const items = body instanceof JsonText ? (JSON.parse(body.text) as ListJson).items : [];
  return (counts) => ({ kind: "list", items, count: readColumn(counts, count) });
}

function* figureTile(query: Query): Steps<TileReader> {
  const [[row = {}] = []] = yield [query];
  return () => ({ kind: "figure", value: readColumn(row, FIGURE), compared: readColumn(row, COMPARED) });
}

function* chartTile(context: PlanContext, tile: Chart, query: Query, format: Format): Steps<TileReader> {
  const [rows = []] = yield [query];
  return () => decodeChart(context, tile, rows, format);
}

function* pivotTile(context: PlanContext, grouping: Grouping, query: Query, format: Format): Steps<TileReader> {
  const [rows = []] = yield [query];
  return () => ({ kind: "pivot", pivot: decodePivot(context, grouping, rows, format) });
}

/** Rows with states include capabilities, so that users can make transitions from the tile. */
const listIntent = (tile: Tile & { kind: "list" }, readable: ReadonlySet<string>, may: boolean) =>
  ({
    kind: "list",
    entity: tile.entity,
    where: [tile.clause.id],
    filters: [],
    sort: tile.sort.filter((key) => {
      const name = key.replace(/^-/u, "");
      return isTimestampField(name) || readable.has(name);
    }),
    limit: MAX_ROWS,
    after: null,
    count: false,
    may,
    label: true,
    search: null,
    among: null,
  }) as const;

/** The readable records that meet a condition. */
const buildListing = (
  { model }: PlanContext,
  { entity: name, where }: Pick<Tile, "entity" | "where">,
  { principal }: Caller,
): ListQuerySpec => {
  const entity = model.entities.get(name);
  if (entity === undefined) throw new Error(`no entity ${name}`);
  const conditions = where === null ? [] : [where];
  const shown = screenConditionsSql(model, principal, entity, conditions);
  return {
    reader: { model, principal },
    scope: readScope(model, entity, principal, TABLE.alias),
    sort: [],
    filters: [],
    shown,
    conditions,
    search: null,
    cursor: null,
  };
};

/**
 * True if the caller can read a record on which they hold a role for which the tile is meant. Like the condition of a tile,
 * that of the role sees only what the caller can read.
 */
const isInAudienceSql = (context: PlanContext, tile: Tile, caller: Caller): Sql =>
  join(
    audienceOnRecords(context.model, tile, caller.principal).map(({ condition }) =>
      hasRecordsSql(buildListing(context, { entity: tile.entity, where: condition }, caller)),
    ),
    " OR ",
  );

interface CountedTiles {
  readonly counted: readonly Tile[];
  /** Tiles for roles held on records. */
  readonly conditional: readonly Tile[];
}

/** One statement with the counts of all tiles that count, and with whether the conditional ones are meant for the caller. */
const countsQuery = (
  context: PlanContext,
  screen: TilesScreen,
  { counted, conditional }: CountedTiles,
  caller: Caller,
): Query => {
  const shape = counted.map(({ clause }) => clause.id);
  const counts = context.statements.get(["overview", screen.path, shape, principalKey(caller.principal)], () => ({
    sql: sql`SELECT ${join(
      [
        ...counted.map((tile, i) =>
          selectAs(sql`(${countRecordsSql(buildListing(context, tile, caller))})`, countColumn(i)),
        ),
        ...conditional.map((tile, i) => selectAs(isInAudienceSql(context, tile, caller), audienceColumn(i))),
      ],
      ", ",
    )}`,
    more: undefined,
  }));
  return toQuery(counts, { ...callerParams(caller), most: COUNT_LIMIT + 1, keyLimit: getKeyLimit(context) });
};

type Chart = Tile & { kind: "chart" };
type Figure = Tile & { kind: "figure" };

const toFigure = (value: unknown): string | null => (value == null ? null : plainNumber(String(value)));
const FIGURE: ResultColumn<string | null> = resultColumn("value", toFigure);
const COMPARED: ResultColumn<string | null> = resultColumn("compared", toFigure);

/** Queries the figure, and the one beside it, in one statement. */
const figureQuery = (context: PlanContext, tile: Figure, caller: Caller): Query => {
  const { model } = context;
  const { principal } = caller;
  const written = context.statements.get(["figure", tile.clause.id, principalKey(principal)], () => {
    const env = readerEnv(model, getEntity(context, tile.entity), principal, TABLE.alias);
    const value = aggregateSql(tile.value, env);
    const over = (where: Tile["where"]) =>
      sql`(SELECT ${value} ${listRowsSql(buildListing(context, { entity: tile.entity, where }, caller))})::text`;
    const compared = tile.compare === null ? sql`NULL::text` : over(tile.compare.where);
    return {
      sql: sql`SELECT ${selectAs(over(tile.where), FIGURE)}, ${selectAs(compared, COMPARED)}`,
      more: undefined,
    };
  });
  return toQuery(written, callerParams(caller));
};

/** The aggregate of the rows of a query, or of one of its groups. A share is in percent, to one decimal place. */
const aggregateSql = ({ how, of }: Aggregate, env: SqlEnv): Sql => {
  const taken = of === null ? sql`*` : toSql(of, env).value;
  return {
    count: sql`count(${taken})`,
    sum: sql`coalesce(sum(${taken}), 0)`,
    min: sql`min(${taken})`,
    max: sql`max(${taken})`,
    avg: sql`round(avg(${taken}), 4)`,
    share: sql`round(100.0 * count(*) FILTER (WHERE ${taken}) / nullif(count(*), 0), 1)`,
  }[how];
};

const chartQuery = (context: PlanContext, tile: Chart, caller: Caller): Query => {
  const { model } = context;
  const { principal } = caller;
  const written = context.statements.get(["chart", tile.clause.id, principalKey(principal)], () => {
    const entity = getEntity(context, tile.entity);
    const env = readerEnv(model, entity, principal, TABLE.alias);
    const value = aggregateSql(tile.value, env);
    // For dates, the most recent groups come first; for others, the largest.
    const order =
      tile.per.type.kind === "date" && tile.sort.length === 0
        ? sql`"key" DESC NULLS FIRST`
        : sql`"value" DESC NULLS LAST, "key"`;
    const groups = sql`SELECT ${toSql(tile.per, env).value} AS "key", ${value} AS "value" ${listRowsSql(buildListing(context, tile, caller))} GROUP BY 1 ORDER BY ${order} LIMIT ${slot("groups", "integer")}`;
    const target = findGroupEntity(context, tile);
    const label =
      target === undefined
        ? sql``
        : sql`, ${referenceLabelSql(model, target, principal, sql`${GROUPED}."key"`)} AS "label"`;
    return {
      sql: sql`SELECT ${GROUPED}."key", ${GROUPED}."value"::text AS "value"${label} FROM (${groups}) AS ${GROUPED}`,
      more: undefined,
    };
  });
  return toQuery(written, { ...callerParams(caller), groups: MAX_GROUPS + 1 });
};

const pivotQuery = (
  context: PlanContext,
  tile: Tile & { kind: "pivot" },
  caller: Caller,
): { readonly query: Query; readonly grouping: Grouping } => {
  const listing = buildListing(context, tile, caller);
  const { scope } = listing;
  const grouping = findGrouping(scope, [tile.rows, tile.columns], tile.sum === null ? [] : [tile.sum]);
  if ("kind" in grouping) throw new Error(`the pivot ${tile.clause.id} has fields that are no groups`);
  const written = context.statements.get(["pivot", tile.clause.id, principalKey(caller.principal)], () => ({
    sql: pivotSql(context, caller, scope, grouping, listRowsSql(listing), SMALL_PIVOT),
    more: undefined,
  }));
  return { query: toQuery(written, callerParams(caller)), grouping };
};

/** The entity by which a chart groups. */
const findGroupEntity = ({ model }: PlanContext, { per }: Chart): Entity | undefined =>
  per.type.kind === "record" ? model.entities.get(per.type.entity) : undefined;

const decodeChart = (context: PlanContext, tile: Chart, rows: readonly Row[], format: Format): TileDataJson => {
  const target = findGroupEntity(context, tile);
  const groups = rows.slice(0, MAX_GROUPS).map(({ key, value, label }): GroupJson => {
    const shown = typeof key === "number" || typeof key === "boolean" ? key : key == null ? null : String(key);
    const labelled = target !== undefined && shown !== null;
    return {
      key: shown,
      value: value == null ? null : plainNumber(String(value)),
      ...(labelled ? { label: label == null ? "…" : labelText(target.label, label, format) } : {}),
    };
  });
  return {
    kind: "chart",
    groups: tile.sort.length > 0 ? groups : sortGroups(tile.per.type, groups),
    more: rows.length > MAX_GROUPS,
  };
};

/**
 * Dates in chronological order, choices and states as declared, before values that the document no longer has; others
 * stay, the largest first.
 */
const sortGroups = (type: Type, groups: readonly GroupJson[]): readonly GroupJson[] => {
  if (type.kind === "date") return groups.toReversed();
  if (type.kind !== "choice") return groups;
  const placeOf = ({ key }: GroupJson) => {
    const place = key === null ? -1 : type.values.indexOf(String(key));
    return place === -1 ? type.values.length : place;
  };
  return groups.toSorted((one, other) => placeOf(one) - placeOf(other));
};

const plainNumber = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/u, "") : text);
