import type { Expr } from "../expression/expr.ts";
import type { Format } from "../model/format.ts";
import { toTitle, toValueTitle } from "../model/inflection.ts";
import type { Model } from "../model/model.ts";
import type { Span } from "../source-text.ts";
import type { Phrases } from "./language.ts";

/** The context for phrasing a condition. */
export interface Phrasing {
  readonly model: Model;
  readonly phrases: Phrases;
  readonly format: Format;
  /** The person for whom `user` stands; null for the reader. */
  readonly who: string | null;
  /** The document's text at a span, for authors; null for everyone else. */
  readonly source: ((span: Span) => string) | null;
}

/**
 * Phrases a condition or, with `not`, its negation: `status == draft && employee == user` is "the status is Draft and
 * you are the employee"; its negation is "the status is not Draft or you are not the employee". Expressions without a
 * phrase quote the document, or are "a condition of the specification" if the reader is no author.
 */
export const phraseCondition = (condition: Expr, phrasing: Phrasing, not = false): string => {
  const { phrases } = phrasing;
  const toPhrase = (expr: Expr, negated = not) => phraseCondition(expr, phrasing, negated);
  // Within a conjunction, a disjunction begins with "either".
  const within = (expr: Expr) => (isAlternative(expr, not) ? phrases.either(toPhrase(expr)) : toPhrase(expr));
  if (condition.kind === "field" && condition.type.kind === "boolean") {
    // The title is often an adjective: “Urgent” is yes.
    const isOwn = condition.of.kind === "this";
    const what = isOwn ? phrases.named(titleAt(condition, phrasing)) : valueNoun(condition, phrasing);
    if (what !== undefined) return phrases.isSet(what, not);
  }
  if (condition.kind === "call") {
    const [a, b] = condition.args;
    switch (condition.row) {
      case "boolean && boolean":
        return joined("boolean && boolean", condition, not ? phrases.or : phrases.and, not ? toPhrase : within);
      case "boolean || boolean":
        return joined("boolean || boolean", condition, not ? phrases.and : phrases.or, not ? within : toPhrase);
      case "!boolean":
        if (a !== undefined) return toPhrase(a, !not);
        break;
      case "any == null":
      case "any != null": {
        const what = a && valueNoun(a, phrasing);
        if (what !== undefined) return phrases.isGiven(what, (condition.row === "any == null") !== not);
        break;
      }
      case "same == same":
      case "same != same": {
        const phrase = a && b && sameness(a, b, (condition.row === "same != same") !== not, phrasing);
        if (phrase !== undefined) return phrase;
        break;
      }
      case "same in [same]": {
        const what = a && valueNoun(a, phrasing);
        const values = b?.kind === "list" ? b.items.map((item) => valueNoun(withoutName(item), phrasing)) : [undefined];
        if (what !== undefined && values.every((value) => value !== undefined))
          return phrases.isOneOf(what, values, not);
        break;
      }
      case "ordered < ordered":
      case "ordered <= ordered":
      case "ordered > ordered":
      case "ordered >= ordered": {
        const phrase = a && b && order(condition.row, a, b, not, phrasing);
        if (phrase !== undefined) return phrase;
        break;
      }
    }
  }
  if (phrasing.source === null) return phrases.isMet(not);
  return phrases.holds(phrases.quoted(phrasing.source(condition.span)), not);
};

/** The phrase, if it needs no quotation of the document; undefined otherwise. */
export const plainPhrase = (condition: Expr, phrasing: Omit<Phrasing, "source">): string | undefined => {
  let isQuoted = false;
  const source = (): string => {
    isQuoted = true;
    return "";
  };
  const phrase = phraseCondition(condition, { ...phrasing, source });
  return isQuoted ? undefined : phrase;
};

/** True if the phrase is a disjunction. */
export const isAlternative = (expr: Expr, not = false): boolean =>
  expr.kind === "call" && expr.row === (not ? "boolean && boolean" : "boolean || boolean");

/** Flattens `a && b && c` to one list. */
const joined = (
  row: string,
  condition: Expr & { kind: "call" },
  join: (phrases: readonly string[]) => string,
  toPhrase: (expr: Expr) => string,
): string => join(partsAlong(row, condition).map((part) => toPhrase(part)));

/** The operands of nested uses of one operator. */
const partsAlong = (row: string, condition: Expr): readonly Expr[] =>
  condition.kind === "call" && condition.row === row
    ? condition.args.flatMap((part) => partsAlong(row, part))
    : [condition];

const sameness = (a: Expr, b: Expr, not: boolean, phrasing: Phrasing): string | undefined => {
  const { phrases } = phrasing;
  if (a.kind === "user" && b.kind !== "user") return sameness(b, a, not, phrasing);
  if (a.kind === "this" && b.kind === "user" && phrasing.who === null) return phrases.thisIsYou(not);
  // A title such as “Requested by” is no noun.
  if (
    b.kind === "user" &&
    phrasing.who === null &&
    a.kind === "field" &&
    a.of.kind === "this" &&
    isOpenTitle(a.field.name)
  )
    return phrases.is(phrases.named(titleAt(a, phrasing)), phrases.you, not);
  const counted = findSize(a);
  if (counted !== undefined && b.kind === "constant" && b.value === 0)
    return phrases.some(titleAt(counted, phrasing), !not);
  const what = valueNoun(a, phrasing);
  if (what === undefined) return undefined;
  if (b.kind === "user" && phrasing.who === null) return phrases.youAre(what, not);
  const value = valueNoun(b, phrasing);
  return value === undefined ? undefined : phrases.is(what, value, not);
};

const isOpenTitle = (name: string): boolean => /_(?:by|for|from|of|to|with)$/u.test(name);

const opposite = {
  "ordered < ordered": "ordered >= ordered",
  "ordered <= ordered": "ordered > ordered",
  "ordered > ordered": "ordered <= ordered",
  "ordered >= ordered": "ordered < ordered",
} as const;

const order = (row: keyof typeof opposite, a: Expr, b: Expr, not: boolean, phrasing: Phrasing): string | undefined => {
  const { phrases } = phrasing;
  const counted = findSize(a);
  if (counted !== undefined && row === "ordered > ordered" && b.kind === "constant" && b.value === 0)
    return phrases.some(titleAt(counted, phrasing), not);
  const what = valueNoun(a, phrasing);
  const than = valueNoun(b, phrasing);
  if (what === undefined || than === undefined) return undefined;
  // A missing operand also makes a comparison false, but that case is left out of the phrase.
  const comparison = not ? opposite[row] : row;
  const orSame = comparison.includes("=");
  if (a.kind === "now") return (comparison.includes("<") ? phrases.isEarlier : phrases.isLater)(than, orSame);
  if (b.kind === "now" && a.kind === "call")
    return (comparison.includes("<") ? phrases.isLater : phrases.isEarlier)(what, orSame);
  const inTime = ["date", "datetime", "time"].includes(a.type.kind);
  if (comparison.includes("<")) return (inTime ? phrases.earlier : phrases.less)(what, than, orSame);
  return (inTime ? phrases.later : phrases.more)(what, than, orSame);
};

const findSize = (expr: Expr): (Expr & { kind: "field" }) | undefined => {
  const [of] = expr.kind === "call" && /^(?:size|count)\(/u.test(expr.row) ? expr.args : [];
  return of?.kind === "field" ? of : undefined;
};

/** An item of a list is written without the name of the constant that contains the list. */
const withoutName = (item: Expr): Expr => {
  if (item.kind !== "constant" || item.limit === undefined) return item;
  const { limit: _, ...plain } = item;
  return plain;
};

export const titleAt = (
  { entity, field }: Expr & { kind: "field" },
  { model, phrases }: Pick<Phrasing, "model" | "phrases">,
): string => phrases.say(model.entities.get(entity.name)?.fields.get(field.name)?.title ?? toTitle(field.name));

/** A value as a noun; undefined without a short one. */
export const valueNoun = (expr: Expr, phrasing: Omit<Phrasing, "source">): string | undefined => {
  const { phrases } = phrasing;
  switch (expr.kind) {
    case "constant": {
      if (expr.value === null) return undefined;
      const value = expr.type.kind === "text" ? phrases.quoted(String(expr.value)) : getConstant(expr, phrasing);
      return expr.limit === undefined ? value : phrases.limit(value, toTitle(expr.limit));
    }
    case "user":
      return phrasing.who ?? phrases.you;
    case "now":
      return phrases.now;
    case "today":
      return phrases.today;
    case "this":
      return phrases.record(
        expr.type.kind === "record" ? phrases.say(phrasing.model.entities.get(expr.type.entity)?.called.one ?? "") : "",
      );
    case "field": {
      const title = titleAt(expr, phrasing);
      if (expr.of.kind === "this") return phrases.own(title);
      if (expr.of.kind === "old") return phrases.before(phrases.own(title));
      if (expr.of.kind === "user" && phrasing.who === null) return phrases.yours(title);
      const owner = valueNoun(expr.of, phrasing);
      return owner === undefined ? undefined : phrases.of(owner, title);
    }
    case "name":
      // A record of the document, or a named part of a rule.
      if (expr.seedRecord !== undefined) return phrases.named(toTitle(expr.seedRecord.key));
      return expr.target === undefined ? phrases.named(toTitle(expr.name)) : undefined;
    case "call": {
      const counted = findSize(expr);
      if (counted?.type.kind === "list" && counted.of.kind === "this")
        return phrases.numberOf(titleAt(counted, phrasing));
      const [a, b] = expr.args.map((arg) => valueNoun(arg, phrasing));
      if (a === undefined) return undefined;
      // Conversions between numbers are left out.
      if (expr.row === "decimal(integer)") return a;
      if (b === undefined) return undefined;
      const [from, long] = expr.args;
      if (from?.type.kind === "datetime" && long?.type.kind === "duration") {
        // The title of a time field can be a verb (“Begins”). A duration is written without the name of its constant.
        const isOwn = from.kind === "field" && from.of.kind === "this";
        const moment = isOwn ? phrases.named(titleAt(from, phrasing)) : a;
        const time = long.kind === "constant" && long.value !== null ? getConstant(long, phrasing) : b;
        return expr.row.includes(" + ") ? phrases.longAfter(moment, time) : phrases.longBefore(moment, time);
      }
      if (expr.row.includes(" + ")) return phrases.plus(a, b);
      return expr.row.includes(" - ") ? phrases.minus(a, b) : undefined;
    }
    default:
      return undefined;
  }
};

const getConstant = (
  { value, type }: Expr & { kind: "constant" },
  { model, phrases, format }: Omit<Phrasing, "source">,
): string => {
  if (type.kind !== "choice" || typeof value !== "string") return format(value, type);
  const [entity, field] = type.of.split(".");
  const states = model.entities.get(entity ?? "")?.states;
  const state = states?.field === field ? states?.states.find((state) => state.name === value) : undefined;
  return phrases.named(phrases.say(state?.title ?? toValueTitle(value)));
};
