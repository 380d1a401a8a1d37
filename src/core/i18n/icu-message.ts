import { type Grammar, wordFeature } from "./grammar.ts";

/** Literal text, or a placeholder. */
type Part = string | Place;

interface Place {
  readonly name: string;
  /** `count` is `#` in a plural: its number. */
  readonly kind: "value" | "number" | "count" | "plural" | "select";
  /** The branches of a plural or select. */
  readonly cases: ReadonlyMap<string, readonly Part[]>;
}

const none: ReadonlyMap<string, readonly Part[]> = new Map();

/**
 * Parses the subset of ICU message syntax in use: `{name}`, `{count, number}`, `{count, plural, =0 {…} one {…} other {#
 * …}}` and `{kind, select, yes {…} other {…}}`, nested. Throws an `Error` with the unreadable rest.
 */
export const readMessage = (text: string): readonly Part[] => {
  let at = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [all, wanted = all] = pattern.exec(text) ?? [];
    if (all === undefined) throw new Error(`A sentence cannot be read from here: ${text.slice(at)}`);
    at += all.length;
    return wanted ?? "";
  };
  const parts = (counted: string | null): readonly Part[] => {
    const read: Part[] = [];
    while (at < text.length && text[at] !== "}") {
      if (text[at] === "{") read.push(place());
      else if (counted === null) read.push(take(/[^{}]+/uy));
      else if (text[at] === "#") {
        at += 1;
        read.push({ name: counted, kind: "count", cases: none });
      } else read.push(take(/[^{}#]+/uy));
    }
    return read;
  };
  const place = (): Place => {
    const name = take(/\{\s*(\w+)\s*/uy);
    if (text[at] === "}") {
      at += 1;
      return { name, kind: "value", cases: none };
    }
    const kind = take(/,\s*(number|plural|select)\s*/uy) as "number" | "plural" | "select";
    const cases = new Map<string, readonly Part[]>();
    if (kind !== "number") {
      take(/,\s*/uy);
      while (text[at] !== "}") {
        const chosen = take(/(=?\w+)\s*\{/uy);
        cases.set(chosen, parts(kind === "plural" ? name : null));
        take(/\}\s*/uy);
      }
      if (!cases.has("other")) throw new Error(`A sentence has nothing to say otherwise: ${text}`);
    }
    take(/\}/uy);
    return { name, kind, cases };
  };
  const read = parts(null);
  if (at < text.length) take(/[^}]/uy);
  return read;
};

/**
 * Formats messages with the numbers and plurals of a locale; the parts of the result are to be joined, or rendered in
 * order. A placeholder such as `{owner_begins}` without a value is the grammar's feature of the value `owner`.
 */
export const createSentences = (
  locale: string,
  grammar: Grammar,
): (<Value>(text: string, values: { readonly [name: string]: Value }) => readonly (string | Value)[]) => {
  const known = new Map<string, readonly Part[]>();
  const readOnce = (text: string): readonly Part[] => {
    const read = known.get(text) ?? readMessage(text);
    known.set(text, read);
    return read;
  };
  // Created on first use, since `Intl` constructors are slow.
  let numbers: Intl.NumberFormat | undefined;
  let plurals: Intl.PluralRules | undefined;
  const number = (value: unknown): string => {
    numbers ??= new Intl.NumberFormat(locale);
    return numbers.format(value as number);
  };
  const chosen = ({ kind, cases }: Place, value: unknown): readonly Part[] => {
    const other = cases.get("other") ?? [];
    if (kind === "select") return cases.get(String(value)) ?? other;
    plurals ??= new Intl.PluralRules(locale);
    return cases.get(`=${String(value)}`) ?? cases.get(plurals.select(Number(value))) ?? other;
  };
  return (text, values) => {
    type Value = (typeof values)[string];
    const valueAt = (name: string): Value | string | undefined => {
      if (Object.hasOwn(values, name)) return values[name];
      const [, of = "", feature = ""] = /^(\w+)_([a-z]+)$/u.exec(name) ?? [];
      const word = values[of];
      return typeof word === "string" ? wordFeature(grammar, feature, word) : undefined;
    };
    const formatParts = (parts: readonly Part[]): readonly (string | Value)[] =>
      parts.flatMap((part): readonly (string | Value)[] => {
        if (typeof part === "string") return [part];
        const value = valueAt(part.name);
        if (part.kind === "value") return value === undefined ? [] : [value];
        return part.kind === "number" || part.kind === "count" ? [number(value)] : formatParts(chosen(part, value));
      });
    return formatParts(readOnce(text));
  };
};
