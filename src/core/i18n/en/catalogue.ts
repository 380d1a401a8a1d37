import type { LanguageTexts } from "../catalogue.ts";
import { texts as change } from "./change.ts";
import { texts as defaults } from "./defaults.ts";
import * as errors from "./errors.ts";
import { aroundForeignWords, texts as explain } from "./explain.ts";
import { grammar } from "./grammar.ts";
import { texts as mail } from "./mail.ts";
import { titles } from "./titles.ts";

export const translation: LanguageTexts = {
  grammar,
  explain,
  aroundForeignWords,
  errors,
  mail,
  change,
  defaults,
  titles,
};
