import type { Entity, Field, Model } from "../model/model.ts";

/** An entity whose records are parts of others, with the reference that says of which. */
export interface Part {
  readonly entity: Entity;
  readonly field: Field;
}

/** What goes with an entity's records when they go. */
export const partsOf = ({ entities }: Model, whole: Entity): readonly Part[] =>
  [...entities.values()].flatMap((entity) =>
    [...entity.fields.values()].flatMap((field) =>
      field.partOf && field.entity === whole.name ? [{ entity, field }] : [],
    ),
  );
