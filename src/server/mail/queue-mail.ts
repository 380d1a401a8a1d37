import { createTranslator, type Translate } from "../../core/derive/client/localize.ts";
import { languages } from "../../core/i18n/languages.ts";
import type { Model } from "../../core/model/model.ts";
import { isSamplePerson } from "../util/sample-person.ts";
import { getMails, type Mail, type Mails } from "./email-templates.ts";
import { LANGUAGE } from "./security-notices.ts";

/**
 * Writes a mail in every language, so that nothing has to be read before the statement that stores it: languages, subjects
 * and texts, the first parameters of `insertMailSql`. `say` translates texts of the document.
 */
export const writeInLanguages = (
  model: Model,
  write: (words: Mails, say: Translate) => Mail,
): readonly (readonly string[])[] => {
  const mails = languages.map((language) => write(getMails(language), createTranslator(model, language)));
  return [languages, mails.map(({ subject }) => subject), mails.map(({ text }) => text)];
};

/** The language that account `u` chose, without its region; null if none. */
export const CHOSEN_LANGUAGE = `split_part(btrim(${LANGUAGE}, '"'), '-', 1)`;

/**
 * Stores a mail with a link for each row of `person`, which has their `id`, `email` and `language`. Sample people get none.
 * `link`: the parameter with the hash of the link, by which the mail is found. The parameters from `first` on: languages,
 * subjects, texts, the language of people who chose none, and the time.
 */
export const insertMailSql = (person: string, link: string, first: number): string => {
  const [names, subjects, texts, other, at] = [0, 1, 2, 3, 4].map((i) => `$${first + i}`);
  return `insert into ninefold.mail (recipient, subject, text, headers, link, at, next_at)
          select p.email, w.subject, w.text, jsonb_build_object('content-language', w.language), ${link}, ${at}, ${at} from ${person} p
          join unnest(${names}::text[], ${subjects}::text[], ${texts}::text[]) as w (language, subject, text)
            on w.language = case when p.language = any(${names}::text[]) then p.language else ${other} end
          where not ${isSamplePerson('p."id"')}`;
};
