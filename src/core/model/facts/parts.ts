import type { Entity } from "../entity.ts";
import type { Field } from "../field.ts";
import type { Model } from "../model.ts";

/** An entity whose records are parts of others, with the reference to the parent. */
export interface PartEntity {
  readonly entity: Entity;
  readonly field: Field;
}

/** Maximum number of parts in a list: more are too many for a form and for one statement. */
export const MOST_PARTS = 1_000;

/** A list of a record's parts, read and written together with it. */
export interface PartList extends PartEntity {
  readonly list: Field;
  /** The field with the position of a part; null if they are sorted by creation. */
  readonly place: Field | null;
}

/** The lists of an entity's parts, in document order. In a loop, because each write asks for them and few entities have any. */
export const findPartLists = (
  { entities }: { readonly entities: Pick<Model["entities"], "get"> },
  parent: Entity,
): readonly PartList[] => {
  const lists: PartList[] = [];
  for (const list of parent.fields.values()) {
    if (list.storage.as !== "inverse") continue;
    const entity = entities.get(list.storage.entity);
    const field = entity?.fields.get(list.storage.by);
    if (entity === undefined || field?.partOf !== true) continue;
    const place = [...entity.fields.values()].find(({ type, from }) => type === "position" && from === field.name);
    lists.push({ list, entity, field, place: place ?? null });
  }
  return lists;
};

/** The possible parents of a part, with the reference to each. */
export const findParents = ({ entities }: Model, part: Entity): readonly PartEntity[] =>
  [...part.fields.values()].flatMap((field) => {
    const entity = field.partOf && field.entity !== null ? entities.get(field.entity) : undefined;
    return entity === undefined ? [] : [{ entity, field }];
  });

/** The parts that are deleted with an entity's records. */
export const findParts = ({ entities }: Model, parent: Entity): readonly PartEntity[] =>
  [...entities.values()].flatMap((entity) =>
    [...entity.fields.values()].flatMap((field) =>
      field.partOf && field.entity === parent.name ? [{ entity, field }] : [],
    ),
  );
