import type { Entity, Transition } from "../entity.ts";
import { type Field, isActValue } from "../field.ts";

/** The values that a transition asks for and that no record keeps. */
export const listActValues = (entity: Entity, { asks }: Pick<Transition, "asks">): readonly Field[] =>
  asks.flatMap((name) => {
    const field = entity.fields.get(name);
    return field !== undefined && isActValue(field) ? [field] : [];
  });

/** True if a transition gives the value of its act itself when nobody does: its default is never missing. */
export const alwaysHasDefault = ({ default: initial }: Field): boolean => initial !== null && !initial.missing;
