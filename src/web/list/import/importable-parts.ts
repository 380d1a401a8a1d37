import type { Application } from "../../../core/wire/application.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import { listShownParts } from "../../routing/routes.ts";

/** The parts of an entity's records, and their parts, that the person can add or change: the lines of requests. */
export const findImportableParts = (
  { screens, entities }: Pick<Application, "screens" | "entities">,
  of: string,
): readonly EntityJson[] => {
  const names = new Set(listShownParts(screens, of).map(({ entity }) => entity));
  return [...names].flatMap((name) => {
    const entity = entities[name];
    return entity !== undefined && (entity.create !== null || entity.update !== undefined) ? [entity] : [];
  });
};
