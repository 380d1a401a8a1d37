import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { IntlMessageFormat } from "intl-messageformat";
import { describe, expect, test } from "vitest";
import { de } from "../../src/web/i18n/de.ts";
import { en } from "../../src/web/i18n/en.ts";
import { createSentences, readMessage } from "../../src/web/i18n/icu-message.ts";
import { languageOf } from "../../src/web/i18n/languages.ts";

const web = fileURLToPath(new URL("../../src/web/", import.meta.url));
const sources = readdirSync(web, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && !/words.(?:en|de)\.ts$/.test(name))
  .map((name) => readFileSync(`${web}${name}`, "utf8"))
  .join("\n");
const messages = Object.entries(en);

describe("the interface's words", () => {
  test("every message is used, and every used one can be read", () => {
    expect(messages.filter(([id]) => !sources.includes(`"${id}"`)).map(([id]) => id)).toEqual([]);
    for (const [, message] of messages) readMessage(message);
  });

  const values = [0, 1, 2, 11, 21, 1234.5, 1_000_000, "yes", "Folding ladder #2"];
  test.each([
    ["en", en],
    ["en-IN", en],
    ["de", de],
    ["de-AT", de],
  ] as const)("in %s says what ICU's message syntax says", (locale, words) => {
    const sentences = createSentences(locale);
    for (const message of Object.values(words)) {
      const reference = new IntlMessageFormat(message, locale);
      const names = [...message.matchAll(/\{(\w+)/g)].map(([, name]) => name);
      const numbers = /, (?:number|plural)/.test(message);
      for (const value of values.filter((one) => !numbers || typeof one === "number")) {
        const given = Object.fromEntries(names.map((name) => [name, value]));
        expect(sentences(message, given).join(""), message).toBe(reference.format(given));
      }
    }
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
  ])("%s cannot be read", (message) => expect(() => readMessage(message)).toThrow(/^A sentence/));

  test.each(messages)("%s says nothing of a person but the name, and never cheers or moans", (_, message) => {
    expect(message).not.toMatch(/\b(he|she|him|her|his|hers|they|their|them|my|mine)\b/i);
    expect(message).not.toMatch(/successful|oops|something went wrong|!/i);
  });

  test("a language that is not here is shown in English", () => {
    expect(languageOf("en-GB")).toMatchObject({ language: "en" });
    expect(languageOf("xx")).toMatchObject({ language: "en", messages: en });
  });

  test("German says nearly everything, can be read, and takes the same values", async () => {
    const { language, messages: german } = await languageOf("de-AT");
    expect(language).toBe("de");
    const said = messages.filter(([id]) => Object.hasOwn(de, id));
    expect(said.length).toBeGreaterThan(messages.length * 0.9);
    expect(german).toMatchObject(de);
    const names = (message: string) =>
      new Set(
        [...message.replace(/(one|other|=\d+) \{/g, "$1 (").matchAll(/\{(\w+)(?=[,}])/g)].map(([, name]) => name ?? ""),
      );
    for (const [id, message] of said) {
      const word = de[id as keyof typeof de] ?? "";
      expect([...names(word)].sort(), id).toEqual([...names(message)].sort());
    }
  });
});
