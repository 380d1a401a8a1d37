import type { PicturesJson } from "../../core/wire/accounts/people.ts";
import { gatherCalls } from "./gather-calls.ts";

/** Maximum number of people per call. */
const MOST = 100;

/** The file id of a person's picture; null if there is none or it is not readable. */
export type PictureOf = (person: string) => Promise<string | null>;

/** Batches the people named on a page into one call. */
export const createPictures = (ask: (people: readonly string[]) => Promise<PicturesJson>): PictureOf => {
  const find = gatherCalls(
    async (people) => new Map((await ask(people)).items.map(({ id, file }) => [id, file])),
    MOST,
  );
  return async (person) => (await find(person)).get(person) ?? null;
};
