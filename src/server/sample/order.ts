import type { Entity } from "../../core/model/entity.ts";
import type { Model } from "../../core/model/model.ts";

/** Sorts entities after those they refer to; cycles come last. */
export const inOrderOfNeed = (model: Model): readonly Entity[] => {
  const waiting = [...model.entities.values()].filter((entity) => entity.served && entity.name !== "User");
  const ready = new Set(["User"]);
  const ordered: Entity[] = [];
  while (waiting.length > 0) {
    const isReady = (entity: Entity, needed: boolean) =>
      [...entity.fields.values()].every(
        (field) =>
          field.entity === null ||
          (needed && field.optional) ||
          ready.has(field.entity) ||
          field.entity === entity.name,
      );
    const index = waiting.findIndex((entity) => isReady(entity, false));
    const at = index >= 0 ? index : waiting.findIndex((entity) => isReady(entity, true));
    const [next] = waiting.splice(Math.max(at, 0), 1);
    if (next === undefined) break;
    ready.add(next.name);
    ordered.push(next);
  }
  return ordered;
};
