import { dateAt, getZone } from "../../core/expression/values/calendar.ts";
import type { Field } from "../../core/model/field.ts";
import type { Json } from "../../core/wire/json.ts";
import type { Service } from "../execution/service.ts";
import { keepFile } from "../files/file-store.ts";
import { newId } from "../util/uuid.ts";
import { samplePaper } from "./paper.ts";
import { samplePicture } from "./picture.ts";
import {
  isDue,
  isOfPast,
  isPlannedDay,
  plausibleCode,
  plausibleNumber,
  plausibleText,
  toSampleEmail,
} from "./plausible.ts";
import { plausibleName } from "./plausible-names.ts";

export const DAY_MS = 86_400_000;

/** A deterministic random generator (mulberry32), so that demonstrations of a document look the same. */
export const createRandom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

export const pick = <T>(random: () => number, items: readonly T[]): T | undefined =>
  items[Math.floor(random() * items.length)];

export const shuffle = <T>(random: () => number, items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);

/** The context for generating values. */
export interface SampleContext {
  readonly service: Service;
  /** Ids of existing records, by entity. */
  readonly created: ReadonlyMap<string, readonly string[]>;
  /** Time of creation by record. */
  readonly since: ReadonlyMap<string, number>;
  /** Ids of the people whom references to a person are meant for, by the clause of the field. */
  readonly meant: ReadonlyMap<string, readonly string[]>;
  readonly random: () => number;
}

/** By default, an occasion without earlier records, on which values are entered at once. */
export const createOccasion = (
  occasion: Pick<SampleOccasion, "person" | "at"> & Partial<Omit<SampleOccasion, "day" | "files" | "rowsOfExamples">>,
): SampleOccasion => {
  const from = occasion.from ?? occasion.at;
  return {
    number: 0,
    rows: null,
    label: null,
    kind: "",
    ...occasion,
    from,
    day: from,
    files: 0,
    rowsOfExamples: new Map(),
  };
};

/** The person and time for which values are generated. */
export interface SampleOccasion {
  readonly person: string;
  /** Number of earlier records of the kind. */
  readonly number: number;
  /** The number of examples that its unique field has; null if there are none. */
  readonly rows: number | null;
  /** The field that alone names the record, and the word for such a record; null if there is none. */
  readonly label: { readonly field: string; readonly word: string } | null;
  /** The entity of the record; empty if it does not matter. */
  readonly kind: string;
  /** The row that is used of example lists, by their length: the make and the model of the same bicycle. */
  readonly rowsOfExamples: Map<number, number>;
  /** The name that the record got, after which its email address is made. */
  named?: string;
  /** Time of entry: records created later are unknown. */
  readonly at: number;
  /** The first possible date. */
  readonly from: number;
  /** Number of files so far, for distinct names. */
  files: number;
  /** The last date used: dates of a record ascend, as most rules require. */
  day: number;
}

/** A plausible value or several; undefined if there is none. */
export const sampleValue = async (
  context: SampleContext,
  field: Field,
  occasion: SampleOccasion,
): Promise<Json | undefined> => {
  if (!field.many) return singleValue(context, field, occasion);
  const values: Json[] = [];
  for (let missing = 1 + Math.floor(context.random() * 2); missing > 0; missing--) {
    const value = await singleValue(context, field, occasion);
    if (value !== undefined && !values.includes(value)) values.push(value);
  }
  return values.length === 0 ? undefined : values;
};

const singleValue = async (
  context: SampleContext,
  field: Field,
  occasion: SampleOccasion,
): Promise<Json | undefined> => {
  const { service, random } = context;
  const { number } = occasion;
  if (field.examples.length > 0) return chooseExample(field, occasion, random);
  switch (field.type) {
    case "choice":
      return pick(random, field.values);
    case "reference":
      return chooseReference(context, field, occasion);
    case "boolean":
      return random() < 0.5;
    case "integer":
    case "decimal":
    case "money": {
      const plausible = plausibleNumber(field, random);
      if (plausible !== undefined) return field.type === "integer" ? Math.round(plausible) : String(plausible);
      const usual = nearDefault(field, random);
      if (usual !== undefined) return field.type === "integer" ? usual : String(usual);
      const least = Number(field.min ?? 1);
      const most = Number(field.max ?? least + 99);
      const value = least + Math.floor(random() * (most - least + 1));
      return field.type === "integer" ? value : String(value);
    }
    case "date": {
      if (isOfPast(field)) {
        const past = new Date(occasion.at - Math.floor(random() * 6) * DAY_MS);
        return dateAt(past.toISOString(), getZone(service.model.timezone)) ?? undefined;
      }
      if (isDue(field) && occasion.day === occasion.at) occasion.day += (1 + Math.floor(random() * 12)) * DAY_MS;
      const dayAt = (time: number) => dateAt(new Date(time).toISOString(), getZone(service.model.timezone));
      if (isPlannedDay(field)) occasion.day += daysToWeekday(dayAt(occasion.day)) * DAY_MS;
      const day = dayAt(occasion.day);
      occasion.day += (2 + Math.floor(random() * 12)) * DAY_MS;
      return day ?? undefined;
    }
    case "datetime":
      occasion.day = isBegun(occasion) ? chooseLater(occasion.day, random) : someWorkday(occasion.day, random);
      return new Date(occasion.day).toISOString();
    case "time":
      return `${String(8 + Math.floor(random() * 9)).padStart(2, "0")}:${pick(random, ["00", "15", "30", "45"])}`;
    case "duration":
      return field.min ?? `PT${30 * (1 + Math.floor(random() * 16))}M`;
    case "json":
      return { number: number + 1 };
    case "rich text":
      return `**${field.title}** ${number + 1}`;
    case "image":
      return sampleFile(
        context,
        occasion,
        `${fileName(field, occasion)}.png`,
        samplePicture(Math.floor(random() * 360)),
      );
    case "file": {
      const name = fileName(field, occasion);
      return sampleFile(context, occasion, `${name}.pdf`, samplePaper(name, service.model.locale));
    }
    case "email":
      return toSampleEmail(
        occasion.named ?? "contact",
        occasion.named === undefined || field.unique ? number + 1 : null,
      );
    case "url":
      return `https://example.com/${field.name}/${number + 1}`;
    case "phone":
      return `+49 30 5550 ${String(1000 + number)}`;
    // Written by the program.
    case "sequence":
    case "integer sequence":
    case "slug":
    case "position":
    case "state":
      return undefined;
    case "text":
    case "long text": {
      const name = plausibleName(field, occasion.kind, number, service.model.locale);
      if (name !== undefined) occasion.named = name;
      return (
        name ??
        (service.model.locale.startsWith("en") ? plausibleText(field, random) : undefined) ??
        plausibleCode(field, number) ??
        numberedText(occasion.label?.field === field.name ? occasion.label.word : field.title, number + 1, field)
      );
    }
    default:
      return field.type satisfies never;
  }
};

/** “Cost centre 3”, or what the field has room for: “CC-3”, or “3”. */
const numberedText = (word: string, number: number, { max }: Field): string => {
  const initials = word.split(" ").map((part) => part.charAt(0).toUpperCase());
  const forms = [`${word} ${number}`, `${initials.join("")}-${number}`];
  return forms.find((form) => form.length <= Number(max ?? Infinity)) ?? String(number);
};

/** Example lists of equal length belong together: the code and the name of the same instrument. */
const chooseExample = (field: Field, occasion: SampleOccasion, random: () => number): string | undefined => {
  const { length } = field.examples;
  if (field.unique || length === occasion.rows) return field.examples[occasion.number % length];
  if (field.type === "choice" || field.many) return pick(random, field.examples);
  const row = occasion.rowsOfExamples.get(length) ?? Math.floor(random() * length);
  occasion.rowsOfExamples.set(length, row);
  return field.examples[row];
};

/** A whole number near the default; undefined if the default is no number above 0, or the bounds exclude it. */
const nearDefault = ({ default: suggested, min, max }: Field, random: () => number): number | undefined => {
  if (suggested?.kind !== "constant") return undefined;
  const near = Math.round(Number(suggested.value) * (0.5 + 1.5 * random()));
  return near > 0 && near >= Number(min ?? -Infinity) && near <= Number(max ?? Infinity) ? near : undefined;
};

const HOUR = 3_600_000;
const QUARTER = HOUR / 4;

/** True if the record already has a date, so that the next one is its end or on the same day. */
const isBegun = ({ day, from }: SampleOccasion): boolean => day !== from;

const chooseLater = (time: number, random: () => number): number => time + QUARTER * (2 + Math.floor(random() * 14));

/** Days from a date to the Monday after it, if it is on a weekend; otherwise 0. */
const daysToWeekday = (day: string | null): number => {
  const weekday = day === null ? 1 : new Date(day).getUTCDay();
  return weekday === 6 ? 2 : weekday === 0 ? 1 : 0;
};

/** A time soon, during working hours. */
const someWorkday = (day: number, random: () => number): number =>
  (Math.floor(day / DAY_MS) + 1 + Math.floor(random() * 5)) * DAY_MS + 8 * HOUR + QUARTER * Math.floor(random() * 28);

/**
 * Uses each parent once first, so that none is left without parts. Other references go to records that existed at the
 * time, if any.
 */
const chooseReference = (
  { created, since, meant, random }: SampleContext,
  { entity, partOf, clause }: Field,
  { at, number, person }: SampleOccasion,
) => {
  // Somebody who enters a person rarely means themselves.
  if (entity === "User") {
    const people = meant.get(clause.id) ?? [];
    const others = people.filter((id) => id !== person);
    return pick(random, others.length === 0 ? people : others);
  }
  const all = created.get(entity ?? "") ?? [];
  if (partOf) return all[number] ?? pick(random, all);
  const known = all.filter((id) => (since.get(id) ?? 0) <= at);
  return pick(random, known.length === 0 ? all : known);
};

const fileName = ({ title }: Field, occasion: SampleOccasion): string => {
  occasion.files += 1;
  return `${title} ${occasion.number + 1}${occasion.files === 1 ? "" : `-${occasion.files}`}`;
};

const sampleFile = async (
  { service }: SampleContext,
  { person }: SampleOccasion,
  name: string,
  bytes: Buffer,
): Promise<string> => {
  const chunks = (async function* () {
    yield bytes;
  })();
  const most = service.model.limits.uploadSize;
  return (await keepFile(service, chunks, { id: newId(new Date()), person, name, most })).id;
};
