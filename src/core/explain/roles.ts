import type { Model } from "../model/model.ts";
import type { Tongue } from "./tongue.ts";

/** A language in which roles are called as the document calls them. */
export const withRoles = (tongue: Tongue, { roles }: Pick<Model, "roles">): Tongue => {
  if (![...roles.values()].some(({ title }) => title !== null)) return tongue;
  const { sentences } = tongue;
  const role = (name: string): string => {
    const title = roles.get(name)?.title ?? null;
    return title === null ? name : tongue.say(title);
  };
  const all = (names: readonly string[]): readonly string[] => names.map(role);
  return {
    ...tongue,
    role,
    sentences: {
      ...sentences,
      onlyRoles: (names) => sentences.onlyRoles(all(names)),
      whoMay: (action, thing, names, narrowed) => sentences.whoMay(action, thing, all(names), narrowed),
      whoMayMake: (title, names) => sentences.whoMayMake(title, all(names)),
      whoMayCall: (call, names) => sentences.whoMayCall(call, all(names)),
    },
  };
};
