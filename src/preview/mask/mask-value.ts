import { hash } from "node:crypto";
import { memoizeByKey } from "../../core/util/memoize.ts";
import type { FieldTypeName } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import { permute } from "./permutation.ts";

/** The properties of a field that determine its made-up values. */
export interface Masked {
  readonly type: FieldTypeName;
  readonly min: string | null;
  readonly max: string | null;
  readonly values: readonly string[];
}

const VOWELS = [..."aeiou"];
const CONSONANTS = [..."bcdfghjklmnpqrstvwxyz"];
const DIGITS = [..."0123456789"];
const NOT_ZERO = DIGITS.slice(1);

/** True for a lower-case letter whose upper-case form converts back to it. */
const isPaired = (letter: string): boolean => {
  const upper = letter.toUpperCase();
  return upper !== letter && [...upper].length === 1 && upper.toLowerCase() === letter;
};

/** Other letters are replaced by neighbouring letters in Unicode, so that the script stays the same. */
const NEIGHBOURS = 64;
const lettersInBlock = memoizeByKey((key): readonly string[] => {
  const [first, paired] = [Number.parseInt(key, 10), key.endsWith("paired")];
  return Array.from({ length: NEIGHBOURS }, (_, i) => String.fromCodePoint(first + i)).filter(
    (item) => /^\p{L}$/u.test(item) && item.toLowerCase() === item && isPaired(item) === paired && item > "\u007f",
  );
});
const lettersNear = (letter: string): readonly string[] => {
  const first = Math.floor((letter.codePointAt(0) ?? 0) / NEIGHBOURS) * NEIGHBOURS;
  return lettersInBlock(`${first}${isPaired(letter) ? " paired" : ""}`);
};

const getCharacterClass = (sign: string): readonly string[] =>
  VOWELS.includes(sign)
    ? VOWELS
    : CONSONANTS.includes(sign)
      ? CONSONANTS
      : DIGITS.includes(sign)
        ? DIGITS
        : /^\p{L}$/u.test(sign)
          ? lettersNear(sign)
          : [];

/** True for a letter whose case is replaced separately. */
const hasCase = (sign: string): boolean => {
  const lower = sign.toLowerCase();
  return lower !== sign && [...lower].length === 1 && lower.toUpperCase() === sign;
};

const replace = (key: string, signs: readonly string[], classes: readonly (readonly string[])[]): readonly string[] => {
  const places = signs.flatMap((sign, i) => {
    const own = classes[i] ?? [];
    const at = own.indexOf(sign);
    return at < 0 || own.length < 2 ? [] : [{ i, at, own }];
  });
  const after = permute(
    key,
    places.map(({ at }) => at),
    places.map(({ own }) => own.length),
  );
  const replaced = [...signs];
  for (const [nth, { i, own }] of places.entries()) replaced[i] = own[after[nth] ?? 0] ?? "";
  return replaced;
};

/** Replaces letters by letters and digits by digits. The length, the case and all other characters stay. */
const maskText = (key: string, text: string): string => {
  const signs = [...text];
  const lower = signs.map((sign) => (hasCase(sign) ? sign.toLowerCase() : sign));
  // Texts that differ only in case must still differ only in case, because email addresses are compared
  // case-insensitively.
  const masked = replace(`text ${key}`, lower, lower.map(getCharacterClass));
  return masked
    .map((sign, i) => {
      return hasCase(signs[i] ?? "") ? sign.toUpperCase() : sign;
    })
    .join("");
};

const LONGEST_EMAIL = 254;

/** An address without a mail server: its top-level domain is reserved (RFC 2606). */
const maskEmail = (key: string, text: string): string => {
  const at = text.lastIndexOf("@");
  if (at < 1) return maskText(key, text);
  const masked = `${maskText(key, text.slice(0, at))}@${maskText(key, text.slice(at + 1))}`;
  return masked.length + 8 > LONGEST_EMAIL ? masked : `${masked}.invalid`;
};

const maskUrl = (key: string, text: string): string => {
  const [, scheme = "", rest = text] = /^(\w+:\/\/)(.*)$/su.exec(text) ?? [];
  // An escaped character such as %C3 stays, because not every pair of letters is valid.
  return (
    scheme +
    rest
      .split(/(%[0-9a-f]{2})/iu)
      .map((part, i) => (i % 2 === 1 ? part : maskText(key, part)))
      .join("")
  );
};

/** Number of steps after which a value within narrow bounds is found by counting instead. */
const MOST_STEPS = 300;

/** Follows a permutation from a valid value until the next valid one. This is a permutation of the valid values. */
const nextValid = (
  value: string,
  step: (from: string) => string,
  isValid: (candidate: string) => boolean,
): string | null => {
  let candidate = step(value);
  for (let i = 0; !isValid(candidate); i++) {
    if (i >= MOST_STEPS) return null;
    candidate = step(candidate);
  }
  return candidate;
};

const maskDigits = (key: string, text: string): string => {
  const [, sign = "", integer = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/u.exec(text) ?? [];
  if (integer === "") return text;
  const significant = fraction.replace(/0+$/u, "");
  const classes = [
    ...[...integer].map((digit, i) => (i > 0 ? DIGITS : digit === "0" ? [] : NOT_ZERO)),
    ...[...significant].map((_, i) => (i === significant.length - 1 ? NOT_ZERO : DIGITS)),
  ];
  const masked = replace(`number ${key}`, [...integer, ...significant], classes).join("");
  const after = masked.slice(integer.length) + fraction.slice(significant.length);
  return sign + masked.slice(0, integer.length) + (after === "" ? "" : `.${after}`);
};

const maskNumber = (key: string, text: string, { min, max }: Pick<Masked, "min" | "max">): string => {
  const isValid = (candidate: string): boolean =>
    Math.abs(Number(candidate)) <= Number.MAX_SAFE_INTEGER &&
    (min === null || Number(candidate) >= Number(min)) &&
    (max === null || Number(candidate) <= Number(max));
  if (!isValid(text)) return maskDigits(key, text);
  if (min !== null && max !== null && /^-?\d+$/u.test(text) && Number(max) - Number(min) < FEW)
    return String(moveWithin(key, Number(text), Math.ceil(Number(min)), Math.floor(Number(max))));
  const masked = nextValid(text, (from) => maskDigits(key, from), isValid);
  return masked ?? min ?? max ?? "0";
};

/** Bounds are narrow if fewer values lie between them. */
const FEW = 4_096;

/** Moves a number within narrow bounds by a secret distance, wrapping around. */
const moveWithin = (key: string, value: number, min: number, max: number): number => {
  const size = max - min + 1;
  const by = 1 + (hash("sha256", `move ${key}`, "buffer").readUInt32BE(0) % Math.max(1, size - 1));
  return min + ((value - min + by) % size);
};

const DAY = 86_400_000;
const BLOCK = 32;

const shiftDate = (bound: string | null, days: number): string | null =>
  bound === null ? null : new Date(Date.parse(bound.slice(0, 10)) + days * DAY).toISOString().slice(0, 10);

/** A day at most 1,023 days away. */
const maskDay = (key: string, text: string, { min, max }: Pick<Masked, "min" | "max">): string => {
  const step = (from: string): string => {
    const day = Math.floor(Date.parse(`${from}T00:00:00Z`) / DAY);
    const first = Math.floor(day / (BLOCK * BLOCK)) * BLOCK * BLOCK;
    const [high = 0, low = 0] = permute(
      `day ${first} ${key}`,
      [Math.floor((day - first) / BLOCK), (day - first) % BLOCK],
      [BLOCK, BLOCK],
    );
    return new Date((first + high * BLOCK + low) * DAY).toISOString().slice(0, 10);
  };
  const isValid = (candidate: string): boolean =>
    /^\d{4}-/u.test(candidate) &&
    candidate >= "0001" &&
    (min === null || candidate >= min.slice(0, 10)) &&
    (max === null || candidate <= max.slice(0, 10));
  if (!isValid(text)) return step(text);
  const [first, last] = [min, max].map((bound) => (bound === null ? null : Date.parse(bound.slice(0, 10)) / DAY));
  if (first != null && last != null && last - first < FEW)
    return new Date(moveWithin(key, Date.parse(text) / DAY, first, last) * DAY).toISOString().slice(0, 10);
  const masked = nextValid(text, step, isValid);
  // Near a bound, a block can have no other valid day.
  return masked === null || masked === text ? (shiftDate(text, max === null ? 1 : -1) ?? text) : masked;
};

const maskClock = (key: string, text: string): string => {
  const [, hours = "0", minutes = "0", rest = ""] = /^(\d\d):(\d\d)(.*)$/su.exec(text) ?? [];
  const [h = 0, m = 0] = permute(`time ${key}`, [Number(hours), Number(minutes)], [24, 60]);
  return `${String(h).padStart(2, "0")}:${String(m).padStart(2, "0")}${rest}`;
};

const DATE = /^\d{4}-\d\d-\d\d$/u;
const MOMENT = /^(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d.*)$/su;
const NUMBER = /^-?\d+(?:\.\d+)?$/u;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu;
const EMAIL = /^[^\s@]+@[^\s@]+$/u;
const unbounded = { min: null, max: null };

const maskMoment = (key: string, text: string, bounds: Pick<Masked, "min" | "max">): string => {
  const [, day, between, clock] = MOMENT.exec(text) ?? [];
  if (day === undefined || between === undefined || clock === undefined) return text;
  // Without the first and the last day, every time of day is within the bounds.
  const inner = { min: shiftDate(bounds.min, 1), max: shiftDate(bounds.max, -1) };
  return maskDay(key, day, inner) + between + maskClock(key, clock);
};

/** Masks a value of an unknown field by its form. Ids are random and stay. */
const maskByForm = (key: string, text: string): string => {
  if (ID.test(text)) return text;
  if (DATE.test(text)) return maskDay(key, text, unbounded);
  if (MOMENT.test(text)) return maskMoment(key, text, unbounded);
  if (NUMBER.test(text)) return maskNumber(key, text, unbounded);
  return EMAIL.test(text) ? maskEmail(key, text) : maskText(key, text);
};

/** Replaces the texts and numbers inside JSON. */
export const maskJson = (key: string, json: Json): Json => {
  if (typeof json === "string") return maskByForm(key, json);
  if (typeof json === "number") return Number(maskNumber(key, String(json), unbounded));
  if (Array.isArray(json)) return json.map((json: Json) => maskJson(key, json));
  return typeof json === "object" && json !== null
    ? Object.fromEntries(Object.entries(json).map(([name, value]) => [name, maskJson(key, value as Json)]))
    : json;
};

/**
 * Makes up a value to replace one of a field: of the same type and length, within its bounds, and equal for equal
 * values. Choices and booleans differ by record, because so few values hide nothing.
 */
export const maskValue = (key: string, { type, min, max, values }: Masked, record: string, text: string): string => {
  const chance = () => hash("sha256", `pick ${key} ${record} ${values.join()}`, "buffer").readUInt32BE(0);
  switch (type) {
    case "email":
      return maskEmail(key, text);
    case "url":
      return maskUrl(key, text);
    case "integer":
    case "decimal":
    case "money":
      return maskNumber(key, text, { min, max });
    case "date":
      return maskDay(key, text, { min, max });
    case "datetime":
      return maskMoment(key, text, { min, max });
    case "time":
      return maskClock(key, text);
    case "choice":
      return values[chance() % values.length] ?? text;
    case "boolean": {
      const [yes, no] = text.length === 1 ? ["t", "f"] : ["true", "false"];
      return (chance() % 2 === 0 ? yes : no) ?? text;
    }
    case "json":
      return JSON.stringify(maskJson(key, JSON.parse(text) as Json));
    case "text":
    case "long text":
    case "rich text":
    case "phone":
    // Other types can’t be `personal`.
    case "duration":
    case "file":
    case "image":
    case "sequence":
    case "integer sequence":
    case "slug":
    case "position":
    case "reference":
    case "state":
      return maskText(key, text);
  }
};
