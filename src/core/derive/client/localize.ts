import { negotiatePhrases, type Phrases, parseAcceptLanguage, phrasesAround } from "../../explain/language.ts";
import { withRoleTitles } from "../../explain/roles.ts";
import type { Model } from "../../model/model.ts";
import type { Application } from "../../wire/application.ts";

/** Translates a text of the document; returns the text itself if there is no translation. */
export type Translate = (text: string) => string;

/** The languages of a document, its main language first. */
export const documentLanguages = ({ locale, translations }: Model): readonly string[] => [
  locale,
  ...translations.keys(),
];

export const createTranslator = ({ translations }: Model, language: string): Translate => {
  const words = translations.get(language);
  return words === undefined ? (text) => text : (text) => words.get(text)?.text ?? text;
};

const phrasesByModel = new WeakMap<Model, Map<string, Phrases>>();

/** The phrases for messages to a caller: sentences in the caller's language with the document's words translated. */
export const choosePhrases = (model: Model, accepted: string | undefined): Phrases => {
  // Cached, since every request needs them and few language headers occur.
  const known = phrasesByModel.get(model) ?? new Map<string, Phrases>();
  phrasesByModel.set(model, known);
  const before = known.get(accepted ?? "");
  if (before !== undefined) return before;
  const phrases = negotiatePhrases(accepted, model.locale);
  const language = chooseLanguage(model, parseAcceptLanguage(accepted));
  const key = `${phrases.language} ${language}`;
  const created =
    known.get(key) ??
    withRoleTitles({ ...phrasesAround(phrases, language), say: createTranslator(model, language) }, model);
  if (known.size < MOST_WAYS) known.set(key, created).set(accepted ?? "", created);
  return created;
};

const MOST_WAYS = 200;

/**
 * The best language for the requested tags: an exact match (`de-AT`), the same primary language, or the document's own.
 */
export const chooseLanguage = (model: Model, requested: readonly string[]): string => {
  const known = documentLanguages(model);
  const kindOf = (tag: string) => tag.toLowerCase().split("-")[0];
  for (const tag of requested) {
    const exact = known.find((item) => item.toLowerCase() === tag.toLowerCase());
    const found = exact ?? known.find((item) => kindOf(item) === kindOf(tag));
    if (found !== undefined) return found;
  }
  return model.locale;
};

type Drawn = Pick<Application, "name" | "sentence" | "locale" | "roles" | "screens" | "entities">;

/** Translates the document's words in the manifest. Examples remain in the document's language. */
export const localizeApplication = <A extends Drawn>(application: A, language: string, say: Translate): A => ({
  ...application,
  locale: language,
  name: say(application.name),
  sentence: application.sentence === null ? null : say(application.sentence),
  roles: Object.fromEntries(Object.entries(application.roles).map(([name, title]) => [name, say(title)])),
  screens: translateManifestTexts(application.screens, say),
  entities: translateManifestTexts(application.entities, say),
});

/** The translatable texts in the manifest; everything else is names, clauses and addresses. */
export const listManifestTexts = (application: Drawn): ReadonlySet<string> => {
  const texts = new Set<string>();
  localizeApplication(application, application.locale, (text) => {
    texts.add(text);
    return text;
  });
  return texts;
};

const READ: ReadonlySet<string> = new Set(["title", "label", "one", "many", "help", "unit"]);

export const translateManifestTexts = <T>(node: T, say: Translate): T => {
  if (Array.isArray(node)) return node.map((item) => translateManifestTexts(item, say)) as T;
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    READ.has(key) && typeof value === "string"
      ? say(value)
      : key === "examples"
        ? undefined
        : translateManifestTexts(value, say),
  ]);
  return Object.fromEntries(entries);
};
