import type { Principal } from "../derive/authorization/grants.ts";
import { buildManifest } from "../derive/client/app-manifest.ts";
import { listManifestTexts } from "../derive/client/localize.ts";
import { getPhrasesFor } from "../explain/language.ts";
import { findBraces } from "../expression/syntax/braces.ts";
import { finding } from "../findings.ts";
import type { Model } from "../model/model.ts";
import { ADMINISTRATOR, STANDS_IN } from "../model/permissions.ts";
import { nearest } from "../source-text.ts";
import type { Analyzer } from "./analyzer.ts";

/** A text as a YAML key, quoted if necessary. */
const asKey = (text: string): string => (/^[\p{L}\p{N}][\p{L}\p{N} .-]*$/u.test(text) ? text : JSON.stringify(text));

/** Finds translations of texts that do not exist, and texts without a translation. */
export const findMissingTranslations: Analyzer = ({ model }) => {
  if (model.translations.size === 0) return [];
  const texts = listTexts(model);
  // Sentences of point 1 after the first one need no translation.
  const optional = new Set(model.purpose);
  return [...model.translations].flatMap(([language, words]) => {
    const missing = [...texts].filter((text) => !words.has(text));
    return [
      ...[...words].flatMap(([text, { text: translation, clause }]) => {
        const { id, span } = clause;
        if (!texts.has(text) && !optional.has(text)) {
          // A text that has a translation was not meant.
          const near = nearest(text, missing);
          const hint = near === undefined ? "Remove it, or write the text exactly as it is shown." : `Write “${near}”?`;
          const instead = near === undefined ? {} : { nearest: near, fix: [{ span, text: asKey(near) }] };
          return [
            finding("UNKNOWN_TEXT", span, `The text “${text}” is not shown anywhere.`, hint, {
              clause: id,
              ...instead,
            }),
          ];
        }
        if (same(findBraces(text).toSorted(), findBraces(translation).toSorted())) return [];
        const message = `“${translation}” and “${text}” have different values in braces.`;
        return [
          finding(
            "PLACES_DIFFER",
            span,
            message,
            `Write ${
              findBraces(text)
                .map((place) => `{${place}}`)
                .join(" and ") || "no braces"
            }.`,
            {
              clause: id,
            },
          ),
        ];
      }),
      ...untranslated(language, words, missing),
    ];
  });
};

/** All texts for users, including errors and notifications, as shown to a person with all roles. */
const listTexts = (model: Model): ReadonlySet<string> => {
  const everybody: Principal = { id: "everybody", granted: new Set([...model.roles.keys(), ADMINISTRATOR, STANDS_IN]) };
  const errors = [...model.errors.values()].filter(({ clause }) => clause !== null);
  return new Set([
    ...listManifestTexts(buildManifest(model, everybody, getPhrasesFor(model.locale))),
    // Roles held on records appear in refusals.
    ...[...model.entities.values()].flatMap(({ roles }) => [...roles.values()].map(({ title }) => title)),
    ...[...model.entities.values()].flatMap(({ after }) =>
      [...after.values()].flat().flatMap((effect) => (effect.kind === "notify" ? [effect.message] : [])),
    ),
    ...model.screens.flatMap((screen) =>
      screen.kind === "letter" ? screen.text.flatMap((part) => (part.kind === "table" ? [] : [part.message])) : [],
    ),
    ...errors.flatMap(({ message, help }) => (help === null ? [message] : [message, help])),
  ]);
};

/** High, because an author can add only the texts that are listed. */
const MOST_NAMED = 100;

const untranslated = (
  language: string,
  words: NonNullable<ReturnType<Model["translations"]["get"]>>,
  missing: readonly string[],
) => {
  const [first] = words.values();
  if (missing.length === 0 || first === undefined) return [];
  const named = missing.slice(0, MOST_NAMED).map((text) => `“${text}”`);
  const more = missing.length > MOST_NAMED ? `, and ${missing.length - MOST_NAMED} more` : "";
  return [
    finding(
      "NOT_TRANSLATED",
      first.clause.span,
      `${missing.length === 1 ? "1 text has" : `${missing.length} texts have`} no translation into ${language}: ${named.join(", ")}${more}.`,
      "Add the translations. Until then, these texts are shown untranslated.",
      { clause: first.clause.id },
    ),
  ];
};

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, at) => item === b[at]);
