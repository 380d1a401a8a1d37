import type { PicturesJson } from "../../core/wire/accounts/people.ts";

/** Maximum number of people per call. */
const MOST = 100;

/** Time in milliseconds to collect the people of a page. */
const SOON = 10;

/** The file id of a person's picture; null if there is none or it is not readable. */
export type PictureOf = (person: string) => Promise<string | null>;

/** Batches the people named on a page into one call. */
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
