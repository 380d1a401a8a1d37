import type { Model } from "../model/model.ts";
import { titleOf } from "../model/words.ts";
import type { Tongue } from "./tongue.ts";

/** A language in which roles are called as the document calls them. */
export const withRoles = (tongue: Tongue, { roles }: Pick<Model, "roles">): Tongue => ({
  ...tongue,
  role: (name) => {
    const title = roles.get(name)?.title ?? null;
    return title === null ? titleOf(name) : tongue.say(title);
  },
});
