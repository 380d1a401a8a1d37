import { acceptedLanguages, negotiatePhrases, type Phrases, phrasesAround } from "../../explain/language.ts";
import { withRoles } from "../../explain/roles.ts";
import type { Model } from "../../model/model.ts";
import type { Application } from "../../wire/application.ts";

/** A text of the document's in the language that somebody reads; itself where it was not translated. */
export type Say = (text: string) => string;

/** The languages that a document can be read in, its own first. */
export const languagesOf = ({ locale, translations }: Model): readonly string[] => [locale, ...translations.keys()];

export const sayingIn = ({ translations }: Model, language: string): Say => {
  const words = translations.get(language);
  return words === undefined ? (text) => text : (text) => words.get(text)?.text ?? text;
};

const tongues = new WeakMap<Model, Map<string, Phrases>>();

/** In which somebody is told what is refused: the sentences of a language, with the document's words as they read them. */
export const tongueFor = (model: Model, accepted: string | undefined): Phrases => {
  // Every request asks, and browsers ask in few ways.
  const known = tongues.get(model) ?? new Map<string, Phrases>();
  tongues.set(model, known);
  const before = known.get(accepted ?? "");
  if (before !== undefined) return before;
  const phrases = negotiatePhrases(accepted, model.locale);
  const language = languageFor(model, acceptedLanguages(accepted));
  const key = `${phrases.language} ${language}`;
  const made =
    known.get(key) ?? withRoles({ ...phrasesAround(phrases, language), say: sayingIn(model, language) }, model);
  if (known.size < MOST_WAYS) known.set(key, made).set(accepted ?? "", made);
  return made;
};

const MOST_WAYS = 200;

/** The language that somebody asks for (`de-AT`), or one of its kind, or the document's own. */
export const languageFor = (model: Model, asked: readonly string[]): string => {
  const known = languagesOf(model);
  const kindOf = (tag: string) => tag.toLowerCase().split("-")[0];
  for (const tag of asked) {
    const exact = known.find((one) => one.toLowerCase() === tag.toLowerCase());
    const found = exact ?? known.find((one) => kindOf(one) === kindOf(tag));
    if (found !== undefined) return found;
  }
  return model.locale;
};

type Drawn = Pick<Application, "name" | "sentence" | "locale" | "roles" | "screens" | "entities">;

/** What the browser draws from, with the document's words in another language; examples are in the document's alone. */
export const translated = <A extends Drawn>(application: A, language: string, say: Say): A => ({
  ...application,
  locale: language,
  name: say(application.name),
  sentence: application.sentence === null ? null : say(application.sentence),
  roles: Object.fromEntries(Object.entries(application.roles).map(([name, title]) => [name, say(title)])),
  screens: saying(application.screens, say),
  entities: saying(application.entities, say),
});

/** The texts for people in what the browser draws from; everything else there is names, clauses and addresses. */
export const textsIn = (application: Drawn): ReadonlySet<string> => {
  const texts = new Set<string>();
  translated(application, application.locale, (text) => {
    texts.add(text);
    return text;
  });
  return texts;
};

const READ: ReadonlySet<string> = new Set(["title", "label", "one", "many", "help", "unit"]);

const saying = <T>(given: T, say: Say): T => {
  if (Array.isArray(given)) return given.map((one) => saying(one, say)) as T;
  if (typeof given !== "object" || given === null) return given;
  const entries = Object.entries(given).map(([key, value]) => [
    key,
    READ.has(key) && typeof value === "string" ? say(value) : key === "examples" ? undefined : saying(value, say),
  ]);
  return Object.fromEntries(entries);
};
