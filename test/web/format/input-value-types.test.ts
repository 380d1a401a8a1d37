import { describe, expect, test } from "vitest";
import { toInterval } from "../../../src/core/expression/values/duration.ts";
import { readDuration, toIsoDuration } from "../../../src/core/expression/values/iso-duration.ts";
import { duration, fromInterval } from "../../../src/core/field/duration.ts";
import { json } from "../../../src/core/field/json.ts";
import { money } from "../../../src/core/field/money.ts";
import { readPattern, seriesOn } from "../../../src/core/field/sequence.ts";
import { slugify } from "../../../src/core/field/slug.ts";
import { durationText } from "../../../src/core/import/duration-words.ts";
import type { FieldJson, FieldTypeName } from "../../../src/core/wire/entities.ts";
import type { Json } from "../../../src/core/wire/json.ts";
import { readEntered, toEntered } from "../../../src/web/format/input-value.ts";
import { plainMarks, readMarks } from "../../../src/web/format/markdown-lite.ts";
import { readTypedDuration } from "../../../src/web/format/typed-dates.ts";
import { splitAddresses } from "../../../src/web/format/web-address.ts";
import { groupByReason } from "../../../src/web/list/bulk/group-by-reason.ts";
import fc from "../../chance.ts";
import { expectLinear } from "../../growth.ts";

const locales = ["en-GB", "en-US", "de-DE", "fr-FR", "es-ES", "it-IT", "nl-NL", "pl-PL", "sv-SE", "pt-BR", "ja-JP"];
const spec = { name: "f", of: "E.f", values: [], entity: null, min: null, max: null, currency: null };
const field = (type: FieldTypeName, more: Partial<FieldJson> = {}): FieldJson => ({
  name: "f",
  label: "F",
  type,
  optional: true,
  automatic: false,
  filters: null,
  sorts: true,
  clause: "3.E.f",
  ...more,
});
const here = (locale: string) => ({
  locale,
  timezone: "Europe/Berlin",
  booleans: { yes: "Yes", no: "No" },
  today: "2026-11-20",
});

/** Parses a control's display of a value back. */
const throughControl = (one: FieldJson, wire: Json, locale: string): Json | undefined => {
  const reading = readEntered(one, toEntered(one, wire, here(locale)), here(locale));
  return reading.kind === "value" ? reading.value : undefined;
};

const durations = fc.record({
  months: fc.integer({ min: 0, max: 3_000 }),
  days: fc.integer({ min: 0, max: 91_500 }),
  milliseconds: fc.integer({ min: 0, max: 91_500 * 86_400 }).map((seconds) => seconds * 1_000),
});

describe("a duration", () => {
  test("is the same in ISO 8601, in Postgres and in words, in every language", () => {
    fc.assert(
      fc.property(durations, fc.constantFrom(...locales), (given, locale) => {
        const iso = toIsoDuration(given);
        expect(readDuration(iso)).toEqual(given);
        expect(duration.read(iso, spec)).toEqual({ ok: true, value: toInterval(given) });
        expect(readTypedDuration(durationText(iso, locale), locale)).toBe(iso);
        expect(throughControl(field("duration"), iso, locale)).toBe(iso);
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ["1 year 2 mons 14 days 02:00:00.5", "P1Y2M14DT2H0.5S"],
    ["-1 mons", "-P1M"],
    ["-26:03:00", "-PT26H3M"],
    ["00:00:00", "PT0S"],
    ["400 days", "P400D"],
  ])("%s of Postgres is %s", (written, iso) => {
    const read = fromInterval(written);
    expect(read && toIsoDuration(read)).toBe(iso);
  });

  test.each([
    ["en-GB", "2 weeks", "P14D"],
    ["en-GB", "1h30", null],
    ["en-GB", "1h 30m", "PT1H30M"],
    ["en-GB", "1.5 h", "PT1H30M"],
    ["en-GB", "1:30", "PT1H30M"],
    ["en-GB", "1:30:05.25", "PT1H30M5.25S"],
    ["en-GB", "1.5 days", null],
    ["en-GB", "soon", null],
    ["en-GB", "1,000 h", "PT1000H"],
    ["de-DE", "1.000 Std.", "PT1000H"],
    ["de-DE", "3 Tage, 4 Stunden", "P3DT4H"],
    ["de-DE", "1,5 Std.", "PT1H30M"],
    ["fr-FR", "2 semaines et 1 jour", "P15D"],
    ["fr-FR", "2 semaines 1 jour", "P15D"],
  ])("%s: %s is %s", (locale, typed, iso) => {
    expect(readTypedDuration(typed, locale)).toBe(iso);
  });
});

test("an amount is the same on the wire, in Postgres and in a control, to the last digit", () => {
  const currencies = fc.constantFrom(["EUR", 2], ["JPY", 0], ["BHD", 3]) as fc.Arbitrary<readonly [string, number]>;
  const whole = fc.bigInt({ min: -(10n ** 27n), max: 10n ** 27n });
  fc.assert(
    fc.property(
      currencies,
      whole,
      fc.nat(999),
      fc.constantFrom(...locales),
      ([currency, places], units, part, locale) => {
        const amount = places === 0 ? String(units) : `${units}.${String(part % 10 ** places).padStart(places, "0")}`;
        const own = { ...spec, currency };
        const reading = money.read(amount, own);
        if (!reading.ok) throw new Error(`${amount} ${currency} is refused`);
        const wire = money.answer?.(reading.value, own) as { amount: string; currency: string };
        const minusZero = /^-0(\.0*)?$/u.test(amount);
        expect(wire).toEqual({ amount: minusZero ? amount.slice(1) : amount, currency });
        expect(money.read(wire, own)).toEqual(reading);
        expect(throughControl(field("money", { currency }), wire, locale)).toBe(wire.amount);
      },
    ),
    { numRuns: 400 },
  );
});

test("a time is read back from its control", () => {
  const two = (number: number) => String(number).padStart(2, "0");
  fc.assert(
    fc.property(fc.nat(23), fc.nat(59), fc.nat(59), (h, m, s) => {
      const wire = `${two(h)}:${two(m)}:${two(s)}`;
      expect(String(throughControl(field("time"), wire, "en-GB")).padEnd(8, ":00")).toBe(wire);
    }),
  );
});

test("JSON is read back from its control with the same meaning", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (given) => {
      const value = given as Json;
      const reading = json.read(value, spec);
      if (reading.ok && typeof reading.value === "string")
        expect(JSON.parse(reading.value)).toEqual(JSON.parse(JSON.stringify(value)));
      if (value !== null && value !== "")
        expect(throughControl(field("json"), value, "en-GB")).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 300 },
  );
});

describe("rich text", () => {
  test("keeps every word, for any content", () => {
    const words = fc.array(
      fc.constantFrom(
        "a",
        "b c",
        "**",
        "*",
        "_",
        "`",
        "[",
        "](https://x.example)",
        "#",
        "- ",
        "> ",
        "1. ",
        "\n",
        "```",
        "<b>",
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(words, (parts) => {
        const text = parts.join("");
        const letters = (given: string) => given.replace(/https:\/\/x\.example/gu, "").replace(/[^abc]/gu, "");
        const fenced = /^```/mu.test(text);
        if (!fenced) expect(letters(plainMarks(text)).length).toBe(letters(text).length);
        readMarks(text);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(["*", "**a", "_a", "[", "`", "> ", "[a](", "# ", "- ", "1. ", "```\n", "https://"])(
    "is parsed in linear time, also if it repeats %j",
    async (piece) => {
      await expectLinear(100_000, (length) => piece.repeat(length / piece.length), readMarks);
    },
  );

  test("links only to the web and to mailboxes", () => {
    const links = JSON.stringify(
      readMarks("[a](javascript:alert(1)) [b](data:text/html,x) [c](https://x.example) [d](mailto:a@x.example)"),
    );
    expect(links.match(/"to":"[^"]*"/gu)).toEqual(['"to":"https://x.example"', '"to":"mailto:a@x.example"']);
  });
});

describe("a web address in plain text", () => {
  test.each([
    ["See https://x.example/a?b=c#d, please.", "https://x.example/a?b=c#d"],
    ["(https://x.example/a)", "https://x.example/a"],
    ["Https://x.example/a_(b).", "Https://x.example/a_(b)"],
    ["“http://x.example”", "http://x.example"],
    ["<https://x.example>", "https://x.example"],
    ["@Tom Berg: https://x.example/\nmore", "https://x.example/"],
  ])("is found in %j", (text, address) => {
    const pieces = splitAddresses(text);
    expect(pieces.join("")).toBe(text);
    expect(pieces[1]).toBe(address);
    expect(pieces).toHaveLength(3);
  });

  test.each(["javascript:alert(1)", "data:text/html,x", "x.example", "https://", "ftp://x.example"])(
    "is not %j",
    (text) => expect(splitAddresses(text)).toEqual([text]),
  );

  test.each(["https://", "https://.", "https://(", "(https://a", "."])(
    "is found in linear time, also in repetitions of %j",
    async (piece) => {
      await expectLinear(100_000, (length) => `https://${piece.repeat(length / piece.length)}`, splitAddresses);
    },
  );
});

test("reasons that several records share are joined, the most frequent first", () => {
  const failed = ["a", "b", "c"].map((record) => ({ record, words: record === "a" ? "Lent" : "Late", clause: "4" }));
  expect(groupByReason([...failed, { record: "d", words: "Late", clause: undefined }])).toEqual([
    { words: "Late", clause: "4", records: ["b", "c"] },
    { words: "Lent", clause: "4", records: ["a"] },
    { words: "Late", clause: undefined, records: ["d"] },
  ]);
});

test("the pattern of a sequence contains its number once, at a known place", () => {
  expect(seriesOn(readPattern("LV-{year}/{month}-{n:5}x") ?? [], "2026-03-09")).toEqual({
    before: "LV-2026/03-",
    after: "x",
    width: 5,
  });
  for (const bad of ["LV", "{n}{n}", "{week}{n}", "{n", "n}", "{year:2}{n}"])
    expect(readPattern(bad), bad).toBeUndefined();
});

test("a slug has letters, digits and single hyphens, for any source", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(slugify(text)).toMatch(/^([a-z0-9]+(-[a-z0-9]+)*)?$/u);
    }),
  );
});
