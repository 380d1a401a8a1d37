import { createHash } from "node:crypto";
import { deciderOf, whoMay } from "../../core/derive/access.ts";
import { isFilteredBy, isSearched, isSortedBy } from "../../core/derive/lists.ts";
import { kinds } from "../../core/field/kinds.ts";
import { isId } from "../../core/field/reference.ts";
import { isDate } from "../../core/field/time.ts";
import type { Format } from "../../core/model/format.ts";
import type { Field } from "../../core/model/model.ts";
import { identifier, join, type Sql, slot, sql } from "../../core/sql.ts";
import type { Json, ListJson } from "../../core/wire.ts";
import type { Query, Row } from "../../postgres/database.ts";
import type { ListIntent } from "../ask.ts";
import { forbid, type Refusal, refuse } from "../refusal.ts";
import { type Action, reply } from "./action.ts";
import { type Asker, type Context, entityOf, queryOf, signatureOf, slotsOf } from "./context.ts";
import { tableOf } from "./environment.ts";
import { asCondition, type Eyes, eyesOf } from "./eyes.ts";
import { specOf } from "./given.ts";
import { columnsOf, recordOf } from "./record.ts";

/** Counting goes no further: "10,000+". */
const COUNTED = 10_000;

interface SortKey {
  readonly column: Sql;
  readonly type: string;
  readonly name: string;
  readonly down: boolean;
  readonly missing: boolean;
}

/** A page of records in the order asked for, each with the permission in the WHERE, and the way to the next page. */
export const planList = (context: Context, intent: ListIntent, asker: Asker, format: Format): Action | Refusal => {
  const entity = entityOf(context, intent.entity);
  const { person } = asker;
  const eyes = eyesOf(context.model, entity, person, "t");
  // Nobody may read anything: an empty list would say that there is nothing.
  if (eyes.gates.length === 0) return forbid(deciderOf(entity, "read"), whoMay(entity, "read"));

  const sort = sortKeys(eyes, intent.sort);
  if ("kind" in sort) return sort;
  const filter = filterOf(eyes, intent);
  if ("kind" in filter) return filter;
  const cursor = intent.after === null ? null : readCursor(intent.after, sort, cursorSeal(intent));
  if (cursor === undefined) return refuse("BAD_CURSOR");

  const searched = intent.search === null ? [] : eyes.fields.filter(isSearched);
  const conditions = (): readonly Sql[] => [
    asCondition(eyes.rows),
    ...filter.conditions,
    ...(intent.search === null ? [] : [searchCondition(eyes, searched)]),
  ];
  const wanted = { may: intent.may, label: intent.label };
  const shape = [entity.name, signatureOf(person), filter.shape, intent.search !== null].join(" ");
  const from = sql`FROM ${tableOf(entity)} AS ${identifier("t")}`;

  const page = context.statements.get(
    `list ${shape} ${intent.sort.join(",")} ${cursor === null ? "" : cursor.map((value) => (value === null ? "-" : "+")).join("")} ${intent.may} ${intent.label}`,
    () => ({
      sql: sql`SELECT ${join([columnsOf(context, person, eyes, "t", wanted), ...sort.map((key, i) => sql`${key.column} AS ${identifier(`sort:${i}`)}`)], ", ")} ${from} WHERE ${join([...conditions(), ...(cursor === null ? [] : [pastCursor(sort, cursor)])], " AND ")} ORDER BY ${orderBy(sort)} LIMIT ${slot("limit", "integer")}`,
      more: undefined,
    }),
  );
  const slots = {
    ...slotsOf(asker),
    ...filter.slots,
    search: intent.search,
    limit: intent.limit + 1,
    ...Object.fromEntries((cursor ?? []).map((value, i) => [`after:${i}`, value])),
  };
  const queries: Query[] = [queryOf(page, slots)];
  if (intent.count) {
    const count = context.statements.get(`count ${shape}`, () => ({
      sql: sql`SELECT count(*)::integer AS "count" FROM (SELECT 1 ${from} WHERE ${join(conditions(), " AND ")} LIMIT ${slot("most", "integer")}) AS counted`,
      more: undefined,
    }));
    queries.push(queryOf(count, { ...slots, most: COUNTED + 1 }));
  }
  return {
    kind: "action",
    queries,
    settle: ([rows = [], counts]) => {
      const shown = rows.slice(0, intent.limit);
      const last = rows.length > intent.limit ? shown.at(-1) : undefined;
      const counted = Number(counts?.[0]?.count ?? 0);
      const body: ListJson = {
        items: shown.map((row) => recordOf(context, person, entity, eyes.fields, row, wanted, format)),
        next: last === undefined ? null : writeCursor(last, sort, cursorSeal(intent)),
        ...(intent.count ? { count: counted > COUNTED ? ("10,000+" as const) : counted } : {}),
      };
      return reply(200, body);
    },
    constraint: () => undefined,
  };
};

/** The order ends in the id, in the direction of the first key, so that it is whole and one index walks it. */
const sortKeys = (eyes: Eyes, sort: readonly string[]): readonly SortKey[] | Refusal => {
  const keys: SortKey[] = [];
  for (const written of sort) {
    const down = written.startsWith("-");
    const name = down ? written.slice(1) : written;
    const key = sortKey(eyes, name, down);
    if (key === undefined) return refuse("BAD_QUERY", undefined, { detail: `nothing can be sorted by “${name}”` });
    keys.push(key);
  }
  const down = keys[0]?.down ?? true;
  return [...keys, { column: sql`"t"."id"`, type: "uuid", name: "id", down, missing: false }];
};

const sortKey = (eyes: Eyes, name: string, down: boolean): SortKey | undefined => {
  if (name === "created_at" || name === "updated_at")
    return { column: sql`"t".${identifier(name)}`, type: "timestamptz", name, down, missing: false };
  const field = eyes.fields.find((one) => one.name === name);
  const column = eyes.column(name);
  if (field === undefined || column === undefined || !isSortedBy(field)) return undefined;
  return {
    column,
    type: kinds[field.type].column,
    name,
    down,
    missing: field.optional || eyes.seen(name) !== undefined,
  };
};

const orderBy = (sort: readonly SortKey[]): Sql =>
  join(
    sort.map(
      (key) => sql`${key.column}${key.down ? sql` DESC` : sql``}${key.name === "id" ? sql`` : sql` NULLS LAST`}`,
    ),
    ", ",
  );

/** Rows after the cursor's: missing values come last in either direction. */
const pastCursor = (sort: readonly SortKey[], cursor: readonly (string | null)[]): Sql => {
  const parameter = (i: number) => slot(`after:${i}`, sort[i]?.type ?? "text");
  // One range over the index, where all keys run the same way and none may be missing.
  if (sort.every((key) => !key.missing && key.down === sort[0]?.down)) {
    const columns = join(
      sort.map((key) => key.column),
      ", ",
    );
    const values = join(
      sort.map((_, i) => sql`${parameter(i)}`),
      ", ",
    );
    return sort[0]?.down ? sql`(${columns}) < (${values})` : sql`(${columns}) > (${values})`;
  }
  const beyond = (i: number): Sql => {
    const key = sort[i];
    if (key === undefined) return sql`FALSE`;
    const given = cursor[i] !== null;
    const further = key.down ? sql`${key.column} < ${parameter(i)}` : sql`${key.column} > ${parameter(i)}`;
    const past = given ? (key.missing ? sql`(${further} OR ${key.column} IS NULL)` : further) : sql`FALSE`;
    const same = given ? sql`${key.column} = ${parameter(i)}` : sql`${key.column} IS NULL`;
    return i === sort.length - 1 ? past : sql`(${past} OR (${same} AND ${beyond(i + 1)}))`;
  };
  return beyond(0);
};

/** A page token belongs to one list: the entity, its order and its filters. */
const cursorSeal = ({ entity, sort, filters, search }: ListIntent): string =>
  createHash("sha256")
    .update(JSON.stringify([entity, sort, filters, search]))
    .digest("base64url")
    .slice(0, 8);

const writeCursor = (row: Row, sort: readonly SortKey[], seal: string): string =>
  Buffer.from(
    JSON.stringify([seal, ...sort.map((_, i) => (row[`sort:${i}`] === null ? null : String(row[`sort:${i}`])))]),
  ).toString("base64url");

const readCursor = (token: string, sort: readonly SortKey[], seal: string): readonly (string | null)[] | undefined => {
  if (token.length > 4_000) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if (!Array.isArray(parsed) || parsed.length !== sort.length + 1 || parsed[0] !== seal) return undefined;
    const values = parsed.slice(1) as unknown[];
    return values.every((value, i) => fits(value, sort[i]?.type ?? "")) ? (values as (string | null)[]) : undefined;
  } catch {
    return undefined;
  }
};

/** A token is a stranger's text: each value must be one that we write ourselves for a column of that type. */
const fits = (value: unknown, type: string): boolean => {
  if (type === "uuid") return typeof value === "string" && isId(value);
  if (value === null) return true;
  if (typeof value !== "string" || value.includes("\0")) return false;
  if (type === "date") return isDate(value);
  if (type.startsWith("timestamptz")) return isInstant(value);
  if (type === "boolean") return value === "true" || value === "false";
  if (type === "bigint") return /^-?\d{1,16}$/u.test(value);
  if (type.startsWith("numeric")) return /^-?\d{1,28}(\.\d{1,10})?$/u.test(value);
  return true;
};

const isInstant = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u.test(text) &&
  isDate(text.slice(0, 10)) &&
  new Date(text).toISOString() === text;

interface Filter {
  readonly conditions: readonly Sql[];
  readonly slots: Readonly<Record<string, unknown>>;
  readonly shape: string;
}

/** In an address everything is text; a boolean is one of two words, and any other is refused by its type. */
const filterValue = (field: Field, value: string): Json =>
  field.type === "boolean" && (value === "true" || value === "false") ? value === "true" : value;

/** Equality on what the person may read; a field that they may not is refused as one that is not there. */
const filterOf = (eyes: Eyes, { filters }: ListIntent): Filter | Refusal => {
  const conditions: Sql[] = [];
  const slots: Record<string, unknown> = {};
  const shape: string[] = [];
  for (const [i, [name, values]] of filters.entries()) {
    const field = eyes.fields.find((one) => one.name === name);
    const column = eyes.column(name);
    if (field === undefined || column === undefined || !isFilteredBy(field))
      return refuse("BAD_QUERY", undefined, { detail: `nothing can be filtered by “${name}”` });
    const given = values.filter((value) => value !== "");
    const read = given.map((value) =>
      kinds[field.type].read(filterValue(field, value), specOf(eyes.entity, { ...field, min: null, max: null })),
    );
    if (read.some((one) => !one.ok))
      return refuse("BAD_QUERY", undefined, { detail: `“${name}” cannot have that value` });
    const missing = given.length < values.length;
    const type = kinds[field.type].column;
    if (given.length > 0) slots[`filter:${i}`] = read.map((one) => (one.ok ? one.value : null));
    const some = given.length > 0 ? [sql`${column} = ANY(${slot(`filter:${i}`, `${type}[]`)})`] : [];
    conditions.push(sql`(${join([...some, ...(missing ? [sql`${column} IS NULL`] : [])], " OR ")})`);
    shape.push(`${name}${given.length > 0 ? "=" : ""}${missing ? "?" : ""}`);
  }
  return { conditions, slots, shape: shape.join("&") };
};

/** The words anywhere in a text that the person may read, in any case. */
const searchCondition = (eyes: Eyes, fields: readonly Field[]): Sql => {
  const found = fields.flatMap((field) => {
    const column = eyes.column(field.name);
    return column === undefined ? [] : [sql`strpos(lower(${column}), lower(${slot("search", "text")})) > 0`];
  });
  // A slot that a statement does not hold cannot be filled, so a search among nothing still names it.
  return found.length === 0 ? sql`(${slot("search", "text")} IS NULL)` : sql`(${join(found, " OR ")})`;
};
