import type { Model } from "../../core/model/model.ts";
import type { SampleJson } from "../../core/wire/authoring/document.ts";
import type { Service } from "../execution/service.ts";
import { listSamplePeople } from "./people.ts";
import { extendSample, findNewEntities } from "./sample.ts";
import type { AdvanceTime } from "./simulate.ts";
import { fitsDocument, playStory } from "./story/play-story.ts";
import type { Story } from "./story/read-story.ts";

/** Where samples come from. */
export interface SampleSource {
  /** The stories of the examples. */
  readonly stories: () => Promise<readonly Story[]>;
  readonly passing: (service: Service) => AdvanceTime;
  readonly clock: () => Date;
}

/**
 * Adds samples for a version that replaced another one, if the database has sample people: the story of an example if
 * the version is one, otherwise generated people and records. `without`: entities whose records the author brings along.
 */
export const addSamples = async (
  service: Service,
  before: Model,
  without: ReadonlySet<string>,
  { stories, passing, clock }: SampleSource,
): Promise<SampleJson> => {
  if ((await listSamplePeople(service)).length === 0) return { people: 0, records: 0 };
  const fresh = new Set((await findNewEntities(service, before, without)).map(({ name }) => name));
  const story =
    fresh.size === 0
      ? undefined
      : (await stories()).find(
          (one) => fitsDocument(service, one) && one.acts.every(({ entity }) => entity === "User" || fresh.has(entity)),
        );
  return story === undefined
    ? extendSample(service, before, without, clock(), passing(service))
    : playStory(service, story, clock(), passing(service));
};
