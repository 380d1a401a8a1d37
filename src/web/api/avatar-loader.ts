import type { PicturesJson } from "../../core/wire/people.ts";

/** As many as one call takes. */
const MOST = 100;

/** What is drawn at once asks at once, in milliseconds. */
const SOON = 10;

/** The id of the file with somebody's picture; null where they have none, or not for who asks. */
export type PictureOf = (person: string) => Promise<string | null>;

/** Asks for everybody whom a page names in one call, and not for each in one of its own. */
export const createPictures = (ask: (people: readonly string[]) => Promise<PicturesJson>): PictureOf => {
  let together: { readonly people: Set<string>; readonly found: Promise<ReadonlyMap<string, string>> } | null = null;
  const gather = () => {
    const people = new Set<string>();
    const found = new Promise((resolve) => setTimeout(resolve, SOON)).then(async () => {
      if (together?.people === people) together = null;
      const { items } = await ask([...people]);
      return new Map(items.map(({ id, file }) => [id, file]));
    });
    return { people, found };
  };
  return async (person) => {
    together ??= gather();
    const { people, found } = together;
    people.add(person);
    if (people.size === MOST) together = null;
    return (await found).get(person) ?? null;
  };
};
