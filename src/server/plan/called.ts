import { createHash } from "node:crypto";
import { deciderOf, type Person } from "../../core/derive/access.ts";
import { specOf } from "../../core/derive/spec.ts";
import { typeOfColumn } from "../../core/derive/tables.ts";
import { whoMay } from "../../core/explain/who.ts";
import type { Stored } from "../../core/field/kind.ts";
import { kinds } from "../../core/field/kinds.ts";
import { isId } from "../../core/field/reference.ts";
import type { Format } from "../../core/model/format.ts";
import type { Call, CallParameter, CallQuery, Entity, Model } from "../../core/model/model.ts";
import { type SqlEnv, toSql } from "../../core/rule/to-sql.ts";
import { identifier, join, type Sql, slot, sql } from "../../core/sql.ts";
import type { Json } from "../../core/wire.ts";
import type { Query } from "../../postgres/database.ts";
import { forbid, type Refusal, refuse } from "../refusal.ts";
import { type Action, reply } from "./action.ts";
import { type Asker, type Context, entityOf, queryOf, signatureOf, slotsOf } from "./context.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import { tableOf } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { filterValue } from "./filter.ts";
import { givenOf, givesSql, PAGE } from "./gives.ts";
import { seenEnv } from "./labels.ts";
import { orderBy, pastCursor, type SortKey, sortKeys } from "./order.ts";
import { columnsOf, readerOf } from "./record.ts";

/** What stood in the address of a call, as it was sent. */
export interface Address {
  readonly parameters: readonly string[];
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
}

type ListCall = Call & { readonly does: Extract<Call["does"], { kind: "list" }> };

/** The records of a call's list: where the document's conditions hold, the person's eyes see them and the address asks. */
export const planCalledList = (
  context: Context,
  call: ListCall,
  address: Address,
  asker: Asker,
  format: Format,
): Action | Refusal => {
  const { model } = context;
  const { person } = asker;
  const { does } = call;
  const entity = entityOf(context, call.entity);
  const eyes = eyesOf(model, entity, person, "t");
  if (eyes.gates.length === 0) return forbid(deciderOf(entity, "read"), whoMay(asker.tongue, entity, "read"));
  const asked = askedOf(model, call, address);
  if ("kind" in asked) return asked;
  const { given, limit, offset, after } = asked;
  const sort = sortKeys(eyes, does.sort);
  if ("kind" in sort) return sort;
  const seal = sealOf(call, address.parameters, given);
  const cursor = after === null ? null : readCursor(after, sort, seal);
  if (cursor === undefined) return refuse("BAD_CURSOR");

  const pathSlots = slotsOfPath(model, call.parameters, address.parameters);
  if (pathSlots === undefined) return refuse("NOT_FOUND", call.clause.id);
  const shape = `${signatureOf(person)} ${does.query.map(({ name }) => (given.has(name) ? name : "")).join(",")} ${cursor === null ? "" : cursor.map((value) => (value === null ? "-" : "+")).join("")}`;
  const written = context.statements.get(`call ${call.name} ${shape}`, () => {
    const env = calledEnv(model, call, entity, person);
    const conditions = [
      asCondition(eyes.rows),
      ...conditionsOfPath(model, call.parameters, env),
      ...(does.where === null ? [] : [sql`(${toSql(does.where, env).truth})`]),
      ...does.query.flatMap(({ name, where }) => (given.has(name) ? [sql`(${toSql(where, env).truth})`] : [])),
    ];
    const rows = sql`FROM ${tableOf(entity)} AS "t" WHERE ${join(conditions, " AND ")}`;
    const past = cursor === null ? sql`` : sql` AND ${pastCursor(sort, cursor)}`;
    const page = sql`SELECT "t".*, row_number() OVER (ORDER BY ${orderBy(sort)}) AS "row:n", ${join(
      sort.map((key, i) => sql`${keyText(key)} AS ${identifier(`sort:${i}`)}`),
      ", ",
    )} ${rows}${past} ORDER BY ${orderBy(sort)} LIMIT ${slot("limit", "integer")} + 1 OFFSET ${slot("offset", "integer")}`;
    const found = sql`(SELECT count(*)::integer ${rows})`;
    const keys = sort.map((_, i) => sql`"t".${identifier(`sort:${i}`)} AS ${identifier(`key:${i}`)}`);
    const answer =
      call.gives === null
        ? sql`SELECT ${join([columnsOf(context, person, eyes, "t", plain), ...keys], ", ")} FROM ${identifier(PAGE)} AS "t" ORDER BY "t"."row:n"`
        : sql`SELECT ${givesSql(call.gives, { model, person, env: { ...env, field: noRecord }, list: { each: env, found }, depth: 0 })} AS "answer",
            (SELECT jsonb_agg(jsonb_build_array(${join(
              sort.map((_, i) => sql`"t".${identifier(`sort:${i}`)}`),
              ", ",
            )}) ORDER BY "t"."row:n") FROM ${identifier(PAGE)} AS "t") AS "keys"`;
    return {
      more: readerOf(context, person, eyes, plain, format),
      sql: sql`WITH ${identifier(PAGE)} AS MATERIALIZED (${page}) ${answer}`,
    };
  });
  const slots = {
    ...slotsOf(asker),
    ...pathSlots,
    ...inputSlots(does.query, given),
    limit,
    offset,
    ...Object.fromEntries((cursor ?? []).map((value, i) => [`after:${i}`, value])),
  };
  return {
    kind: "action",
    queries: [queryOf(written, slots)],
    settle: ([rows = []]) => {
      const nextOf = (keys: readonly (readonly unknown[])[]): string | null => {
        const last = keys.length > limit ? keys[limit - 1] : undefined;
        return last === undefined || does.paging !== "cursor" ? null : writeCursor(last, seal);
      };
      if (call.gives !== null) {
        const { answer, keys } = rows[0] ?? {};
        const next = nextOf(Array.isArray(keys) ? (keys as unknown[][]) : []);
        return reply(call.status ?? 200, givenOf(call.gives, (answer ?? null) as Json, { model, format, next }));
      }
      return reply(call.status ?? 200, {
        items: rows.slice(0, limit).map((row) => written.more.record(row, asker.tongue)),
        next: nextOf(rows.map((row) => sort.map((_, i) => row[`key:${i}`]))),
      });
    },
    constraint: () => undefined,
  };
};

const plain = { may: false, label: false };

const noRecord = (): never => {
  throw new Error("the answer of a list has no record at hand");
};

/** A key as a page token holds it. */
const keyText = ({ column, type }: SortKey): Sql =>
  type.startsWith("timestamptz")
    ? sql`to_char((${column}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`(${column})::text`;

/** One record as its call answers it; `of`: by its path, or the one of this id that was just written. */
export const planCalledRecord = (
  context: Context,
  call: Call,
  of: { readonly path: readonly string[] } | { readonly id: string },
  asker: Asker,
  format: Format,
): Action | Refusal => {
  const { gives } = call;
  const { model } = context;
  const { person } = asker;
  const entity = entityOf(context, call.entity);
  const notFound = refuse("NOT_FOUND", deciderOf(entity, "read"));
  if (gives === null) throw new Error("a call that gives nothing of its own is answered as a conventional one");
  const byId = "id" in of;
  const pathSlots = byId ? { id: of.id } : slotsOfPath(model, call.parameters, of.path);
  if (pathSlots === undefined) return notFound;
  const eyes = eyesOf(model, entity, person, "t");
  if (eyes.gates.length === 0) return notFound;
  const written = context.statements.get(`call ${call.name} ${byId ? "id" : "path"} ${signatureOf(person)}`, () => {
    const env = calledEnv(model, call, entity, person);
    const which = byId ? [sql`"t"."id" = ${slot("id", "uuid")}`] : conditionsOfPath(model, call.parameters, env);
    return {
      more: undefined,
      sql: sql`SELECT ${givesSql(gives, { model, person, env, depth: 0 })} AS "answer", "t"."version" FROM ${tableOf(entity)} AS "t" WHERE ${join([...which, asCondition(eyes.rows)], " AND ")} LIMIT 2`,
    };
  });
  return {
    kind: "action",
    queries: [queryOf(written, { ...slotsOf(asker), ...pathSlots })],
    settle: ([rows = []]) => {
      const [row, other] = rows;
      // A path that several records answer names none of them.
      if (row === undefined || other !== undefined) return notFound;
      const body = givenOf(gives, (row.answer ?? null) as Json, { model, format, next: null });
      return reply(call.status ?? 200, body, { etag: `"${Number(row.version)}"` });
    },
    constraint: () => undefined,
  };
};

/** The record that a path names, for who may read it: a query for its id, of which several rows are none. */
export const findByPath = (
  context: Context,
  entity: Entity,
  parameters: readonly CallParameter[],
  path: readonly string[],
  asker: Asker,
): Query | undefined => {
  const { model } = context;
  const { person } = asker;
  const slots = slotsOfPath(model, parameters, path);
  const eyes = eyesOf(model, entity, person, "t");
  if (slots === undefined || eyes.gates.length === 0) return undefined;
  const key = `find ${entity.name} ${parameters.map(({ name }) => name).join(" ")} ${signatureOf(person)}`;
  const written = context.statements.get(key, () => {
    const conditions = conditionsOfPath(model, parameters, seenEnv(model, entity, person, "t"));
    return {
      more: undefined,
      sql: sql`SELECT "t"."id" FROM ${tableOf(entity)} AS "t" WHERE ${join([...conditions, asCondition(eyes.rows)], " AND ")} LIMIT 2`,
    };
  });
  return queryOf(written, { ...slotsOf(asker), ...slots });
};

/** Expressions of a call on its records, as the person sees them, with what the address gives. */
const calledEnv = (model: Model, call: Call, entity: Entity, person: Person): SqlEnv => ({
  ...seenEnv(model, entity, person, "t"),
  names: (name) => {
    const query = call.does.kind === "list" ? call.does.query.find((one) => `input.${one.name}` === name) : undefined;
    if (query === undefined) throw new Error(`nothing gives ${name}`);
    return { sql: sql`${slot(name, columnFor(model, query.field, query.type))}`, missing: true };
  },
});

interface FieldAt {
  readonly entity: string;
  readonly name: string;
}

const columnFor = (model: Model, at: FieldAt | null, type: CallQuery["type"] | null): string => {
  if (at?.name === "id") return "uuid";
  const field = at === null ? undefined : model.entities.get(at.entity)?.fields.get(at.name);
  if (field !== undefined) return typeOfColumn(field);
  return type === null ? "text" : kinds[type].column;
};

/** What stood in an address as a value of its field or type; undefined where it is none. */
const readText = (
  model: Model,
  at: FieldAt | null,
  type: CallQuery["type"] | null,
  text: string,
): Stored | undefined => {
  if (text.includes("\0")) return undefined;
  if (at?.name === "id") return isId(text) ? text.toLowerCase() : undefined;
  const entity = at === null ? undefined : model.entities.get(at.entity);
  const field = entity?.fields.get(at?.name ?? "");
  const as = field?.type ?? type;
  if (as === null || as === undefined) return undefined;
  const spec =
    entity !== undefined && field !== undefined
      ? specOf(entity, { ...field, min: null, max: null })
      : { name: "", of: "", values: [], entity: null, min: null, max: null, currency: null };
  const reading = kinds[as].read(filterValue({ type: as }, text), spec);
  return reading.ok ? reading.value : undefined;
};

const slotsOfPath = (
  model: Model,
  parameters: readonly CallParameter[],
  path: readonly string[],
): Readonly<Record<string, Stored>> | undefined => {
  const slots: Record<string, Stored> = {};
  for (const [i, { field }] of parameters.entries()) {
    const value = readText(model, field, null, path[i] ?? "");
    if (value === undefined) return undefined;
    slots[`path:${i}`] = value;
  }
  return slots;
};

const conditionsOfPath = (model: Model, parameters: readonly CallParameter[], env: SqlEnv): readonly Sql[] =>
  parameters.map(
    ({ at, field }, i) => sql`${toSql(at, env).value} = ${slot(`path:${i}`, columnFor(model, field, null))}`,
  );

const inputSlots = (query: readonly CallQuery[], given: ReadonlyMap<string, Stored>) =>
  Object.fromEntries(query.map(({ name }) => [`input.${name}`, given.get(name) ?? null]));

interface Asked {
  readonly given: ReadonlyMap<string, Stored>;
  readonly limit: number;
  readonly offset: number;
  readonly after: string | null;
}

/** What the address of a list asks for, word by word. */
const askedOf = (model: Model, call: ListCall, { query }: Address): Asked | Refusal => {
  const { does } = call;
  const bad = (detail: string, clause: string = call.clause.id) => refuse("BAD_QUERY", clause, { detail });
  const given = new Map<string, Stored>();
  const { pageSize, pageSizeMax } = model.limits;
  let limit = does.paging === "none" ? pageSizeMax : pageSize;
  let offset = 0;
  let after: string | null = null;
  for (const [word, values] of Object.entries(query)) {
    if (typeof values !== "string") return bad(`“${word}” stands there more than once`);
    const one = does.query.find(({ name }) => name === word);
    if (one !== undefined) {
      const value = readText(model, one.field, one.type, values);
      if (value === undefined) return bad(`“${word}” cannot have that value`);
      given.set(word, value);
    } else if (word === "limit" && does.paging !== "none") {
      limit = /^\d{1,4}$/u.test(values) ? Number(values) : 0;
      if (limit < 1 || limit > pageSizeMax) return bad(`“limit” is from 1 to ${pageSizeMax}`, "9.page_size_max");
    } else if (word === "offset" && does.paging === "offset") {
      if (!/^\d{1,9}$/u.test(values)) return bad("“offset” is how many records are passed over");
      offset = Number(values);
    } else if (word === "after" && does.paging === "cursor") after = values;
    else return bad(`this list knows no “${word}”`);
  }
  return { given, limit, offset, after };
};

/** A page token belongs to one call and what its address gives. */
const sealOf = (call: Call, path: readonly string[], given: ReadonlyMap<string, Stored>): string =>
  createHash("sha256")
    .update(JSON.stringify([call.name, path, [...given]]))
    .digest("base64url")
    .slice(0, 8);
