import Big from "big.js";
import { alwaysTrue, every, some, splitConjuncts } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Operation } from "../../expression/operations/operations.ts";
import type { Entity, States } from "../../model/entity.ts";
import { dateSteps, stepFunctions, writeGroupKey } from "../../model/facts/date-steps.ts";
import { pivotFieldNames } from "../../model/facts/grouping.ts";
import { computedExpr, isTimestampField } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { Aggregate, ListScreen, Target, Tile } from "../../model/screen.ts";
import { inState } from "../../satisfiability/assume-state.ts";
import { createDecider, type Decider } from "../../satisfiability/satisfiability.ts";
import type { EntityJson } from "../../wire/entities.ts";
import type { AxisJson, MeasureJson, TargetJson, TileJson } from "../../wire/screens.ts";
import { grantsFor, type Principal } from "../authorization/grants.ts";
import { findGroupFieldJson } from "../http/list-query.ts";

/**
 * True if the tile shows anything to a reader of these fields. A chart and a figure require all fields of their
 * expressions, a pivot all its fields.
 */
export const opensTile = (tile: Tile, readable: ReadonlySet<string>): boolean => {
  if (tile.kind === "pivot") return listMeasured(tile).every((name) => readable.has(name));
  if (readable.size === 0 || !("value" in tile)) return readable.size > 0;
  return listMeasured(tile).every((name) => isSystem(name) || readable.has(name));
};

/** The fields that a chart, a figure or a pivot needs. */
const listMeasured = (tile: Tile): readonly string[] => {
  if (tile.kind === "pivot") return pivotFieldNames(tile);
  if (!("value" in tile)) return [];
  const exprs = [...(tile.kind === "chart" ? [tile.per] : []), ...(tile.value.of === null ? [] : [tile.value.of])];
  return exprs.flatMap((expr) => [...collectReadSet(expr).fields]);
};

const deciders = new WeakMap<Model, Decider>();

const findDecider = (model: Model): Decider => {
  const decider = deciders.get(model) ?? createDecider(model.entities);
  deciders.set(model, decider);
  return decider;
};

/**
 * True if a chart, a figure or a pivot adds up only some of its records, because this reader cannot see the others. Its
 * title does not tell, because readers of it see different records.
 */
export const isPartlySeen = (model: Model, tile: Tile, person: Principal): boolean => {
  const entity = model.entities.get(tile.entity);
  if (entity === undefined || tile.kind === "count" || tile.kind === "list") return false;
  const needed = listMeasured(tile).filter((name) => !isSystem(name));
  const seen = some(
    grantsFor(model, entity, "read", person)
      .filter(({ fields }) => fields === null || needed.every((name) => fields.has(name)))
      .map(({ conditions }) => every(conditions) ?? alwaysTrue),
  );
  return seen === undefined || !findDecider(model).follows(tile.where === null ? [] : splitConjuncts(tile.where), seen);
};

const isSystem = (name: string): boolean => name === "id" || isTimestampField(name);

interface TileReader {
  readonly readable: ReadonlySet<string>;
  readonly isPartial: boolean;
  readonly isOverdue: boolean;
  /** True if the records decide whether the reader sees the tile. */
  readonly isConditional: boolean;
}

/**
 * True if the condition of a tile says that its records are overdue: they are in states with a deadline, and it is past,
 * or had to be for a record to get into the state.
 */
const saysOverdue = (model: Model, { entity: name, where }: Tile, decider: Decider): boolean => {
  const entity = model.entities.get(name);
  const states = entity?.states ?? null;
  if (entity === undefined || states === null || where === null) return false;
  const conditions = splitConjuncts(where);
  const possible = states.states.filter((state) => decider.canHold(...inState(conditions, entity, state.name)));
  return (
    possible.length > 0 &&
    possible.every((state) => {
      if (state.deadline === undefined) return false;
      const fields = readDeadline(entity, state.deadline);
      return conditions.some((one) => isPast(one, fields)) || isReachedLate(states, state.name, fields);
    })
  );
};

/** The deadline, and the fields whose value it has as it is. */
const readDeadline = ({ fields }: Entity, deadline: string): ReadonlySet<string> => {
  const field = fields.get(deadline);
  const from = field === undefined ? null : computedExpr(field);
  return new Set([deadline, ...(from === null ? [] : listAliased(from))]);
};

/** The fields of the record that an expression can stand for, perhaps under a condition. */
const listAliased = (expr: Expr): readonly string[] => {
  if (isOwn(expr)) return [expr.field.name];
  return expr.kind === "call" && expr.row === "boolean ? any : any" ? expr.args.slice(1).flatMap(listAliased) : [];
};

/** True for the condition that one of these fields is past. A date is past once its day is over. */
const isPast = (condition: Expr, fields: ReadonlySet<string>): boolean => {
  if (condition.kind !== "call") return false;
  const [one, other] = condition.args;
  const isBefore = (early: Expr | undefined, late: Expr | undefined) =>
    (late?.kind === "now" || (late?.kind === "today" && !condition.row.includes("="))) &&
    early?.kind === "field" &&
    early.of.kind === "this" &&
    fields.has(early.field.name);
  if (condition.row === "ordered < ordered" || condition.row === "ordered <= ordered") return isBefore(one, other);
  if (condition.row === "ordered > ordered" || condition.row === "ordered >= ordered") return isBefore(other, one);
  return false;
};

/** True if the deadline is past whenever a record gets into the state. */
const isReachedLate = ({ initial, transitions }: States, state: string, fields: ReadonlySet<string>): boolean => {
  const into = [...transitions.values()].filter(
    ({ from, to }) => to.includes(state) && from.some((one) => one !== state),
  );
  return (
    state !== initial &&
    into.length > 0 &&
    into.every(({ once }) => once !== null && splitConjuncts(once).some((one) => isPast(one, fields)))
  );
};

/** By tile: the answer is the same for every reader. */
const overdue = new WeakMap<Tile, boolean>();

/** True if the condition of a tile that shows records or their number says that they are overdue. */
export const isOverdueTile = (model: Model, tile: Tile): boolean => {
  if (tile.kind !== "count" && tile.kind !== "list") return false;
  const answer = overdue.get(tile) ?? saysOverdue(model, tile, findDecider(model));
  overdue.set(tile, answer);
  return answer;
};

/** A tile for the caller; none without read permission on its content. */
export const tileFor = (
  tile: Tile,
  entities: ReadonlyMap<string, EntityJson>,
  { readable, isPartial, isOverdue, isConditional }: TileReader,
  lists: readonly ListScreen[],
): readonly TileJson[] => {
  const entity = entities.get(tile.entity);
  if (entity === undefined || !opensTile(tile, readable)) return [];
  const { title, clause } = tile;
  const base = {
    title,
    clause: clause.id,
    entity: tile.entity,
    list: listFor(tile, lists)?.path ?? null,
    ...(isPartial ? { partial: true as const } : {}),
    ...(isConditional ? { conditional: true as const } : {}),
    ...(isOverdue ? { overdue: true as const } : {}),
  };
  if (tile.kind === "count") return [{ ...base, kind: "count" }];
  if (tile.kind === "list")
    return [
      {
        ...base,
        kind: "list",
        columns: tile.columns.filter((name) => isSystem(name) || readable.has(name)),
        ...sortFor(tile.sort, readable, listFor(tile, lists)),
      },
    ];
  if (tile.kind === "pivot") {
    const { kind, rows, columns, sum } = tile;
    return [{ ...base, kind, rows, columns, sum }];
  }
  const measured = { ...base, value: getMeasure(tile.value, entity), target: getTarget(tile.target) };
  if (tile.kind === "figure")
    return [{ ...measured, kind: "figure", compare: tile.compare && { title: tile.compare.title } }];
  const per = getAxis(tile.per, entity, entities);
  return [{ ...measured, kind: "chart", chart: tile.chart, per, ...groupSortFor(tile) }];
};

/** Groups in a list have the order of their sums, if the list is sorted by what they add up. */
const groupSortFor = ({
  per,
  sort,
  value: { how, of },
}: Tile & { kind: "chart" }): { readonly sort?: readonly string[] } => {
  const isLargestFirst = sort.length > 0 || (per.type.kind !== "date" && per.type.kind !== "choice");
  return isLargestFirst && how === "sum" && of !== null && isOwn(of) ? { sort: [`-${of.field.name}`] } : {};
};

const getTarget = (target: Target | null): TargetJson | null => {
  if (target === null) return null;
  const { value } = target.value;
  return { bound: target.bound, value: value instanceof Big ? value.toFixed() : String(value) };
};

/** The list that a tile links to. A list with a condition of its own would show fewer records than the tile counts. */
const listFor = ({ entity }: Tile, lists: readonly ListScreen[]): ListScreen | undefined =>
  lists.find((list) => list.entity === entity && list.where === null);

/** The order of a list tile, with which its link opens a list that has another. */
const sortFor = (
  sort: readonly string[],
  readable: ReadonlySet<string>,
  list: ListScreen | undefined,
): { readonly sort?: readonly string[] } => {
  const seen = sort.filter((key) => {
    const name = key.replace(/^-/u, "");
    return isSystem(name) || readable.has(name);
  });
  return seen.length === 0 || list === undefined || seen.join() === list.sort.join() ? {} : { sort: seen };
};

const steps: { readonly [call in Operation]?: AxisJson["step"] } = {
  ...Object.fromEntries(dateSteps.map((step) => [stepFunctions[step], step])),
  "start_of_week(date)": "week",
  "end_of_week(date)": "week",
};

const getAxis = (per: Expr, entity: EntityJson, entities: ReadonlyMap<string, EntityJson>): AxisJson => {
  const read = groupMentions(per);
  const label =
    entities.get(read?.entity.name ?? "")?.fields.find(({ name }) => name === read?.field.name)?.label ?? entity.one;
  const field = isOwn(per) ? per.field.name : null;
  const step = per.type.kind === "date" ? (getStep(per) ?? "day") : null;
  return { label, step, field, group: getGroupKey(per, step, entity) };
};

/** A value of the record itself, or a period of one of its dates. */
const getGroupKey = (per: Expr, step: AxisJson["step"], entity: EntityJson): string | null => {
  const of = per.kind === "call" ? per.args[0] : per;
  if (of === undefined || !isOwn(of)) return null;
  const period = dateSteps.find((one) => one === step) ?? null;
  if ((per.kind === "call") !== (period !== null) || (step !== null && period === null)) return null;
  const key = writeGroupKey({ field: of.field.name, step: period });
  return findGroupFieldJson(entity, key) === undefined ? null : key;
};

/** The field whose values form the groups: for `month_of(shift.begins)`, the last field of the path. */
const groupMentions = (per: Expr): (Expr & { kind: "field" }) | undefined =>
  per.kind === "field"
    ? per
    : per.kind === "call"
      ? per.args.map(groupMentions).find((item) => item !== undefined)
      : undefined;

const isOwn = (expr: Expr): expr is Expr & { kind: "field" } => expr.kind === "field" && expr.of.kind === "this";

const getStep = (per: Expr): AxisJson["step"] => (per.kind === "call" ? (steps[per.row] ?? null) : null);

const getMeasure = ({ how, of }: Aggregate, { fields, many }: EntityJson): MeasureJson => {
  const field = of !== null && isOwn(of) ? fields.find(({ name }) => name === of.field.name) : undefined;
  return { how, label: field?.label ?? many, unit: field?.unit ?? null, currency: field?.currency ?? null };
};
