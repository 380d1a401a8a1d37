import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { IntlMessageFormat } from "intl-messageformat";
import { describe, expect, test } from "vitest";
import type { Catalogue, ErrorTexts } from "../../src/core/i18n/catalogue.ts";
import { changeArguments } from "../../src/core/i18n/change-arguments.ts";
import { explainArguments } from "../../src/core/i18n/explain-arguments.ts";
import { wordFeature } from "../../src/core/i18n/grammar.ts";
import { createSentences, readMessage } from "../../src/core/i18n/icu-message.ts";
import { catalogueFor, findCatalogue, languages } from "../../src/core/i18n/languages.ts";
import { mailArguments } from "../../src/core/i18n/mail-arguments.ts";

type Texts = Readonly<Record<string, string>>;

/** The texts of the interface that one of the two files for browsers has. */
const screenTextsIn = async (file: "screen-texts" | "platform-texts", language: string): Promise<Texts> =>
  ((await import(`../../src/core/i18n/${language}/${file}.ts`)) as { readonly texts: Texts }).texts;

const interfaces: Readonly<Record<string, Texts>> = Object.fromEntries(
  await Promise.all(
    languages.map(async (language) => [
      language,
      { ...(await screenTextsIn("screen-texts", language)), ...(await screenTextsIn("platform-texts", language)) },
    ]),
  ),
);

const errorTexts = ({ texts, queries, kinds, unavailable, titles, refused, renamed, moved }: ErrorTexts): Texts => ({
  ...texts,
  ...Object.fromEntries(Object.entries(queries).map(([id, text]) => [`queries.${id}`, text])),
  ...Object.fromEntries(Object.entries(kinds).map(([id, text]) => [`kinds.${id}`, text])),
  ...Object.fromEntries(
    Object.entries(unavailable).flatMap(([id, { title, detail }]) => [
      [`unavailable.${id}.title`, title],
      [`unavailable.${id}.detail`, detail],
    ]),
  ),
  ...Object.fromEntries(Object.entries(titles).map(([id, text]) => [`titles.${id}`, text])),
  refused,
  renamed,
  moved,
});

/** All texts of a language, by area. */
const areasOf = ({
  language,
  explain,
  aroundForeignWords = {},
  errors,
  mail,
  change,
  defaults,
  titles,
}: Catalogue): Readonly<Record<string, Texts>> => ({
  interface: interfaces[language] ?? {},
  explain,
  aroundForeignWords: aroundForeignWords as Texts,
  errors: errorTexts(errors),
  mail,
  change,
  titles,
  defaults: Object.fromEntries(
    Object.entries(defaults).flatMap(([code, { silent, inForce }]) => [
      [`${code}.silent`, silent],
      [`${code}.inForce`, inForce],
    ]),
  ),
});

interface Place {
  readonly name: string;
  readonly kind: string;
  readonly cases: ReadonlyMap<string, readonly (string | Place)[]>;
}

const placesIn = (parts: readonly (string | Place)[]): readonly Place[] =>
  parts.flatMap((part) => (typeof part === "string" ? [] : [part, ...[...part.cases.values()].flatMap(placesIn)]));

const placesOf = (text: string): readonly Place[] => placesIn(readMessage(text) as readonly (string | Place)[]);

/** The arguments of a message, including `owner` of `{owner_begins, select, …}`. */
const argumentsOf = (text: string): readonly string[] =>
  [...new Set(placesOf(text).map(({ name }) => name.replace(/_[a-z]+$/u, "")))].toSorted();

const changeArgumentsOf = (id: string): readonly string[] =>
  (changeArguments as Readonly<Record<string, readonly string[]>>)[id] ?? [];

const inEnglish = areasOf(catalogueFor("en"));
const others = languages.filter((language) => language !== "en");

const folder = fileURLToPath(new URL("../../src/core/i18n/", import.meta.url));
const filesOf = (language: string): readonly string[] =>
  readdirSync(folder + language, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

test("every folder named after a tag is a language, found by its tag, with the files of English", () => {
  const folders = readdirSync(folder).filter((name) => /^[a-z]{2}$/u.test(name));
  expect(languages.toSorted()).toEqual(folders.toSorted());
  for (const language of languages) expect(filesOf(language).toSorted(), language).toEqual(filesOf("en").toSorted());
  expect([findCatalogue("de-AT")?.language, findCatalogue("DE")?.language]).toEqual(["de", "de"]);
  expect([findCatalogue("xx"), findCatalogue("constructor")]).toEqual([undefined, undefined]);
  expect(catalogueFor("xx").language).toBe("en");
});

test("the first word of an interface text’s id decides its file, alike in every language", () => {
  const places = languages.flatMap((language) => {
    const areas = `${folder}${language}/interface/`;
    return readdirSync(areas).flatMap((file) =>
      [...readFileSync(areas + file, "utf8").matchAll(/^ {2}"?(\w+)[\w.]*"?:/gmu)].map(
        ([, word]) => `${word}: ${file}`,
      ),
    );
  });
  const words = [...new Set(places)].map((place) => place.split(":")[0]);
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
});

describe.each(languages.map((language) => [language, areasOf(catalogueFor(language))] as const))(
  "the texts in %s",
  (language, areas) => {
    const all = Object.entries(areas).flatMap(([area, texts]) =>
      Object.entries(texts).map(([id, text]) => [`${area}: ${id}`, text] as const),
    );

    test("are complete, without extra ones", () => {
      for (const [area, texts] of Object.entries(inEnglish))
        if (area !== "aroundForeignWords")
          expect(Object.keys(areas[area] ?? {}).toSorted(), area).toEqual(Object.keys(texts).toSorted());
      expect(all.filter(([, text]) => text.trim() === "").map(([id]) => id)).toEqual([]);
    });

    test("parse, and plurals have the forms of their language", () => {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const [id, text] of all)
        for (const { kind, cases } of placesOf(text))
          if (kind === "plural")
            expect(
              [...cases.keys()].filter(
                (other) => !other.startsWith("=") && !forms.includes(other as Intl.LDMLPluralRule),
              ),
              id,
            ).toEqual([]);
    });

    test("use the arguments that they get", () => {
      const declared: Readonly<Record<string, readonly string[]>> = { ...explainArguments, ...mailArguments };
      for (const [id, text] of Object.entries(areas.change ?? {}))
        expect(
          argumentsOf(text).filter((name) => !changeArgumentsOf(id).includes(name)),
          id,
        ).toEqual([]);
      for (const area of ["explain", "aroundForeignWords", "mail"])
        for (const [id, text] of Object.entries(areas[area] ?? {}))
          expect(
            argumentsOf(text).filter((name) => declared[id]?.includes(name) !== true),
            id,
          ).toEqual([]);
      for (const area of ["interface", "errors", "mail"])
        for (const [id, text] of Object.entries(areas[area] ?? {}))
          expect(argumentsOf(text), id).toEqual(argumentsOf(inEnglish[area]?.[id] ?? ""));
    });

    test("ask only for forms that the grammar knows", () => {
      const { grammar } = catalogueFor(language);
      for (const [id, text] of all)
        for (const { name, cases } of placesOf(text)) {
          const feature = /_([a-z]+)$/u.exec(name)?.[1];
          if (feature === undefined) continue;
          expect(wordFeature(grammar, feature, "Word"), `${id}: ${feature}`).toBeDefined();
          const classes = Object.keys(grammar.features[feature] ?? {});
          expect(
            [...cases.keys()].filter((other) => other !== "other" && !classes.includes(other)),
            id,
          ).toEqual([]);
        }
    });

    test("format like ICU’s message syntax", () => {
      const sentences = createSentences(language, catalogueFor(language).grammar);
      const values = [0, 1, 2, 11, 21, 1234.5, 1_000_000, "yes", "true", "Folding ladder #2"];
      for (const [id, text] of all) {
        const reference = new IntlMessageFormat(text, language);
        const names = placesOf(text).map(({ name }) => name);
        const isCounted = placesOf(text).some(({ kind }) => kind === "number" || kind === "plural");
        for (const value of values.filter((value) => !isCounted || typeof value === "number")) {
          const args = Object.fromEntries(names.map((name) => [name, value]));
          expect(sentences(text, args).join(""), id).toBe(reference.format(args));
        }
      }
    });
  },
);

/** The ids of texts that a language shares with English, from its folder. */
const sameAsEnglish = (language: string): readonly string[] => {
  const file = fileURLToPath(new URL(`../../src/core/i18n/${language}/same-as-english.json`, import.meta.url));
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly string[]) : [];
};

/** The words of a message without inserted values. */
const wordsIn = (parts: readonly (string | Place)[]): string =>
  parts.map((part) => (typeof part === "string" ? part : [...part.cases.values()].map(wordsIn).join(" "))).join(" ");

test.each(others)("no text in %s is left in English, but those that are the same word", (language) => {
  const areas = areasOf(catalogueFor(language));
  const same = Object.entries(areas).flatMap(([area, texts]) =>
    Object.entries(texts)
      .filter(([id, text]) => text === inEnglish[area]?.[id])
      .filter(([, text]) => /\p{L}{2}/u.test(wordsIn(readMessage(text) as readonly (string | Place)[])))
      .map(([id]) => id),
  );
  expect(same.toSorted()).toEqual(sameAsEnglish(language).toSorted());
});

test("French has a narrow no-break space before double punctuation and inside quotes", () => {
  const areas = areasOf(catalogueFor("fr"));
  for (const [area, texts] of Object.entries(areas))
    for (const [id, text] of Object.entries(texts)) {
      const words = wordsIn(readMessage(text) as readonly (string | Place)[]).replace(/https?:\/\/|\d:\d/gu, "");
      expect(words, `${area}: ${id}`).not.toMatch(/[^\u202f][;?!»]|[^\u202f]:(?=\s|$)|«(?!\u202f)|['"] |“|”/u);
    }
});

describe("the grammar of a language is data", () => {
  const { grammar } = catalogueFor("en");
  test.each([
    ["begins", "item", "vowel"],
    ["begins", "Loan", "other"],
    ["ends", "Jonas", "s"],
    ["person", "Stock keeper", "yes"],
    ["person", "Head of sales", "yes"],
    ["person", "Mechanic", "yes"],
    ["person", "Department", "other"],
    ["person", "Payroll", "other"],
    ["verb", "Hand over", "yes"],
    ["verb", "Approve", "yes"],
    ["verb", "Reported already", "other"],
    ["verb", "Refused", "other"],
    ["verb", "Paid", "other"],
    ["lower", "First day", "first day"],
    ["lower", "VAT rate", "VAT rate"],
    ["upper", "the day", "The day"],
  ])("%s of “%s” is “%s”", (feature, word, expected) => expect(wordFeature(grammar, feature, word)).toBe(expected));

  test.each([
    ["en", "Report a problem", "New ticket"],
    ["en", "Book a room", "Room"],
    ["de", "Problem melden", "Neue Störungen"],
    ["de", "Urlaub beantragen", "Antrag"],
    ["fr", "Signaler un problème", "Nouveau ticket"],
    ["fr", "Poser des congés", "Premier essai"],
  ])("in “%s”, “%s” says what to do, and “%s” does not", (language, task, other) =>
    expect([task, other].map((title) => wordFeature(catalogueFor(language).grammar, "task", title))).toEqual([
      "yes",
      "other",
    ]),
  );

  test("a message can ask for a form of an argument, and an argument with that exact name comes first", () => {
    const sentences = createSentences("en", grammar);
    const text = "{of_begins, select, vowel {an} other {a}} {of}";
    expect(sentences(text, { of: "item" }).join("")).toBe("an item");
    expect(sentences(text, { of: "loan" }).join("")).toBe("a loan");
    expect(sentences(text, { of: "loan", of_begins: "vowel" }).join("")).toBe("an loan");
    const elided = "Historique {name_begins, select, vowel {d’} other {de }}{name}";
    const sentencesInFrench = createSentences("fr", catalogueFor("fr").grammar);
    expect(["Anna", "Élise", "Jonas"].map((name) => sentencesInFrench(elided, { name }).join(""))).toEqual([
      "Historique d’Anna",
      "Historique d’Élise",
      "Historique de Jonas",
    ]);
  });
});

// test/web/app/texts.test.ts checks the texts of the interface.
describe("every text of the server and of the comparison of versions is used", () => {
  const source = readdirSync(fileURLToPath(new URL("../../src/", import.meta.url)), {
    recursive: true,
    encoding: "utf8",
  })
    .filter((name) => /\.tsx?$/u.test(name) && !/^core\/i18n\/(?:[a-z]{2}\/|.*arguments)/u.test(name))
    .map((name) => readFileSync(new URL(`../../src/${name}`, import.meta.url), "utf8"))
    .join("\n");
  /** Names that are put together, such as `rule.${kind}.is`, as patterns. One without words of its own fits none. */
  const composed = [...source.matchAll(/`([\w.]*\$\{[^`{}]*\}(?:[\w.]|\$\{[^`{}]*\})*)`/gu)]
    .map(([, name = ""]) => name.split(/\$\{[^}]*\}/u))
    .filter((fixed) => fixed.some((part) => /\w{2}/u.test(part)))
    .map((fixed) => new RegExp(`^${fixed.map((part) => part.replaceAll(".", "\\.")).join("[\\w.]+")}$`, "u"));
  const isUsed = (id: string): boolean =>
    source.includes(`"${id}"`) ||
    new RegExp(`(?:[.{,] ?|say[A-Z]?\\w*\\()${id.replaceAll(".", "\\.")}\\b`, "u").test(source) ||
    composed.some((pattern) => pattern.test(id));

  test("a text that nothing names is reported", () =>
    expect(["rule.added.is", "invited.who", "nobody.uses.this"].filter((id) => !isUsed(id))).toEqual([
      "nobody.uses.this",
    ]));

  test.each(["explain", "mail", "change", "titles"])("of %s", (area) => {
    const texts = areasOf(catalogueFor("en"))[area] ?? {};
    expect(Object.keys(texts).filter((id) => !isUsed(id))).toEqual([]);
  });
});
