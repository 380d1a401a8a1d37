import type { Entity } from "../../model/entity.ts";
import { type Field, isPlainColumn } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { Sql } from "../../sql.ts";
import { readingOrder } from "./reading-order.ts";
import { isSortedByPart } from "./sort-value.ts";

/** The order of a list, and the leading columns of its indexes. */
export interface Order {
  /** As written: `-first_day`. Empty for newest first. */
  readonly sort: readonly string[];
  /** The collation of texts. */
  readonly collation: Sql;
  /** The clause of the list. */
  readonly clause: string;
  /** A required filter with few values, so that the list can be read value by value in order; or null. */
  readonly axis: Field | null;
  /** Other filters, each a leading column of an index. */
  readonly filters: readonly Field[];
  /** True for the entity's first list, whose order the indexes of references follow as well. */
  readonly main: boolean;
}

/** Maximum number of values of an axis; reading value by value costs more beyond it. */
const FEW = 8;

const isAxis = (field: Field): boolean =>
  isPlainColumn(field) &&
  !field.many &&
  (field.type === "state" || (field.type === "choice" && !field.optional)) &&
  field.values.length <= FEW;

/** The distinct orders of an entity's lists, in document order. */
export const findListOrders = (model: Model, entity: Entity): readonly Order[] => {
  const orders = new Map<string, Order>();
  const collation = readingOrder(model.locale);
  // Virtual computed fields have no index, and an index has no labels of other records.
  const isIndexed = (name: string) =>
    entity.fields.get(name)?.storage.as !== "virtual" && entity.fields.get(name)?.many !== true;
  const isOrdered = (key: string) => {
    const field = entity.fields.get(key.replace(/^-/u, ""));
    return field === undefined || (isIndexed(field.name) && field.type !== "reference" && !isSortedByPart(field));
  };
  for (const screen of model.screens) {
    if (screen.kind !== "list" || screen.entity !== entity.name) continue;
    if (!screen.sort.every(isOrdered)) continue;
    const key = screen.sort.join();
    const known = orders.get(key);
    const fields = [
      ...(known?.filters ?? []),
      ...screen.filters.filter(isIndexed).flatMap((name) => entity.fields.get(name) ?? []),
    ];
    const axis = known?.axis ?? fields.find((field) => field.type === "state" && isAxis(field)) ?? fields.find(isAxis);
    orders.set(key, {
      sort: screen.sort,
      collation,
      clause: known?.clause ?? screen.clause.id,
      axis: axis ?? null,
      // References have indexes of their own.
      filters: [...new Set(fields)].filter((field) => field !== axis && field.type !== "reference"),
      main: known?.main ?? orders.size === 0,
    });
  }
  for (const { clause, does } of model.calls)
    for (const step of does.kind === "steps" ? does.steps : []) {
      if (step.does.kind !== "list" || step.entity !== entity.name) continue;
      // An index serves one direction, because missing values come last in both.
      for (const name of [...step.does.sorting.fields.values()].filter(isOrdered))
        for (const sort of [[name], [`-${name}`]])
          if (!orders.has(sort.join()))
            orders.set(sort.join(), { sort, collation, clause: clause.id, axis: null, filters: [], main: false });
    }
  return [...orders.values()];
};

/** The list order that serves a requested sort order. */
export const orderFor = (model: Model, entity: Entity, sort: readonly string[]): Order | undefined =>
  findListOrders(model, entity).find((order) => order.sort.join() === sort.join());
