import Big from "big.js";
import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { malformedIdRefusal, pathRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { toJs } from "../../../core/expression/compile/to-js.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import { noRecord, type Value } from "../../../core/expression/values/value.ts";
import { fromInterval } from "../../../core/field/duration.ts";
import { type Stored, specless } from "../../../core/field/kind.ts";
import { fieldKinds } from "../../../core/field/kinds.ts";
import { isId } from "../../../core/field/reference.ts";
import type { Call, CallParameter, CallQuery, CallStep } from "../../../core/model/endpoint.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { distinguishesPaths } from "../../../core/model/error-entry.ts";
import { toFieldSpec } from "../../../core/model/facts/field-spec.ts";
import { takesId } from "../../../core/model/facts/takes-id.ts";
import type { Model } from "../../../core/model/model.ts";
import { FIELDS_WORD, getPagingWords, getSortingWords, type Paging, type Sorting } from "../../../core/model/paging.ts";
import { type Sql, slot, sql } from "../../../core/sql.ts";
import { parameterError, type Refusal, type RefusalAt, refuseAt, refuseCall } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import type { Caller } from "../context.ts";
import { filterValue } from "../read/filter.ts";
import { readerEnv } from "../row/labels.ts";
import type { StatementKey } from "../statements.ts";

/** A step with its endpoint and index. */
export interface StepAt {
  readonly call: Call;
  readonly step: CallStep;
  readonly nth: number;
}

/** The address of a request, unparsed. */
export interface EndpointAddress {
  readonly parameters: readonly string[];
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The headers of the request, in small letters. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The parsed query parameters of a step. */
export interface StepQuery {
  readonly values: ReadonlyMap<string, Stored>;
  readonly limit: number;
  readonly offset: number;
  readonly after: string | null;
  /** The order that the caller chose; null for that of the call. */
  readonly sort: readonly string[] | null;
  /** The members of the response that the caller chose; null for all. */
  readonly fields: readonly string[] | null;
}

const getPaging = ({ does }: CallStep): Paging => (does.kind === "list" ? does.paging : { by: "none" });

const getSorting = ({ does }: CallStep): Sorting | null =>
  does.kind === "list" && does.sorting.fields.size > 0 ? does.sorting : null;

/**
 * Parses `-day,title`, which is also `day:desc,title:asc`: each field once, and only fields that the call declares. The
 * result has the fields of the entity.
 */
const readSort = (
  { by, fields }: Sorting,
  text: string,
  isDescending: boolean,
  clause: string,
): readonly string[] | RefusalAt => {
  const sort: string[] = [];
  for (const written of text.split(",")) {
    const [, minus, word = "", direction] = /^(-?)(.*?)(?::(asc|desc))?$/u.exec(written) ?? [];
    const field = fields.get(word);
    const isTwice = sort.some((key) => key.replace(/^-/u, "") === field);
    if (field === undefined || isTwice || (minus === "-" && direction !== undefined))
      return parameterError(by, clause, "SORT", { word: written.replace(/^-/u, "") });
    const falls = minus === "-" || direction === "desc";
    sort.push(falls !== (isDescending && sort.length === 0) ? `-${field}` : field);
  }
  return sort;
};

/** The order that a caller chose; null for that of the call. */
const readSorting = (
  sorting: Sorting | null,
  query: EndpointAddress["query"],
  clause: string,
): readonly string[] | RefusalAt | null => {
  if (sorting === null) return null;
  const order = sorting.order === null ? undefined : query[sorting.order];
  if (sorting.order !== null && typeof order === "string" && !/^(?:asc|desc)$/iu.test(order))
    return parameterError(sorting.order, clause, "VALUE");
  const text = query[sorting.by];
  return typeof text === "string" ? readSort(sorting, text, /^desc$/iu.test(String(order)), clause) : null;
};

/** Parses `title,day`: each member once, and only members that the call declares. */
const readFields = ({ selectable }: CallStep, text: string, clause: string): readonly string[] | RefusalAt => {
  const names = text.split(",");
  const wrong = names.find((word, i) => !selectable.includes(word) || names.indexOf(word) !== i);
  return wrong === undefined ? names : parameterError(FIELDS_WORD, clause, "FIELDS", { word: wrong });
};

/** Query parameters that no step of the endpoint declares, or that occur twice. */
const unknownParameters = (
  { does, clause, ignoresUnknown }: Call,
  query: EndpointAddress["query"],
): readonly RefusalAt[] => {
  const steps = does.kind === "steps" ? does.steps : [];
  const known = new Set<string>([
    ...(does.kind === "steps" ? [] : does.query.flatMap(({ name, header }) => (header === null ? [name] : []))),
    ...steps.flatMap((step) => [
      ...step.query.flatMap(({ name, header }) => (header === null ? [name] : [])),
      ...getPagingWords(getPaging(step)),
      ...(step.does.kind === "list" ? getSortingWords(step.does.sorting) : []),
      ...(step.selectable.length === 0 ? [] : [FIELDS_WORD]),
    ]),
  ]);
  return Object.entries(query).flatMap(([word, values]) => {
    if (ignoresUnknown && !known.has(word)) return [];
    if (typeof values !== "string") return [parameterError(word, clause.id, "TWICE")];
    if (known.has(word)) return [];
    return [parameterError(word, clause.id, known.size === 0 ? "NO_PARAMETERS" : "NO_SUCH_PARAMETER")];
  });
};

/** Refuses the query and the headers of a request with all their errors. */
export const refuseQuery = (
  model: Model,
  call: Call,
  sent: Pick<EndpointAddress, "query" | "headers">,
  time: Pick<Caller, "now" | "today">,
): Refusal | undefined => {
  const { does } = call;
  const read = [
    ...(does.kind === "steps"
      ? does.steps.map((step) => ({ step, ...readStepQuery(model, call, step, sent) }))
      : [{ step: does, ...readParameters(model, call, "User", does, sent) }]),
  ];
  const errors = [
    ...unknownParameters(call, sent.query),
    ...read.flatMap(({ step, errors, values }) => [...errors, ...brokenRules(call, step, values, time)]),
  ];
  return errors.length === 0 ? undefined : refuseAt(errors);
};

/** The rules of parameters that do not hold. A parameter that was not sent has none. */
const brokenRules = (
  call: Call,
  { query }: Pick<CallStep, "query">,
  values: StepQuery["values"],
  time: Pick<Caller, "now" | "today">,
): readonly RefusalAt[] => {
  const checked = query.filter(({ name, rule }) => rule !== null && values.has(name));
  if (checked.length === 0) return [];
  const names = Object.fromEntries(
    query.map(({ name, type }) => [`input.${name}`, toOperand(type, values.get(name) ?? null)]),
  );
  const env = { now: time.now.toISOString(), today: time.today, rows: () => [], names };
  return checked.flatMap((parameter): readonly RefusalAt[] => {
    const { name, rule } = parameter;
    if (rule === null || toJs(rule.holds)(noRecord, env) === true) return [];
    const word = String(values.get(name));
    return [{ ...parameterError(parameter.header ?? name, call.clause.id, "VALUE", { word }), code: rule.error }];
  });
};

/** A parameter as expressions read it. */
const toOperand = (type: CallQuery["type"], value: Stored): Value => {
  if (value === null) return null;
  if (type === "decimal" || type === "money") return new Big(String(value));
  if (type === "duration") return fromInterval(String(value)) ?? null;
  if (type === "reference") return { id: String(value) };
  return value as Value;
};

/**
 * Refuses a path parameter whose form does not fit its field, if the document has an error for that. A value that a new
 * record gets from the path is checked like the members of the body.
 */
export const malformedPath = (model: Model, call: Call, path: readonly string[]): Refusal | undefined => {
  for (const { entity, parameters } of call.does.kind === "steps" ? call.does.steps : []) {
    const own = model.entities.get(entity);
    if (own === undefined || !distinguishesPaths(model, call, entity)) continue;
    const isWrong = parameters.some(
      ({ at, field }, i) => at !== null && readText(model, field, null, path[i] ?? "") === undefined,
    );
    if (isWrong) return refuseCall(pathRefusal(own));
  }
  return undefined;
};

/** Parses the query parameters of a step and ignores those of other steps. */
export const parseStepQuery = (model: Model, at: StepAt, address: EndpointAddress): StepQuery | Refusal => {
  const { query, errors } = readStepQuery(model, at.call, at.step, address);
  return errors.length === 0 ? query : refuseAt(errors);
};

/** An id that no record has: ids are UUIDs of another version. */
const NO_RECORD = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Parses the parameters of a step, from the address and from headers. */
const readParameters = (
  model: Model,
  call: Call,
  entity: string,
  { query }: Pick<CallStep, "query">,
  sent: Pick<EndpointAddress, "query" | "headers">,
): { readonly values: ReadonlyMap<string, Stored>; readonly errors: readonly RefusalAt[] } => {
  const clause = call.clause.id;
  const errors: RefusalAt[] = [];
  const values = new Map<string, Stored>();
  for (const parameter of query) {
    const { name, field, type, header, default: usual } = parameter;
    const text = (header === null ? sent.query[name] : sent.headers[header.toLowerCase()]) ?? usual;
    if (typeof text !== "string") continue;
    const place = header ?? name;
    const value = readText(model, field, type, text);
    if (value !== undefined) values.set(name, value);
    else if (!takesId(model, parameter)) errors.push(parameterError(place, clause, "VALUE"));
    // No record has an id of another form.
    else if (distinguishesPaths(model, call, entity)) errors.push({ ...malformedIdRefusal(call, place), values: {} });
    else values.set(name, NO_RECORD);
  }
  return { values, errors };
};

/** Parses the parameters that choose a page. The number of a page counts from 1. */
const readPage = (
  { limits: { pageSize, pageSizeMax } }: Model,
  { clause }: Call,
  paging: Paging,
  query: EndpointAddress["query"],
): Pick<StepQuery, "limit" | "offset" | "after"> & { readonly errors: readonly RefusalAt[] } => {
  if (paging.by === "none") return { limit: pageSizeMax, offset: 0, after: null, errors: [] };
  const word = (name: string): string | undefined => {
    const text = query[name];
    return typeof text === "string" ? text : undefined;
  };
  const errors: RefusalAt[] = [];
  const written = word(paging.limit) ?? String(paging.size ?? pageSize);
  const limit = /^\d{1,4}$/u.test(written) ? Number(written) : 0;
  if (limit < 1 || limit > pageSizeMax)
    errors.push(
      parameterError(paging.limit, "9.page_size_max", "LIMIT", { word: paging.limit, most: String(pageSizeMax) }),
    );
  if (paging.by === "cursor") return { limit, offset: 0, after: word(paging.start) ?? null, errors };
  const least = paging.by === "pages" ? 1 : 0;
  const start = word(paging.start) ?? String(least);
  const number = /^\d{1,9}$/u.test(start) ? Number(start) : -1;
  const offset = paging.by === "pages" ? (number - 1) * limit : number;
  if (number < least || offset > MOST_OFFSET)
    errors.push(parameterError(paging.start, clause.id, paging.by === "pages" ? "PAGE" : "OFFSET"));
  return { limit, offset, after: null, errors };
};

/** The greatest offset, which the database can still read. */
const MOST_OFFSET = 999_999_999;

const readStepQuery = (
  model: Model,
  call: Call,
  step: CallStep,
  sent: Pick<EndpointAddress, "query" | "headers">,
): {
  readonly query: StepQuery;
  readonly values: StepQuery["values"];
  readonly errors: readonly RefusalAt[];
} => {
  const clause = call.clause.id;
  const { query } = sent;
  const { values: parsed, errors: wrong } = readParameters(model, call, step.entity, step, sent);
  const errors = [...wrong];
  const { errors: notOnPages, ...page } = readPage(model, call, getPaging(step), query);
  errors.push(...notOnPages);
  const sort = readSorting(getSorting(step), query, clause);
  const chosen = step.selectable.length === 0 ? undefined : query[FIELDS_WORD];
  const fields = typeof chosen === "string" ? readFields(step, chosen, clause) : null;
  for (const read of [sort, fields]) if (read !== null && "code" in read) errors.push(read);
  return {
    query: {
      values: parsed,
      ...page,
      sort: sort !== null && "code" in sort ? null : sort,
      fields: fields !== null && "code" in fields ? null : fields,
    },
    values: parsed,
    errors,
  };
};

/** The environment in which a step's expressions read its records: the caller's read scope and the query parameters. */
export const stepEnv = (model: Model, step: CallStep, entity: Entity, principal: Principal): SqlEnv => ({
  ...readerEnv(model, entity, principal, TABLE.alias),
  names: inputExprs(model, step),
});

export const inputExprs =
  (model: Model, step: CallStep): NonNullable<SqlEnv["names"]> =>
  (name) => {
    const page = pageExpr(getPaging(step), name);
    if (page !== undefined) return { sql: page, missing: false };
    const parameter = step.query.find((each) => `input.${each.name}` === name);
    if (parameter === undefined) throw new Error(`nothing gives ${name}`);
    const value = slot(name, getColumn(model, parameter.field, parameter.type));
    return parameter.field?.name === "id"
      ? { sql: sql`${value}::text`, missing: true, uuid: sql`${value}` }
      : { sql: sql`${value}`, missing: true };
  };

/** A parameter that chooses a page, with its value also if the caller did not say it. */
const pageExpr = (paging: Paging, name: string): Sql | undefined => {
  if (paging.by === "none" || !getPagingWords(paging).some((word) => name === `input.${word}`)) return undefined;
  const [limit, offset] = [slot("limit", "integer"), slot("offset", "integer")];
  if (name === `input.${paging.limit}`) return sql`${limit}`;
  return paging.by === "pages" ? sql`(${offset} / ${limit} + 1)` : sql`${offset}`;
};

/** The conditions on the records of a step: those of its path, its `where` and its query parameters. */
export const stepConditions = (
  model: Model,
  { parameters, where, query }: CallStep,
  sent: StepQuery["values"],
  env: SqlEnv,
): readonly Sql[] => [
  ...pathConditions(model, parameters, env),
  ...(where === null ? [] : [sql`(${toSql(where, env).truth})`]),
  ...query.flatMap((parameter) =>
    parameter.where !== null && sent.has(parameter.name) ? [sql`(${toSql(parameter.where, env).truth})`] : [],
  ),
];

/** The part of an address that determines the statement text. */
export const stepQueryKey = ({ query }: CallStep, { values, sort, fields }: StepQuery): readonly string[] => [
  ...query.flatMap(({ name }) => (values.has(name) ? [name] : [])),
  ...(sort ?? []).map((key) => `sort ${key}`),
  ...(fields ?? []).map((member) => `field ${member}`),
];

interface FieldAt {
  readonly entity: string;
  readonly name: string;
}

const getColumn = (model: Model, at: FieldAt | null, type: CallQuery["type"] | null): string => {
  if (at?.name === "id") return "uuid";
  const field = at === null ? undefined : model.entities.get(at.entity)?.fields.get(at.name);
  // A parameter has one value, even for a field with several.
  if (field !== undefined) return typeOfColumn(field).replace(/\[\]$/u, "");
  return type === null ? "text" : fieldKinds[type].column;
};

/** Parses the text of an address as a value of a field or type; undefined if invalid. */
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
    entity !== undefined && field !== undefined ? toFieldSpec(entity, { ...field, min: null, max: null }) : specless;
  const reading = fieldKinds[as].read(filterValue({ type: as }, text), spec);
  return reading.ok ? reading.value : undefined;
};

/** The values of path parameters. Undefined if one is invalid, so that no record matches. */
export const pathParams = (
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

export const pathConditions = (model: Model, parameters: readonly CallParameter[], env: SqlEnv): readonly Sql[] =>
  parameters.flatMap(({ at, field }, i) => {
    if (at === null) return [];
    // An id is compared as the record that it identifies, so that the primary key finds it.
    const { value } = toSql(at.kind === "field" && at.field.name === "id" ? at.of : at, env);
    const parameterSql = slot(`path:${i}`, getColumn(model, field, null));
    return [at.type.kind === "list" ? sql`${value} @> ARRAY[${parameterSql}]` : sql`${value} = ${parameterSql}`];
  });

export const queryParams = ({ query }: CallStep, { values }: StepQuery): Readonly<Record<string, Stored>> =>
  Object.fromEntries(query.map(({ name }) => [`input.${name}`, values.get(name) ?? null]));

/** The values that determine which statements belong to a step. */
export const getStepKey = ({ call, nth }: StepAt): StatementKey => ["call", call.name, nth];
