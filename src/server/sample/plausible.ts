import type { Field } from "../../core/model/field.ts";

/**
 * Plausible values by the words of a field's name, for documents that give no examples. The words are English, like
 * most documents; other names get neutral values.
 */

const wordsOf = ({ name }: Field): ReadonlySet<string> => new Set(name.toLowerCase().split("_"));

const hasAny = (field: Field, words: readonly string[]): boolean => {
  const own = wordsOf(field);
  return words.some((word) => own.has(word));
};

/** Prices of things that teams buy, as shops write them. */
const prices = [4.9, 12.5, 19.9, 29, 49, 64.5, 89, 119, 149, 245, 389, 640, 1250];

const budgets = [12_000, 25_000, 40_000, 60_000, 85_000, 120_000];

/** Numbers by words of the name. The first line with one of the words applies. */
const numbers: readonly (readonly [words: readonly string[], values: readonly number[]])[] = [
  [
    ["salary", "wage"],
    [31_200, 34_800, 38_500, 41_600, 44_900, 48_200, 52_700, 57_300, 63_800, 71_500],
  ],
  [["budget", "revenue", "turnover"], budgets],
  [
    ["percent", "share", "discount", "progress"],
    [5, 10, 15, 20, 25, 50, 75, 100],
  ],
  [["hours"], [0.5, 1, 1, 1.5, 2, 2.5, 3, 4]],
  [["days"], [1, 2, 3, 4, 5, 6, 8]],
  [["minutes"], [15, 20, 30, 45, 60, 90]],
  [["age"], [24, 29, 33, 38, 42, 47, 55]],
  [
    ["rating", "stars", "score"],
    [3, 4, 4, 5, 5],
  ],
  [
    ["weight", "length", "width", "height", "distance"],
    [5, 12, 20, 35, 60, 80],
  ],
  [["year"], [2019, 2020, 2021, 2022, 2023, 2024]],
  [
    ["quantity", "count", "number", "people", "persons", "seats", "copies"],
    [1, 1, 2, 2, 3, 4, 6, 10],
  ],
];

/** A plausible number within the bounds of the field; undefined if the name tells nothing or the bounds exclude all. */
export const plausibleNumber = (field: Field, random: () => number): number | undefined => {
  const [, named] = numbers.find(([words]) => hasAny(field, words)) ?? [];
  const all = named ?? (field.type === "money" ? prices : undefined);
  const [least, most] = [Number(field.min ?? -Infinity), Number(field.max ?? Infinity)];
  const allowed = all?.filter((item) => item >= least && item <= most) ?? [];
  return allowed[Math.floor(random() * allowed.length)];
};

/** Texts by words of the name. */
const texts: readonly (readonly [words: readonly string[], values: readonly string[]])[] = [
  [
    ["city", "town", "place", "location"],
    ["Bremen", "Kassel", "Leipzig", "Rostock", "Ulm", "Freiburg"],
  ],
  [["room"], ["Room 101", "Room 108", "Room 214", "Reception", "Workshop", "Store room"]],
  [
    ["street", "address"],
    ["Gartenstraße 12", "Hafenweg 3", "Lindenallee 40", "Am Markt 7"],
  ],
  [
    ["company", "customer", "client", "supplier", "vendor", "organisation", "organization"],
    ["Nordwind Packaging", "Duarte & Sons", "Kröger Tools", "Lindqvist Laboratory Ware", "Brandt Office Supplies"],
  ],
  [
    ["contact", "person"],
    ["Paula Reuter", "Emre Kaya", "Julia Sander", "David Okoro", "Anna Lehmann"],
  ],
  [
    ["note", "notes", "remark", "remarks", "comment", "comments"],
    [
      "As discussed on the telephone.",
      "Please call before you come.",
      "Everything is there.",
      "It can wait until next week.",
    ],
  ],
  [["reason"], ["It is needed elsewhere.", "The budget is spent.", "It can wait until next year."]],
];

/** A plausible text that is short enough; undefined if the name says nothing, or if texts must differ. */
export const plausibleText = (field: Field, random: () => number): string | undefined => {
  if (field.unique) return undefined;
  const [, all = []] = texts.find(([words]) => hasAny(field, words)) ?? [];
  const allowed = all.filter((item) => item.length <= Number(field.max ?? Infinity));
  return allowed[Math.floor(random() * allowed.length)];
};

/** An address after a name, with the number of the record if no two may have the same. */
export const toSampleEmail = (name: string, number: number | null): string =>
  `${name
    .normalize("NFD")
    .replace(/[^\p{L} ]/gu, "")
    .trim()
    .toLowerCase()
    .replaceAll(/ +/gu, ".")}${number ?? ""}@example.com`;

/** A code for `frame_number`: FN-4127. Different for each record. */
export const plausibleCode = (field: Field, number: number): string | undefined => {
  if (field.type !== "text" || !hasAny(field, ["number", "code", "serial", "reference", "plate"])) return undefined;
  const initials = field.name.split("_").map((word) => word.charAt(0).toUpperCase());
  const code = `${initials.join("")}-${1000 + ((number * 137) % 9000)}`;
  return code.length <= Number(field.max ?? Infinity) ? code : undefined;
};

const happened = [
  "spent",
  "bought",
  "paid",
  "received",
  "arrived",
  "born",
  "birth",
  "signed",
  "sent",
  "done",
  "joined",
];

const alsoHappened = [
  "hired",
  "acquired",
  "purchased",
  "issued",
  "dated",
  "completed",
  "visited",
  "measured",
  "reported",
];

/** True for a date of something that has happened when it is entered: `paid_on`. */
export const isOfPast = (field: Field): boolean => hasAny(field, [...happened, ...alsoHappened]);

/** True for a date by which something should happen: `promised_on`, `due_day`. */
export const isDue = (field: Field): boolean =>
  hasAny(field, ["due", "promised", "deadline", "until", "expected", "wanted", "needed", "target", "expires"]);

/** True for a date on which something is planned to happen: `planned_for`, `appointment`. */
export const isPlannedDay = (field: Field): boolean =>
  field.type === "date" && hasAny(field, ["planned", "scheduled", "appointment"]);
