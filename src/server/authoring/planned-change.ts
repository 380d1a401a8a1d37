import { negotiatePhrases } from "../../core/explain/language.ts";
import { messageText, type StoredSentence, storedText } from "../../core/i18n/languages.ts";
import type { Message } from "../../core/i18n/message.ts";
import { type DataChange, toChangeJson } from "../../core/migration/migration-step.ts";
import type { AppliedJson } from "../../core/wire/authoring/document.ts";
import type { JobJson, NewestJobJson } from "../../core/wire/authoring/job.ts";

/** A plan inside the server, with its sentences as messages. */
export type PlannedChange = Required<DataChange>;

/** A published version inside the server. */
export interface PublishedChange extends AppliedJson {
  /** Its steps as messages. */
  readonly messages: readonly Message[];
}

const isPlanned = (outcome: object): outcome is PlannedChange => "messages" in outcome && "refused" in outcome;
const isPublished = (outcome: object): outcome is PublishedChange => "messages" in outcome && "steps" in outcome;
const isJob = (outcome: object): outcome is JobJson => "job" in outcome && "phase" in outcome;
const isNewest = (outcome: object): outcome is NewestJobJson => "newest" in outcome;

const sayAll = <T extends StoredSentence>(sentences: readonly T[], language: string): readonly Omit<T, "message">[] =>
  sentences.map(({ message, ...rest }) => ({
    ...rest,
    says: storedText(message === undefined ? rest : { says: rest.says, message }, language),
  }));

const sayJob = (job: JobJson, language: string): JobJson => ({
  ...job,
  steps: sayAll(job.steps, language),
  refused: sayAll(job.refused, language),
});

/** Words the sentences of a plan, a job or a published version in a language. Returns other responses unchanged. */
export const inLanguage = (outcome: object, language: string): object => {
  if (isPlanned(outcome)) return toChangeJson(outcome, language);
  if (isJob(outcome)) return sayJob(outcome, language);
  if (isNewest(outcome)) return { ...outcome, newest: outcome.newest && sayJob(outcome.newest, language) };
  if (!isPublished(outcome)) return outcome;
  const { messages, ...applied } = outcome;
  return { ...applied, steps: messages.map((message) => messageText(message, language)) };
};

/** Finds the first language that a caller accepts and that has a catalogue; otherwise the language of the document. */
export const negotiateLanguage = (accepted: string | undefined, { locale }: { readonly locale: string }): string =>
  negotiatePhrases(accepted, locale).language;
