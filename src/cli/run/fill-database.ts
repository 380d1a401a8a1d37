import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import { nameFromAddress } from "../../core/util/name-from-address.ts";
import { Timers } from "../../jobs/timers.ts";
import { createPerson } from "../../server/accounts/create-person.ts";
import { toProblem } from "../../server/problems/to-problem.ts";
import { addSamples, type SampleSource } from "../../server/sample/add-samples.ts";
import { createSampleData } from "../../server/sample/sample.ts";
import { playStory } from "../../server/sample/story/play-story.ts";
import { StoryError } from "../../server/sample/story/read-story.ts";
import type { OpenDocument } from "../../server/serving/open-document.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { program } from "../program.ts";
import type { RunOptions } from "./run-options.ts";
import { findStory, readExampleStories } from "./story-file.ts";
import { writeLine } from "./write-line.ts";

/**
 * Adds sample data once and keeps existing data. Samples that an administrator removed do not come back. A story beside
 * the document replaces generated samples.
 */
export const addSampleOnce = async (
  opened: OpenDocument,
  { path, data, database }: RunOptions,
  now: Date,
): Promise<void> => {
  const [row] = await opened.service.database.query({
    text: `select exists (select from ninefold.sample)
             or exists (select from ninefold.audit where action = 'remove_samples' and person is not null) as made`,
    values: [],
  });
  if (row?.made === true) return;
  const timers = new Timers(() => undefined);
  const advanceTime = (until: Date) => timers.run(opened.service, until);
  const story = await playStoryOf(opened, path, now, advanceTime);
  const { people, records } = story ?? (await createSampleData(opened.service, now, advanceTime));
  const where = database !== undefined ? " --database URL" : data !== undefined ? ` --data ${data}` : "";
  writeLine(
    `Added sample data: ${people === 1 ? "1 person" : `${people} people`}, ${records} records. To remove it, run “${program} sample remove ${path}${where}”.`,
  );
};

/** Samples for what later versions add: the stories of the examples, or generated ones. */
export const createSampleSource = (clock: () => Date): SampleSource => ({
  stories: readExampleStories,
  clock,
  passing: (service) => {
    const timers = new Timers(() => undefined);
    return (until) => timers.run(service, until);
  },
});

/** Adds samples for what a start added to a demonstration. */
export const addSamplesForChange = async (
  { service, before, change }: OpenDocument,
  source: SampleSource,
): Promise<void> => {
  if (before === null || change === null) return;
  const { people, records } = await addSamples(service, before, new Set(), source);
  if (people + records > 0)
    writeLine(
      `Added sample data for what is new: ${people === 1 ? "1 person" : `${people} people`}, ${records} records.`,
    );
};

/** Plays the story of the document. Undefined if it has none, or one that does not fit. */
const playStoryOf = async (
  { service }: OpenDocument,
  path: string,
  now: Date,
  advanceTime: (until: Date) => Promise<unknown>,
): Promise<{ readonly people: number; readonly records: number } | undefined> => {
  try {
    const found = await findStory(path);
    if (found === undefined) return undefined;
    const result = await playStory(service, found.story, now, advanceTime);
    for (const { line, code } of result.refused) writeLine(`${found.file}:${line}: this act was refused (${code}).`);
    return result;
  } catch (error) {
    if (!(error instanceof StoryError)) throw error;
    writeLine(
      `The story of ${path} does not fit it (line ${error.line}): ${error.message} Samples are generated instead.`,
    );
    return undefined;
  }
};

export const createAdministrator = async (
  { service }: OpenDocument,
  { email, name = nameFromAddress(email) }: { readonly email: string; readonly name?: string | undefined },
  password: string,
  now: Date,
): Promise<void> => {
  const known = await service.database.query({
    text: `select 1 from app."user" where lower("email") = lower($1)`,
    values: [email],
  });
  if (known.length > 0) {
    writeLine(`${email} already has an account. It was not changed.`);
    return;
  }
  const result = await createPerson(service, { name, email, roles: [ADMINISTRATOR], password }, now, {
    isChecked: false,
  });
  if (typeof result === "string") return;
  const problem = toProblem(service.model, result);
  throw new CommandFailed(
    exits.usage,
    `Can’t create the administrator: ${problem.errors?.map((error) => error.message).join(" ") ?? problem.detail}`,
  );
};
