import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { texts as dePlatform } from "../../../src/core/i18n/de/platform-texts.ts";
import { texts as deScreens } from "../../../src/core/i18n/de/screen-texts.ts";
import { grammar } from "../../../src/core/i18n/en/grammar.ts";
import { texts as platformTexts } from "../../../src/core/i18n/en/platform-texts.ts";
import { texts as screenTexts } from "../../../src/core/i18n/en/screen-texts.ts";
import { createSentences, readMessage } from "../../../src/core/i18n/icu-message.ts";
import { formatLocale } from "../../../src/core/model/format.ts";
import { readDate, readTypedDuration } from "../../../src/web/format/typed-dates.ts";
import { loadLanguage, loadWholeLanguage } from "../../../src/web/i18n/languages.ts";
import { interfaceTexts } from "../interface-texts.ts";

const web = fileURLToPath(new URL("../../../src/web/", import.meta.url));
const files = readdirSync(web, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, content: readFileSync(`${web}${name}`, "utf8") }));
/** The file that names texts for pages and for mails. */
const shared = readFileSync(new URL("../../../src/core/derive/client/measured-values.ts", import.meta.url), "utf8");
const sources = [...files.map(({ content }) => content), shared].join("\n");
const messages = Object.entries(interfaceTexts);

// test/core/i18n.test.ts checks that every language has every text with equal arguments.
describe("the texts of the interface", () => {
  test("every message is used, and every used message can be formatted", () => {
    expect(messages.filter(([id]) => !sources.includes(`"${id}"`)).map(([id]) => id)).toEqual([]);
    for (const [, message] of messages) readMessage(message);
  });

  test("only accounts, imports and the workbench use texts that are loaded with them", () => {
    const ids = Object.keys(platformTexts).map((id) => `"${id}"`);
    const others = files.filter(({ name }) => !/^(?:people|workbench|list\/import)\//u.test(name));
    expect(
      others.flatMap(({ name, content }) => ids.filter((id) => content.includes(id)).map((id) => `${name}: ${id}`)),
    ).toEqual([]);
  });

  test.each(["en-IN", "de-AT"])("numbers in %s follow that country", (locale) => {
    const sentences = createSentences(locale, grammar);
    expect(sentences("{count, number}", { count: 1_234_567 }).join("")).toBe(
      new Intl.NumberFormat(locale).format(1_234_567),
    );
  });

  test.each([
    "a {",
    "a }",
    "{a",
    "{a,}",
    "{a, date}",
    "{a, plural}",
    "{a, plural, one {b}}",
    "{a, select, b {c} other {d}",
  ])("%s is invalid", (message) => expect(() => readMessage(message)).toThrow(/^A sentence/));

  // These words are typed by people and never shown.
  const shown = messages.filter(([id]) => id !== "palette.small.words");
  test.each(shown)("%s calls a person only by name, and is neutral in tone", (_, message) => {
    expect(message).not.toMatch(/\b(he|she|him|her|his|hers|they|their|them|my|mine)\b/i);
    expect(message).not.toMatch(/successful|oops|something went wrong|!/i);
  });

  test.each([
    ["en", "Due on", "in 3 days", "Due in 3 days"],
    ["en", "Answer due", "tomorrow", "Answer due tomorrow"],
    ["en", "Due day", "in 3 days", "Due day: in 3 days"],
    ["de", "Fällig am", "in 3 Tagen", "Fällig in 3 Tagen"],
    ["fr", "À rendre le", "dans 3 jours", "À rendre dans 3 jours"],
  ])("in %s, “%s” and “%s” are “%s”", async (locale, label, words, expected) => {
    const { texts, grammar: own } = await loadLanguage(locale);
    const named = texts["deadline.named"] ?? "";
    const begin = label.replace(/\s+\S+$/u, "");
    expect(createSentences(locale, own)(named, { label, begin, words }).join("")).toBe(expected);
  });

  test.each([
    ["en", "Due on", "7 Dec", "Due on 7 Dec"],
    ["en", "Due day", "7 Dec", "Due day: 7 Dec"],
    ["de", "Fällig am", "7. Dez.", "Fällig am 7. Dez."],
    ["fr", "À rendre le", "7 déc.", "À rendre le 7 déc."],
  ])("in %s, “%s” with the date “%s” is “%s”", async (locale, label, value, expected) => {
    const { texts, grammar: own } = await loadLanguage(locale);
    expect(createSentences(locale, own)(texts["label.time"] ?? "", { label, value }).join("")).toBe(expected);
  });

  test("an unknown language falls back to English", async () => {
    expect(await loadLanguage("en-GB")).toMatchObject({ language: "en", texts: screenTexts });
    expect(loadLanguage("xx")).toBe(loadLanguage("en-GB"));
    expect(loadLanguage("constructor")).toBe(loadLanguage("en-GB"));
  });

  test("English without a country has British spelling and dates", () => {
    const day = (locale: string) =>
      new Intl.DateTimeFormat(formatLocale(locale), { dateStyle: "medium", timeZone: "UTC" }).format(0);
    expect([day("en"), day("EN"), day("en-GB")]).toEqual(["1 Jan 1970", "1 Jan 1970", "1 Jan 1970"]);
    expect([day("en-US"), day("de")]).toEqual(["Jan 1, 1970", "01.01.1970"]);
  });

  test.each(["en-GB", "de-DE", "fr-FR"])("%s has examples that can be typed", async (locale) => {
    const { texts } = await loadLanguage(locale);
    const here = { locale, timezone: "UTC", booleans: { yes: "Yes", no: "No" }, today: "2026-11-23" };
    const examplesIn = (message: string) =>
      / (?:example|Beispiel|exemple) (.+)\.$/u.exec(message)?.[1]?.split(/ (?:or|oder|ou) /u);
    expect(examplesIn(texts["unreadable.date"])?.map((typed) => readDate(typed, here))).toEqual([
      "2026-12-03",
      "2026-12-03",
    ]);
    expect(examplesIn(texts["unreadable.duration"])?.map((typed) => readTypedDuration(typed, locale))).toEqual([
      "P14D",
      "PT1H30M",
    ]);
  });

  test("a language is loaded once, for all its countries", async () => {
    const asked = loadLanguage("de-AT");
    expect(loadLanguage("DE")).toBe(asked);
    expect(await asked).toMatchObject({ language: "de", texts: deScreens });
    expect(await loadWholeLanguage("de-AT")).toMatchObject({ language: "de", texts: { ...deScreens, ...dePlatform } });
    expect(loadWholeLanguage("en-GB")).toBe(loadWholeLanguage("xx"));
  });
});
