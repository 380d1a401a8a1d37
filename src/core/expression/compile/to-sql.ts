import { constant, identifier, join, type Sql, slot, sql } from "../../sql.ts";
import { type Expr, isComputedNumber } from "../expr.ts";
import { cannotOverflow } from "../inspect/integer-bounds.ts";
import { iteratorRow } from "../operations/iterators.ts";
import { normalize } from "../operations/numeric-ops.ts";
import { operationRow } from "../operations/operations.ts";
import { operandTypes } from "../operations/signature.ts";
import {
  both,
  definiteCondition,
  either,
  isNull,
  type Single,
  type SqlCondition,
  type SqlList,
} from "../operations/sql-forms.ts";
import type { EntityShape, FieldShape, Type } from "../values/type.ts";
import { postgresType } from "../values/value-kinds.ts";
import { constantSql } from "./constant-sql.ts";
import { operationContext } from "./operation-context.ts";

/** SQL that the caller supplies for a value. It needs no parentheses in any context. */
export interface ColumnSql {
  readonly sql: Sql;
  readonly missing: boolean;
  /** True if the SQL is more than a column and should not be repeated. */
  readonly long?: boolean;
  /** The uuid, if the value is an id as a text. */
  readonly uuid?: Sql;
}

interface Table {
  readonly sql: Sql;
  readonly hides: (field: string) => boolean;
}

/** The environment of an expression in SQL. `user`, `now` and `today` are slots of these names. */
export interface SqlEnv {
  /**
   * A field of the current record, including `id`: a column, a parameter, or NULL if the reader has no permission for
   * it.
   */
  readonly field?: (name: string) => ColumnSql;
  /** A field of the record before the write. */
  readonly old?: (name: string) => ColumnSql;
  /** A name that the context defines. */
  readonly names?: (name: string) => ColumnSql;
  /**
   * The FROM item of an entity; for a caller, a subquery with the table's columns limited to the caller's read scope.
   */
  readonly table?: (entity: EntityShape) => Table;
  /** The FROM item to use where the expression excludes the current record from the list, if it differs. */
  readonly others?: (entity: EntityShape) => Table | undefined;
  /**
   * The expression of a virtual computed field of other records, which is then computed for each row from all its data.
   * If absent, the FROM item must have a column of that name.
   */
  readonly computed?: (entity: string, field: string) => Expr | undefined;
}

/** The SQL forms of an expression, built on demand. */
export interface SqlForms {
  /** TRUE exactly if the condition is true; otherwise FALSE or NULL. For WHERE, ON and CASE WHEN. */
  readonly truth: Sql;
  /** TRUE exactly if the condition is false; otherwise FALSE or NULL. */
  readonly falsehood: Sql;
  /** The value, NULL if missing; a condition as TRUE or FALSE. For CHECK, stored values and JSON. */
  readonly value: Sql;
  /** True if the value can be NULL. */
  readonly missing: boolean;
}

/**
 * Compiles the expression to SQL that never raises an error. `due_day < today` on alias t has the truth `t."due_day" <
 * $1::date` and, if due_day can be missing, the falsehood `(t."due_day" >= $1::date) OR (t."due_day" IS NULL)`.
 */
export const toSql = (expr: Expr, env: SqlEnv): SqlForms => {
  const context: CompileContext = { env, elements: [], depth: 0 };
  const operand = new Operand(expr, context);
  const unsplit = once(() => compileWhole(expr, operand));
  return {
    get truth() {
      return operand.condition.truth;
    },
    get falsehood() {
      return operand.condition.falsehood;
    },
    get value() {
      return unsplit().value;
    },
    get missing() {
      return unsplit().missing;
    },
  };
};

/** The value of the whole expression, limited to the range of its type. */
const compileWhole = (expr: Expr, operand: Operand): Single => {
  if (expr.type.kind === "list") return { value: compileArray(operand.list, expr.type), missing: false, simple: false };
  if (!isComputedNumber(expr)) return operand.single;
  return { value: normalize.sql(operand.single.value), missing: true, simple: false };
};

/** The context of a subexpression: elements of the enclosing lists, and the subquery depth. */
interface CompileContext {
  readonly env: SqlEnv;
  readonly elements: readonly Element[];
  readonly depth: number;
}

/** The current element of a list: its value, and its columns if it is a row of a table. */
interface Element {
  readonly value: Sql;
  readonly field?: (field: FieldShape) => ColumnSql;
}

/**
 * A subexpression in each form that an operator can ask for. Each is built on first use and kept, since nested operators ask
 * repeatedly.
 */
class Operand {
  readonly #expr: Expr;
  readonly #context: CompileContext;
  #single: Single | undefined;
  #condition: SqlCondition | undefined;
  #list: SqlList | undefined;

  constructor(expr: Expr, context: CompileContext) {
    this.#expr = expr;
    this.#context = context;
  }

  get single(): Single {
    this.#single ??=
      this.#expr.type.kind === "boolean" ? asSingle(this.condition) : compileSingle(this.#expr, this.#context);
    return this.#single;
  }

  get condition(): SqlCondition {
    this.#condition ??= getCondition(this.#expr, this.#context);
    return this.#condition;
  }

  get list(): SqlList {
    this.#list ??= compileTraversal(this.#expr, this.#context).list;
    return this.#list;
  }
}

/** Computes a value on first use and caches it. */
const once = <T>(make: () => T): (() => T) => {
  let cached: { readonly it: T } | undefined;
  return () => {
    cached ??= { it: make() };
    return cached.it;
  };
};

const asSingle = ({ truth, sure }: SqlCondition): Single => ({
  value: sure ? sql`(${truth})` : sql`((${truth}) IS TRUE)`,
  missing: false,
  simple: false,
});

// --- Values

const plain = (value: Sql): Single => ({ value, missing: false, simple: true });

/** A value from the caller. NULL gets a cast, because Postgres cannot infer every type. */
const fromColumn = ({ type }: Expr, { sql: value, missing, long, uuid }: ColumnSql): Single =>
  isNull(value)
    ? { value: constantSql(null, type), missing: true, simple: true }
    : { value, missing, simple: long !== true, ...(uuid === undefined ? {} : { uuid }) };

const compileSingle = (expr: Expr, context: CompileContext): Single => {
  const { env } = context;
  switch (expr.kind) {
    case "constant":
      return { value: constantSql(expr.value, expr.type), missing: expr.value === null, simple: true };
    case "now":
      return plain(sql`${slot("now", "timestamptz")}`);
    case "today":
      return plain(sql`${slot("today", "date")}`);
    case "user":
      return plain(sql`${slot("user", "uuid")}`);
    case "this":
      return fromColumn(expr, require(env.field, "field")("id"));
    case "old":
      return fromColumn(expr, require(env.old, "old")("id"));
    case "name":
      if (expr.seedRecord) return plain(sql`${constant(expr.seedRecord.id)}::uuid`);
      return fromColumn(expr, require(env.names, "names")(expr.name));
    case "variable":
      return { value: getElement(expr.level, context).value, missing: false, simple: true };
    case "field":
      return getField(expr, context);
    case "call": {
      const { row, operands } = getOperands(expr, context);
      if (row.missing === "refuses") throw new Error(`no value: ${expr.row}`);
      const passes = row.missing === "spreads" || (row.missing === "met" && row.passes === true);
      const within = row.within !== undefined && cannotOverflow(expr) ? row.within : undefined;
      const fails = row.fails !== undefined && within === undefined;
      const missing = fails || (passes && expr.args.some((arg, i) => isMissing(arg, operands[i])));
      return { value: apply(within ?? require(row.sql, "value"), expr, operands), missing, simple: false };
    }
    default:
      throw new Error(`no value: ${expr.kind}`);
  }
};

/** Throws if the caller did not supply a required part of the environment, which is a bug. */
const require = <T>(value: T | undefined, what: string): T => {
  if (value === undefined) throw new Error(`the place of this expression gives no ${what}`);
  return value;
};

const getElement = (level: number, { elements }: CompileContext): Element => require(elements[level], "element");

const getField = (expr: Expr & { kind: "field" }, context: CompileContext): Single => {
  if (expr.field.name !== "id") return getColumnOf(expr, context);
  // Expressions see an id as a text; its column is a uuid, which Postgres compares with no text.
  const id = compileSingle(expr.of, context);
  return { ...id, value: sql`${id.value}::text`, uuid: id.value };
};

/** A field other than `id`, of the record that an expression leads to. */
const getColumnOf = (expr: Expr & { kind: "field" }, context: CompileContext): Single => {
  const { of, entity, field } = expr;
  const { env } = context;
  if (of.kind === "this") return fromColumn(expr, require(env.field, "field")(field.name));
  if (of.kind === "old") return fromColumn(expr, require(env.old, "old")(field.name));
  const element = of.kind === "variable" ? getElement(of.level, context) : undefined;
  if (element?.field) return fromColumn(expr, element.field(field));
  const record = compileSingle(of, context);
  const alias = identifier(`${field.name}~${context.depth}`);
  const column = getColumn(entity, field, alias, context);
  const value = sql`(SELECT ${column.sql} FROM ${getTable(entity, context).sql} AS ${alias} WHERE ${alias}."id" = ${record.value})`;
  // A reference in a column always has its record. `user` can be anonymous, and a list can contain records deleted
  // since.
  const isPresent = of.kind === "field" || (of.kind === "name" && of.seedRecord !== undefined);
  const lost = record.missing || !isPresent || context.env.table !== undefined;
  return { value, missing: lost || column.missing, simple: false };
};

const getTable = (entity: EntityShape, { env }: CompileContext): Table =>
  env.table?.(entity) ?? { sql: sql`"app".${identifier(entity.table)}`, hides: () => false };

/** A field of a row with an alias: its column, or the expression of a virtual computed field. */
const getColumn = (entity: EntityShape, field: FieldShape, alias: Sql, context: CompileContext): ColumnSql => {
  const { env } = context;
  const computed = env.computed?.(entity.name, field.name);
  if (computed === undefined) {
    const missing = field.optional || field.computed === true || getTable(entity, context).hides(field.name);
    return { sql: sql`${alias}.${identifier(field.column ?? field.name)}`, missing };
  }
  const { others: _, ...its } = env;
  // Increases the depth, so that no alias in the expression hides the row's alias.
  const ofRow: CompileContext = {
    env: { ...its, field: (name) => getFieldOfRow(name) },
    elements: [],
    depth: context.depth + 1,
  };
  const getFieldOfRow = (name: string): ColumnSql =>
    getColumn(entity, require(entity.fields.get(name), name), alias, ofRow);
  const { value, missing } = compileWhole(computed, new Operand(computed, ofRow));
  return { sql: value, missing, long: true };
};

// --- Conditions

const getCondition = (expr: Expr, context: CompileContext): SqlCondition => {
  if (expr.kind === "each") {
    const { list, body } = compileEach(expr, context);
    const { condition } = iteratorRow(expr.row);
    return require(condition, "condition")(list, body.condition);
  }
  if (expr.kind !== "call") return asCondition(expr, compileSingle(expr, context));
  const range = samePeriod(expr, context);
  if (range !== undefined) return range;
  const { row, operands } = getOperands(expr, context);
  if (row.missing === "met") return apply(require(row.condition, "condition"), expr, operands);
  if (row.missing === "spreads" || row.missing === "empties") throw new Error(`no condition: ${expr.row}`);
  const truth = apply(row.truth, expr, operands);
  const falsehood = apply(row.falsehood, expr, operands);
  const missing = operands.filter((operand, i) => isMissing(expr.args[i], operand)).map((operand) => operand.single);
  if (missing.length === 0) return definiteCondition(truth, falsehood);
  // A missing test would repeat an operand that is not simple.
  if (missing.some((operand) => !operand.simple)) return { truth, falsehood: sql`(${truth}) IS NOT TRUE`, sure: false };
  return { truth, falsehood: either(falsehood, ...missing.map(({ value }) => sql`${value} IS NULL`)), sure: false };
};

/** Functions that return one value for all days of a period, with the name that Postgres has for the period. */
const periods: { readonly [row: string]: string } = {
  "year(date)": "year",
  "year_of(date)": "year",
  "month_of(date)": "month",
  "start_of_week(date)": "week",
};

/**
 * Rewrites `year(r.first_day) == year(first_day)` as a range of days, which can use an index: the list element's day is
 * between the bounds of the other day's period. Undefined for other conditions, or if a day can be missing.
 */
const samePeriod = (expr: Expr & { kind: "call" }, context: CompileContext): SqlCondition | undefined => {
  const [a, b] = expr.args;
  if (expr.row !== "same == same" || a?.kind !== "call" || b?.kind !== "call" || a.row !== b.row) return undefined;
  const unit = periods[a.row];
  const [one, other] = [a.args[0], b.args[0]];
  if (unit === undefined || one === undefined || other === undefined) return undefined;
  const [found, argument] = isOfElement(one) || !isOfElement(other) ? [one, other] : [other, one];
  const [day, of] = [compileSingle(found, context), compileSingle(argument, context)];
  if (day.missing || of.missing || !of.simple) return undefined;
  const start = sql`date_trunc(${constant(unit)}, ${of.value}::timestamp)::date`;
  const end = sql`(date_trunc(${constant(unit)}, ${of.value}::timestamp) + ${constant(`1 ${unit} -1 day`)}::interval)::date`;
  return definiteCondition(
    sql`${day.value} BETWEEN ${start} AND ${end}`,
    sql`${day.value} NOT BETWEEN ${start} AND ${end}`,
  );
};

const isOfElement = (expr: Expr): boolean => expr.kind === "field" && expr.of.kind === "variable";

/** A boolean column as a condition; NULL counts as false. */
const asCondition = (expr: Expr, { value, missing }: Single): SqlCondition => {
  if (expr.kind === "constant")
    return expr.value === true ? definiteCondition(sql`TRUE`, sql`FALSE`) : definiteCondition(sql`FALSE`, sql`TRUE`);
  return missing
    ? { truth: value, falsehood: sql`${value} IS NOT TRUE`, sure: false }
    : definiteCondition(value, sql`NOT ${value}`);
};

const isMissing = (expr: Expr | undefined, operand: Operand | undefined): boolean =>
  expr?.type.kind !== "list" && operand?.single.missing === true;

const getOperands = (expr: Expr & { kind: "call" }, context: CompileContext) => ({
  row: operationRow(expr.row),
  operands: expr.args.map((arg) => new Operand(arg, context)),
});

/** Calls a function of the operation table with each operand in the form that the signature asks for. */
const apply = <T>(
  form: (...operands: never[]) => T,
  expr: Expr & { kind: "call" },
  operands: readonly Operand[],
): T => {
  const words = operandTypes(expr.row);
  const { missing } = operationRow(expr.row);
  const operandForms = operands.map((operand, i) => {
    const word = words[i] ?? "any";
    if (word.startsWith("[")) return operand.list;
    if (word === "boolean") return operand.condition;
    return missing === "met" ? operand.single : operand.single.value;
  });
  return (form as (...operands: unknown[]) => T)(...operandForms, operationContext(expr));
};

// --- Lists

interface Traversal {
  readonly list: SqlList;
  readonly element: Element;
}

const compileTraversal = (expr: Expr, context: CompileContext): Traversal => {
  switch (expr.kind) {
    case "all":
      return compileRows(expr.entity, context, []);
    case "field":
      return expr.field.inverse
        ? compileInverse(expr, context)
        : traverseArray(expr, compileSingle(expr, context), context);
    case "name":
      return traverseArray(expr, compileSingle(expr, context), context);
    case "list":
      return traverseItems(expr, context);
    case "call": {
      const { row, operands } = getOperands(expr, context);
      if (row.missing !== "empties") throw new Error(`no list: ${expr.row}`);
      const list = apply(row.list, expr, operands)(identifier(`list~${context.depth}`));
      return { list, element: { value: list.element } };
    }
    case "each": {
      const { list, element, body } = compileEach(expr, context);
      const alias = identifier(`${expr.row}~${context.depth}~${countLinks(expr)}`);
      const result = require(iteratorRow(expr.row).list, "list")(list, selectForm(expr, body) as never, alias);
      return { list: result, element: result.element === list.element ? element : { value: result.element } };
    }
    default:
      throw new Error(`no list: ${expr.kind}`);
  }
};

/** Number of chained list operations. */
const countLinks = (expr: Expr): number => (expr.kind === "each" ? 1 + countLinks(expr.list) : 0);

const selectForm = ({ row }: Expr & { kind: "each" }, body: Operand): SqlCondition | Single =>
  iteratorRow(row).bodyType === "boolean" ? body.condition : body.single;

/** The list and the body of a list operation. */
const compileEach = (expr: Expr & { kind: "each" }, context: CompileContext) => {
  const { list, element } =
    expr.list.kind === "all" && expr.row === "filter" && isOfOthers(expr.body, expr.level)
      ? compileRows(expr.list.entity, context, [], context.env.others?.(expr.list.entity))
      : compileTraversal(expr.list, context);
  const elements = [...context.elements.slice(0, expr.level), element];
  return { list, element, body: new Operand(expr.body, { ...context, elements, depth: context.depth + 1 }) };
};

/** True for `r != this`, alone or in a conjunction. */
const isOfOthers = (body: Expr, level: number): boolean => {
  if (body.kind !== "call") return false;
  if (body.row === "boolean && boolean") return body.args.some((arg) => isOfOthers(arg, level));
  if (body.row !== "same != same") return false;
  const isElement = (expr: Expr): boolean => expr.kind === "variable" && expr.level === level;
  return body.args.some(isElement) && body.args.some(({ kind }) => kind === "this");
};

const compileRows = (
  entity: EntityShape,
  context: CompileContext,
  where: readonly Sql[],
  { sql: table } = getTable(entity, context),
): Traversal => {
  const alias = getAlias(entity, context);
  const id = sql`${alias}."id"`;
  return {
    list: { element: id, from: sql`${table} AS ${alias}`, where, order: id },
    element: {
      value: id,
      field: (field) => getColumn(entity, field, alias, context),
    },
  };
};

/** Names in a document contain no tilde, so aliases never collide. */
const getAlias = (entity: EntityShape, { depth }: CompileContext): Sql =>
  identifier(`${entity.table.slice(0, 50)}~${depth}`);

const compileInverse = ({ of, field, target }: Expr & { kind: "field" }, context: CompileContext): Traversal => {
  const entity = require(target, "entity");
  const by = require(entity.fields.get(field.inverse?.by ?? ""), "field");
  const owner = compileSingle(of, context).value;
  const column = getColumn(entity, by, getAlias(entity, context), context).sql;
  return compileRows(entity, context, [
    by.type.kind === "list" ? sql`${column} @> ARRAY[${owner}]` : sql`${column} = ${owner}`,
  ]);
};

const traverseArray = (expr: Expr, { value, missing }: Single, context: CompileContext): Traversal => {
  const type: Sql = { kind: "sql", parts: [postgresType(expr.type)] };
  const array = missing ? sql`coalesce(${value}, '{}'::${type})` : value;
  const { list, element } = unnest(array, context);
  return { list: { ...list, array }, element };
};

const unnest = (array: Sql, { depth }: CompileContext): Traversal => {
  const alias = identifier(`list~${depth}`);
  const value = sql`${alias}."value"`;
  const from = sql`unnest(${array}) WITH ORDINALITY AS ${alias}("value", "nth")`;
  return { list: { element: value, from, where: [], order: sql`${alias}."nth"` }, element: { value } };
};

const traverseItems = (expr: Expr & { kind: "list" }, context: CompileContext): Traversal => {
  const items = expr.items.map((item) => new Operand(item, context).single);
  const { list, element } = unnest(arrayOfItems(items, expr.type), context);
  return { list: { ...list, items }, element };
};

const arrayOfItems = (items: readonly Single[], type: Type): Sql => {
  const values = join(
    items.map((item) => item.value),
    ", ",
  );
  const array = sql`ARRAY[${values}]::${{ kind: "sql", parts: [postgresType(type)] }}`;
  return items.some((item) => item.missing) ? sql`array_remove(${array}, NULL)` : array;
};

/** A list as a Postgres array. */
const compileArray = ({ array, items, element, from, where, order }: SqlList, type: Type): Sql => {
  if (array) return array;
  if (items) return arrayOfItems(items, type);
  const conditions = where.length === 0 ? sql`` : sql` WHERE ${both(...where)}`;
  return sql`ARRAY(SELECT ${element} FROM ${from}${conditions} ORDER BY ${order})`;
};
