import type { Entity, Field, Model } from "./model.ts";

/** An entity whose records are parts of others, with the reference that says of which. */
export interface Part {
  readonly entity: Entity;
  readonly field: Field;
}

/** More in one list are too many for a form, and for one statement. */
export const MOST_PARTS = 1_000;

/** A list of a record's parts, which is given and answered with it. */
export interface PartList extends Part {
  readonly list: Field;
  /** What keeps the order of the parts of one record; null where that is the order in which they were made. */
  readonly place: Field | null;
}

/** The lists of an entity whose records are its parts, in document order. */
export const partListsOf = (
  { entities }: { readonly entities: Pick<Model["entities"], "get"> },
  whole: Entity,
): readonly PartList[] =>
  [...whole.fields.values()].flatMap((list): readonly PartList[] => {
    const entity = list.held.as === "list" ? entities.get(list.held.entity) : undefined;
    const field = list.held.as === "list" ? entity?.fields.get(list.held.by) : undefined;
    if (entity === undefined || field?.partOf !== true) return [];
    const place = [...entity.fields.values()].find(({ type, from }) => type === "position" && from === field.name);
    return [{ list, entity, field, place: place ?? null }];
  });

/** The entities of which this one's records are parts, with the reference that names each. */
export const wholesOf = ({ entities }: Model, part: Entity): readonly Part[] =>
  [...part.fields.values()].flatMap((field) => {
    const entity = field.partOf && field.entity !== null ? entities.get(field.entity) : undefined;
    return entity === undefined ? [] : [{ entity, field }];
  });

/** What goes with an entity's records when they go. */
export const partsOf = ({ entities }: Model, whole: Entity): readonly Part[] =>
  [...entities.values()].flatMap((entity) =>
    [...entity.fields.values()].flatMap((field) =>
      field.partOf && field.entity === whole.name ? [{ entity, field }] : [],
    ),
  );
