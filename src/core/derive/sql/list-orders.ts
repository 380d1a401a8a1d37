import { type Entity, type Field, isGiven, type Model } from "../../model/model.ts";

/** An order in which a list of the document runs, and what an index of it begins with. */
export interface Order {
  /** As written: `-first_day`. Empty: the newest first. */
  readonly sort: readonly string[];
  /** The clause of the list. */
  readonly clause: string;
  /** A filter with few values, none of which is missing: the list is read value by value, in order. Or null. */
  readonly axis: Field | null;
  /** The other filters that an index begins with. */
  readonly filters: readonly Field[];
  /** Whether it is that of the entity's first list, in which the indexes of references run too. */
  readonly main: boolean;
}

/** With more values than these, reading value by value costs more than it saves. */
const FEW = 8;

const isAxis = (field: Field): boolean =>
  isGiven(field) &&
  !field.many &&
  (field.type === "state" || (field.type === "choice" && !field.optional)) &&
  field.values.length <= FEW;

/** The orders of an entity's lists, each once, in document order. */
export const ordersOf = (model: Model, entity: Entity): readonly Order[] => {
  const orders = new Map<string, Order>();
  for (const screen of model.screens) {
    if (screen.kind !== "list" || screen.entity !== entity.name) continue;
    // What is computed where it is read has no index.
    const isIndexed = (name: string) =>
      entity.fields.get(name)?.held.as !== "live" && entity.fields.get(name)?.many !== true;
    if (!screen.sort.every((key) => isIndexed(key.replace(/^-/u, "")))) continue;
    const key = screen.sort.join();
    const known = orders.get(key);
    const fields = [
      ...(known?.filters ?? []),
      ...screen.filters.filter(isIndexed).flatMap((name) => entity.fields.get(name) ?? []),
    ];
    const axis = known?.axis ?? fields.find((field) => field.type === "state" && isAxis(field)) ?? fields.find(isAxis);
    orders.set(key, {
      sort: screen.sort,
      clause: known?.clause ?? screen.clause.id,
      axis: axis ?? null,
      // A reference has an index of its own.
      filters: [...new Set(fields)].filter((field) => field !== axis && field.type !== "reference"),
      main: known?.main ?? orders.size === 0,
    });
  }
  return [...orders.values()];
};

/** The order of the document that a list asked for in this one can be read in. */
export const orderFor = (model: Model, entity: Entity, sort: readonly string[]): Order | undefined =>
  ordersOf(model, entity).find((order) => order.sort.join() === sort.join());
