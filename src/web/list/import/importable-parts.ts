import type { Application } from "../../../core/wire/application.ts";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { PartsJson } from "../../../core/wire/screens.ts";
import { getScreenEntity } from "../../routing/routes.ts";

const listAll = (parts: readonly PartsJson[]): readonly PartsJson[] =>
  parts.flatMap((part) => [part, ...listAll(part.parts ?? [])]);

/** The parts of an entity's records, and their parts, that the person can add or change: the lines of requests. */
export const findImportableParts = (
  { screens, entities }: Pick<Application, "screens" | "entities">,
  of: string,
): readonly EntityJson[] => {
  const shown = screens.flatMap((screen): readonly PartsJson[] => {
    if (getScreenEntity(screen) !== of) return [];
    if (screen.kind === "form") return screen.parts ?? [];
    return screen.kind === "record"
      ? screen.sections.flatMap((section) => (section.kind === "list" ? (section.parts ?? []) : []))
      : [];
  });
  const names = new Set(listAll(shown).map(({ entity }) => entity));
  return [...names].flatMap((name) => {
    const entity = entities[name];
    return entity !== undefined && (entity.create !== null || entity.update !== undefined) ? [entity] : [];
  });
};
