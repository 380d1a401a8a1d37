import type { Entity } from "../model/entity.ts";
import { toTitle } from "../model/inflection.ts";
import type { Model } from "../model/model.ts";
import type { HeldRole, Role } from "../model/permissions.ts";
import type { Phrases } from "./language.ts";

/** The title of a global role, or of a role held on the records of `entity`, in the document's language. */
export const roleTitle = (model: Pick<Model, "roles" | "entities">, name: string, entity: Entity | null): string =>
  findRole(model, name, entity)?.title ?? toTitle(name);

const findRole = (
  { roles, entities }: Pick<Model, "roles" | "entities">,
  name: string,
  entity: Entity | null,
): Role | HeldRole | undefined =>
  roles.get(name) ??
  entity?.roles.get(name) ??
  // A `like` permission can use a role of the other entity.
  [...entities.values()].find((entity) => entity.roles.has(name))?.roles.get(name);

/** Adds the titles of a document's roles to the phrases, and which of them deputies have. */
export const withRoleTitles = (phrases: Phrases, model: Pick<Model, "roles" | "entities">): Phrases => ({
  ...phrases,
  role: (name, entity) => phrases.say(roleTitle(model, name, entity)),
  isDeputy: (role, entity) => findRole(model, role, entity)?.represented !== undefined,
});
