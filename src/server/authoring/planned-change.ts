import { negotiatePhrases } from "../../core/explain/language.ts";
import type { Message } from "../../core/i18n/message.ts";
import { type RefusedChange, toChangeJson } from "../../core/migration/migration-step.ts";

/** A plan inside the server, with its sentences as data. */
export interface PlannedChange {
  readonly told: readonly Message[];
  readonly refused: readonly RefusedChange[];
}

const isPlanned = (outcome: object): outcome is PlannedChange => "told" in outcome && "refused" in outcome;

/** The response to a request for a plan, with the sentences of the plan in a language; other responses as they are. */
export const inLanguage = (outcome: object, language: string): object =>
  isPlanned(outcome) ? toChangeJson(outcome, language) : outcome;

/** The first language that a caller accepts and that has a catalogue; English for a caller that names none. */
export const negotiateLanguage = (accepted: string | undefined): string => negotiatePhrases(accepted, "en").language;
