import type { Entity } from "../../model/entity.ts";
import { type Field, isActValue, isOfRecord } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import {
  type Grant,
  grantedFields,
  grantsFor,
  type Principal,
  transitionGrantsFor,
  writableFields,
} from "../authorization/grants.ts";
import { listConditions } from "../http/list-conditions.ts";
import type { Route } from "../http/routes.ts";
import { partsThrough } from "./part-schemas.ts";

/** An entity as a caller sees it, without looking at records: readable fields and grants. */
export interface EntityView {
  readonly model: Model;
  readonly entity: Entity;
  readonly person: Principal;
  readonly reading: readonly Grant[];
  readonly creating: readonly Grant[];
  readonly updating: readonly Grant[];
  readonly deleting: readonly Grant[];
  /** Transitions for which the caller has a grant. */
  readonly transitions: ReadonlyMap<string, readonly Grant[]>;
  /** Fields that the caller reads on some record, in document order. */
  readonly fields: readonly Field[];
  /** Clauses of the lists and tiles visible to the caller. */
  readonly conditions: readonly string[];
}

export const entityViewFor = (model: Model, entity: Entity, person: Principal): EntityView => {
  const reading = grantsFor(model, entity, "read", person);
  const readable = grantedFields(entity, reading);
  return {
    model,
    entity,
    person,
    reading,
    creating: grantsFor(model, entity, "create", person),
    updating: grantsFor(model, entity, "update", person),
    deleting: grantsFor(model, entity, "delete", person),
    transitions: new Map(
      [...(entity.states?.transitions.values() ?? [])].map((transition) => [
        transition.name,
        transitionGrantsFor(model, entity, transition, person),
      ]),
    ),
    fields: [...entity.fields.values()].filter((field) => readable.has(field.name) && isOfRecord(field)),
    conditions: [...listConditions(model, person, entity.name).keys()],
  };
};

/** The grants of a call. Without read permission on a record, it cannot be changed, moved or deleted either. */
export const grantsForRoute = (view: EntityView, { does }: Route): readonly Grant[] => {
  switch (does.kind) {
    case "list":
    case "read":
    case "history":
      return view.reading;
    case "create":
      return view.creating;
    case "update":
      return view.reading.length === 0 ? [] : view.updating;
    case "delete":
      return view.reading.length === 0 ? [] : view.deleting;
    case "transition":
      return view.reading.length === 0 ? [] : (view.transitions.get(does.transition) ?? []);
  }
};

export const isPermitted = (view: EntityView, route: Route): boolean => grantsForRoute(view, route).length > 0;

/** Fields that the body of a call can set, in document order. */
export const settableFields = (view: EntityView, { does }: Route): readonly Field[] => {
  const { entity } = view;
  const all = [...entity.fields.values()];
  if (does.kind === "transition") {
    const asks = entity.states?.transitions.get(does.transition)?.asks ?? [];
    return all.filter((field) => asks.includes(field.name));
  }
  if (does.kind !== "create" && does.kind !== "update") return [];
  const open = writableFields(entity, does.kind === "create" ? view.creating : view.updating);
  return all.filter((field) => open.has(field.name) && !(does.kind === "update" && field.once));
};

/** Lists of parts in the body of a call. */
export const acceptedPartLists = (
  { model, entity, creating, updating }: EntityView,
  { does }: Route,
): readonly string[] =>
  does.kind === "create" || does.kind === "update"
    ? partsThrough(model, entity, does.kind === "create" ? creating : updating).map(({ list }) => list.name)
    : [];

/** True for optional input of a transition. */
export const isIfAny = ({ entity }: EntityView, { does }: Route, field: Field): boolean =>
  does.kind === "transition" && entity.states?.transitions.get(does.transition)?.asksIfAny.has(field.name) === true;

export const isAsked = (view: EntityView, route: Route, field: Field): boolean =>
  route.does.kind === "transition"
    ? !isIfAny(view, route, field) && !(isActValue(field) && field.default !== null)
    : !field.optional && field.type !== "boolean" && field.default === null;
