import type { Entity } from "../entity.ts";
import type { Model } from "../model.ts";

/** The address of a record's page: that of its screen, or the conventional one. */
export const recordPath = ({ screens }: Model, entity: Entity, record: string): string => {
  const screen = screens.find((candidate) => candidate.kind === "record" && candidate.entity === entity.name);
  return screen?.path.replace(/\{[^}]*\}/u, record) ?? `/${entity.path}/${record}`;
};
