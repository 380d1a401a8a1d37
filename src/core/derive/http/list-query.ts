import { type DateStep, parseGroupKey } from "../../model/facts/date-steps.ts";
import { MOST_GROUPINGS } from "../../model/facts/grouping.ts";
import type { EntityJson, FieldJson } from "../../wire/entities.ts";
import type { LayoutJson, ListScreenJson, PivotFieldsJson, ScreenJson } from "../../wire/screens.ts";

/**
 * The part of a list request that the user controls. It is stored in the address, so that it can be shared and
 * restored.
 */
export interface ListSearch {
  /**
   * Filters by query parameter: a field's name with values, `due_day>` and `due_day<` with bounds, `due_day@` with a
   * period, `fault~` with words. Values of one field are alternatives; several fields must all match.
   */
  readonly filters: Filters;
  /** `-due_day` sorts in descending order. */
  readonly sort: readonly string[];
  /** Search words in any field. */
  readonly words: string;
  /** The clause of the tile that defines the records, instead of the list's own condition. */
  readonly where: string | null;
  /**
   * The fields by which the table is grouped, outermost first; those of the rows and the columns of a pivot. Dates are
   * grouped by month, or as in `quarter_of(day)`.
   */
  readonly grouped: readonly string[];
  /** The figures of a pivot: the field that is added up, "" to count the records, and null for the default. */
  readonly figure: string | null;
  /** Null for the default layout. */
  readonly layout: LayoutJson["kind"] | null;
  /** The day whose month or week a calendar shows; null for today. */
  readonly at: string | null;
  /** The period and form of a calendar; null for the default. */
  readonly scale: CalendarScale | null;
}

export const calendarScales = ["month", "week", "agenda"] as const;
export type CalendarScale = (typeof calendarScales)[number];

export type Filters = { readonly [key: string]: readonly string[] };

/** Query parameters, as `URLSearchParams` provides them. */
export interface QueryReader {
  get(name: string): string | null;
  getAll(name: string): readonly string[];
}

/** Query parameters of a call, in order. */
export type QueryEntries = [name: string, value: string][];

const findListField = (entity: EntityJson, name: string): FieldJson | undefined =>
  entity.fields.find((field) => field.name === name);

/** A field by which a list is grouped; of a date, by its periods. */
export interface GroupFieldJson extends FieldJson {
  readonly step?: DateStep;
}

/** The field of `kind`, `day` or `quarter_of(day)`; undefined if the list can't be grouped by it. */
export const findGroupFieldJson = ({ fields }: EntityJson, group: string): GroupFieldJson | undefined => {
  const { field: name, step } = parseGroupKey(group);
  const field = fields.find((one) => one.name === name);
  if (!isGrouped(field) || (step !== null && field.type !== "date")) return undefined;
  return field.type === "date" ? { ...field, step: step ?? "month" } : field;
};

/** True if the table can be grouped by the field. */
export const isGrouped = (field: FieldJson | undefined): field is FieldJson =>
  field !== undefined &&
  field.many !== true &&
  (field.filters === "values" || (field.type === "date" && field.filters === "range"));

/** The field of a filter: `due_day` for `due_day>`. */
export const filteredField = (key: string): string => key.replace(/[<>~@]$/u, "");

/** True if the field can be filtered by periods such as `last_month`. */
export const offersPeriods = ({ type, filters }: FieldJson): boolean =>
  filters === "range" && (type === "date" || type === "datetime");

/** The query parameters that filter a field. */
export const filterParameters = (field: FieldJson): readonly string[] => {
  const { name, filters } = field;
  if (filters === "range") return [name, `${name}>`, `${name}<`, ...(offersPeriods(field) ? [`${name}@`] : [])];
  return filters === "words" ? [name, `${name}~`] : [name];
};

/** Reads an address. Ignores parameters that are not filters or columns of this screen. */
export const readSearch = (query: QueryReader, screen: ListScreenJson, entity: EntityJson): ListSearch => {
  const filters = Object.fromEntries(
    entity.fields
      .filter((field) => field.filters !== null)
      .flatMap(filterParameters)
      .map((key) => [key, query.getAll(key).filter((value) => value !== "" || key === filteredField(key))] as const)
      .filter(([, values]) => values.length > 0),
  );
  const sort = (query.get("sort") ?? "").split(",").filter((by) => findListField(entity, by.replace(/^-/, ""))?.sorts);
  // An address can say that there are no groups.
  const written = query.get("grouped");
  const named = (written === null ? (screen.group ?? []) : written.split(",")).filter((group) =>
    findGroupFieldJson(entity, group),
  );
  const byField = new Map(named.map((group) => [parseGroupKey(group).field, group]));
  const grouped = [...byField.values()].slice(0, MOST_GROUPINGS);
  const requested = query.get("layout");
  // Any two fields of a list make a pivot, also without such a layout in the document.
  const isPivot = requested === "pivot" && grouped.length === MOST_GROUPINGS;
  const layout = isPivot ? "pivot" : (screen.layouts.find(({ kind }) => kind === requested)?.kind ?? null);
  return {
    filters,
    grouped,
    figure: readFigure(query.get("figure"), entity),
    sort: sort.length > 0 ? sort : screen.sort,
    words: query.get("search") ?? "",
    where: query.get("where"),
    layout,
    scale: calendarScales.find((scale) => scale === query.get("scale")) ?? null,
    at: /^\d{4}-\d\d-\d\d$/u.test(query.get("at") ?? "") ? query.get("at") : null,
  };
};

const numbers: ReadonlySet<FieldJson["type"]> = new Set(["integer", "decimal", "money"]);

/** True if the values of the field are added up in groups and pivots. */
export const isAddedUp = ({ type, many }: FieldJson): boolean => numbers.has(type) && many !== true;

/** Reads `count()` and `sum(cost)`, as in a document. */
const readFigure = (text: string | null, entity: EntityJson): string | null => {
  if (text === "count()") return "";
  const [, name = ""] = /^sum\((\w+)\)$/u.exec(text ?? "") ?? [];
  const field = findListField(entity, name);
  return field !== undefined && isAddedUp(field) ? name : null;
};

export const writeFigure = (figure: string): string => (figure === "" ? "count()" : `sum(${figure})`);

/** True if the groups are those of the document. */
export const isOwnGroup = ({ group = [] }: Pick<ListScreenJson, "group">, grouped: readonly string[]): boolean =>
  grouped.join() === group.join();

/**
 * The pivot of a list: of the fields that the reader chose, or else that of the document; null if there is neither. One
 * field that was chosen takes the place of the rows, or that of the columns if it was there.
 */
export const findPivot = (
  { layouts, group }: Pick<ListScreenJson, "layouts" | "group">,
  { grouped: all, figure }: Pick<ListSearch, "grouped" | "figure">,
): PivotFieldsJson | null => {
  const own = layouts.find((layout) => layout.kind === "pivot");
  // The groups of the table change no pivot of the document.
  const grouped = own !== undefined && isOwnGroup({ ...(group && { group }) }, all) ? [] : all;
  const [rows, columns] = grouped;
  const isChosen = rows !== undefined && columns !== undefined;
  if (!isChosen && own === undefined) return null;
  const fields = isChosen ? { rows, columns } : own && withDimension(own, rows);
  if (fields === undefined) return null;
  const sum = figure === null ? (own?.sum ?? null) : figure === "" ? null : figure;
  return { rows: fields.rows, columns: fields.columns, sum };
};

const withDimension = (own: PivotFieldsJson, group: string | undefined): Pick<PivotFieldsJson, "rows" | "columns"> => {
  if (group === undefined) return own;
  const isColumns = parseGroupKey(group).field === parseGroupKey(own.columns).field;
  return isColumns ? { rows: own.rows, columns: group } : { rows: group, columns: own.columns };
};

/** Rows of the first pages: a little more than a screen. */
const FIRST = 50;
/** Rows of later pages: larger, to save round trips while scrolling. */
const FURTHER = 200;

/** Number of rows of a page: small first pages for a fast start, larger ones later. */
export const pageSize = ({ atOnce }: ListScreenJson, page: number): number =>
  Math.min(page < 2 ? FIRST : FURTHER, atOnce);

/** The number of records to ask for: `most`, unless the server sends fewer at once (`page_size_max`). */
export const limitPage = (screens: readonly ScreenJson[], most: number): number =>
  Math.min(most, ...screens.flatMap((screen) => (screen.kind === "list" ? [screen.atOnce] : [])));

/** A page of a list: the cursor of the row before it, and the number of rows. */
export interface ListPage {
  readonly after: string | null;
  readonly limit: number;
}

export const firstPage = (screen: ListScreenJson): ListPage => ({ after: null, limit: pageSize(screen, 0) });

/** Query parameters that select the records. */
const narrowing = ({ filters, words, where }: ListSearch, screen: ListScreenJson): QueryEntries => {
  const condition = where ?? screen.where;
  const query: QueryEntries = [];
  if (condition !== null) query.push(["where", condition]);
  if (words !== "") query.push(["search", words]);
  for (const [field, values] of Object.entries(filters)) for (const value of values) query.push([field, value]);
  return query;
};

/** Query parameters that select and sort the records. */
export const sortedQuery = (search: ListSearch, screen: ListScreenJson): QueryEntries => {
  const query = narrowing(search, screen);
  if (search.sort.length > 0) query.push(["sort", search.sort.join(",")]);
  return query;
};

/** The query for the groups of a list. The parameters contain a dot, so they cannot be field names. */
export const groupsCall = (search: ListSearch, screen: ListScreenJson, sums: readonly string[]): QueryEntries => [
  ...narrowing(search, screen),
  ["groups.by", search.grouped.join(",")],
  ...(sums.length === 0 ? [] : [["groups.sums", sums.join(",")] as [string, string]]),
];

/** The query for a pivot of a list. */
export const pivotCall = (search: ListSearch, screen: ListScreenJson, { rows, columns, sum }: PivotFieldsJson) =>
  groupsCall({ ...search, grouped: [rows, columns] }, screen, sum === null ? [] : [sum]);

/** The query of a list call. The count is requested with the first page only. */
export const listCall = (search: ListSearch, screen: ListScreenJson, { after, limit }: ListPage): QueryEntries => [
  ...sortedQuery(search, screen),
  ["limit", String(limit)],
  ["label", "true"],
  ...(screen.capabilities ? [["may", "true"] as [string, string]] : []),
  after === null ? ["count", "true"] : ["after", after],
];
