import { titleOf } from "../model/inflection.ts";
import type { Entity, Model } from "../model/model.ts";
import type { Phrases } from "./language.ts";

/** What a document calls a role that is held everywhere, or on the records of `entity`, in the document's own language. */
export const roleTitle = (
  { roles, entities }: Pick<Model, "roles" | "entities">,
  name: string,
  entity: Entity | null,
): string => {
  // A permission that is like another's is for a role of that one's records.
  const held = entity?.roles.get(name) ?? [...entities.values()].find((one) => one.roles.has(name))?.roles.get(name);
  return (roles.get(name) ?? held)?.title ?? titleOf(name);
};

/** A language in which roles are called as the document calls them. */
export const withRoles = (phrases: Phrases, model: Pick<Model, "roles" | "entities">): Phrases => ({
  ...phrases,
  role: (name, entity) => phrases.say(roleTitle(model, name, entity)),
});
