import type { Entity } from "../model/entity.ts";
import { toTitle } from "../model/inflection.ts";
import type { Model } from "../model/model.ts";
import type { Phrases } from "./language.ts";

/** The title of a global role, or of a role held on the records of `entity`, in the document's language. */
export const roleTitle = (
  { roles, entities }: Pick<Model, "roles" | "entities">,
  name: string,
  entity: Entity | null,
): string => {
  // A `like` permission can use a role of the other entity.
  const heldRole =
    entity?.roles.get(name) ?? [...entities.values()].find((entity) => entity.roles.has(name))?.roles.get(name);
  return (roles.get(name) ?? heldRole)?.title ?? toTitle(name);
};

/** Adds the titles of a document's roles to the phrases. */
export const withRoleTitles = (phrases: Phrases, model: Pick<Model, "roles" | "entities">): Phrases => ({
  ...phrases,
  role: (name, entity) => phrases.say(roleTitle(model, name, entity)),
});
