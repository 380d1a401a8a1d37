import { nearest } from "../../source-text.ts";
import type { Expr } from "../expr.ts";
import { type Signature, splitListType } from "../operations/signature.ts";
import type { Type } from "../values/type.ts";
import { typeWords, valueKinds } from "../values/value-kinds.ts";

/** Explains why an operator or function rejects its operands, and what it accepts. */
export interface Misfit {
  readonly message: string;
  readonly hint: string;
  /** The operand at fault, if it is a single one. */
  readonly at?: Expr;
  readonly nearest?: string;
}

export const describeMismatch = (name: string, operands: readonly Expr[], candidates: readonly Signature[]): Misfit => {
  const [a, b, c] = operands;
  if (a !== undefined && b === undefined && name === "!") return describeNonCondition("“!” needs a condition", a);
  if (a !== undefined && b !== undefined) {
    if (name === "&&" || name === "||")
      return describeNonCondition(`“${name}” needs conditions`, isCondition(a) ? b : a);
    if (name === "?" && c !== undefined)
      return isCondition(a) ? describeDifference(b, c) : describeNonCondition("“?” needs a condition before it", a);
    if (comparisons.has(name)) return describeComparison(name, a, b);
    if (name === "in") return describeUnknownChoice(a, b);
    const done = arithmetic[name];
    if (done !== undefined) return describeArithmetic(name, done, a, b, candidates);
  }
  if (name === "-" && a !== undefined)
    return {
      message: `${capital(typeWords(a.type))} can’t have a minus sign.`,
      hint: "Only numbers and amounts of money can.",
    };
  const types = operands.map(({ type }) => typeWords(type)).join(" and ");
  if ((name === "min" || name === "max") && operands.length > 1)
    return { message: `“${name}” does not take ${types}.`, hint: `Put them in a list: [one, other].${name}().` };
  if (name === "contains" && a?.type.kind === "list")
    return { message: `“${name}” does not take ${types}.`, hint: "Write “value in list”." };
  if (name.endsWith("working_hours") && c?.type.kind !== "text")
    return {
      message: `“${name}” does not take ${types}.`,
      hint: `Name the hours last: add “office_hours: Mon-Fri 09:00-17:00” to point 9, and write ${name}(…, office_hours).`,
    };
  return {
    message: `“${name}” does not take ${types || "nothing"}.`,
    hint: `It takes ${describeOperands(candidates, a)}.`,
  };
};

const comparisons = new Set(["==", "!=", "<", "<=", ">", ">="]);
const arithmetic: { readonly [sign: string]: string } = {
  "+": "added to",
  "-": "subtracted from",
  "*": "multiplied by",
  "/": "divided by",
};

const isCondition = ({ type }: Expr): boolean => type.kind === "boolean";

const describeNonCondition = (says: string, at: Expr): Misfit => ({
  message: `${says}, but this is ${typeWords(at.type)}.`,
  hint: at.type.kind === "list" ? "Check that it is not empty: .exists()." : "Compare it with a value.",
  at,
});

const describeDifference = (a: Expr, b: Expr): Misfit => ({
  message: `Both sides of “:” need the same type, but these are ${typeWords(a.type)} and ${typeWords(b.type)}.`,
  hint: `Write ${typeWords(a.type)} on both sides.`,
});

const describeComparison = (sign: string, a: Expr, b: Expr): Misfit => {
  const missed = findMissingValue(a.type, b) ?? findMissingValue(b.type, a);
  if (missed !== undefined) return missed;
  const unread = findConstant(a, b) ?? findConstant(b, a);
  if (unread !== undefined) return unread;
  if (typeWords(a.type) !== typeWords(b.type)) {
    const hint =
      findAlternative(a, b) ?? findAlternative(b, a) ?? `Compare ${typeWords(a.type)} with ${typeWords(a.type)}.`;
    return { message: `${capital(typeWords(a.type))} can’t be compared with ${typeWords(b.type)}.`, hint };
  }
  const { compares } = valueKinds[a.type.kind];
  if (compares === "not at all")
    return { message: `${capital(typeWords(a.type))} can’t be compared with “${sign}”.`, hint: "Compare its content." };
  return {
    message: `${capital(typeWords(a.type))} has no order, so “${sign}” can’t compare it.`,
    hint: a.type.kind === "choice" ? "List the values: `in [one, other]`." : "Compare with == or !=.",
  };
};

/** Suggests how to make one operand comparable with the other. */
const findAlternative = (a: Expr, { type }: Expr): string | undefined => {
  if (type.kind === "date" && a.kind === "now") return "Write today for the date.";
  if (type.kind === "date" && a.type.kind === "datetime") return "Take its day: date_of(…).";
  if (a.kind === "constant" && typeof a.value === "string" && /^-?\d+(?:\.\d+)?$/u.test(a.value) && isNumber(type))
    return `Write the number without quotes: ${a.value}.`;
  if (type.kind === "date" && isNumber(a.type))
    return "Write a day in quotes, such as '2026-03-29', or add days: today + 3 days.";
  if (a.type.kind === "list" && type.kind === "text" && a.type.of.kind === "text") return "Write “value in list”.";
  return undefined;
};

const isNumber = ({ kind }: Type): boolean => kind === "integer" || kind === "decimal";

/** A text that is not a value of the choice with which it is compared or in which it is looked for. */
export const findMissingValue = (type: Type, at: Expr): Misfit | undefined => {
  if (type.kind !== "choice" || at.kind !== "constant" || typeof at.value !== "string") return undefined;
  if (type.values.includes(at.value)) return undefined;
  const near = nearest(at.value, type.values);
  return {
    message: `${type.of} has no value “${at.value}”.`,
    hint: near === undefined ? `It has ${type.values.join(", ")}.` : `Did you mean “${near}”?`,
    at,
    ...(near === undefined ? {} : { nearest: near }),
  };
};

const forms: { readonly [K in Type["kind"]]?: string } = {
  date: "'2026-03-29'",
  time: "'08:30'",
  datetime: "'2026-03-29 08:30'",
};

/** A text that does not have the form of the type it is compared with, such as a date. */
const findConstant = ({ type }: Expr, at: Expr): Misfit | undefined => {
  const form = forms[type.kind];
  if (form === undefined || at.kind !== "constant" || typeof at.value !== "string") return undefined;
  if (at.type.kind !== "text") return undefined;
  return { message: `“${at.value}” is not ${typeWords(type)}.`, hint: `Write it as ${form}.`, at };
};

const describeUnknownChoice = (a: Expr, b: Expr): Misfit => {
  const list = b.type.kind === "list" ? b.type.of : undefined;
  if (list === undefined) {
    const hint =
      b.type.kind === "text" && a.type.kind === "text" ? "Write contains(text, 'part')." : "Write [one, other].";
    return { message: `“in” needs a list after it, but this is ${typeWords(b.type)}.`, hint, at: b };
  }
  const missed =
    findMissingValue(list, a) ??
    (b.kind === "list" ? b.items.map((item) => findMissingValue(a.type, item)).find(Boolean) : undefined);
  if (missed !== undefined) return missed;
  return {
    message: `${capital(typeWords(a.type))} can’t be an element of ${typeWords(b.type)}.`,
    hint: `Use a list, each ${typeWords(a.type)}.`,
  };
};

const describeArithmetic = (name: string, done: string, a: Expr, b: Expr, candidates: readonly Signature[]): Misfit => {
  const [first, second] = name === "-" || name === "+" ? [b, a] : [a, b];
  const message = `${capital(typeWords(first.type))} can’t be ${done} ${typeWords(second.type)}.`;
  const days = a.type.kind === "date" || a.type.kind === "datetime";
  if (days && name === "-" && b.type.kind === "date")
    return { message, hint: "Write days_between(first, last) for the number of days." };
  if (days && (b.type.kind === "integer" || b.type.kind === "decimal"))
    return {
      message,
      hint: b.kind === "constant" ? `Add the unit: ${formatDays(b)}.` : "Add the unit: days(…).",
    };
  const operands = describeOperands(candidates, a);
  return { message, hint: `“${name}” takes ${operands}.` };
};

const formatDays = ({ value }: Expr & { kind: "constant" }): string =>
  `${String(value)} ${value === 1 ? "day" : "days"}`;

/** The accepted operand types in words: of the signatures with the given first operand, or else of all. */
const describeOperands = (candidates: readonly Signature[], first: Expr | undefined): string => {
  const similar = candidates.filter(
    ({ parameters: [word] }) => word !== undefined && splitListType(word).stem === first?.type.kind,
  );
  const rows = (similar.length > 0 ? similar : candidates).map(({ parameters }) =>
    parameters.map(getWord).join(" and "),
  );
  const unique = [...new Set(rows)];
  const last = unique.pop() ?? "as many as it has";
  return unique.length === 0 ? last : `${unique.join(", ")}, or ${last}`;
};

const getWord = (word: string): string => {
  const { stem, list } = splitListType(word as Parameters<typeof splitListType>[0]);
  const words = Object.hasOwn(valueKinds, stem) ? valueKinds[stem as Type["kind"]].is : (stemWords[stem] ?? stem);
  return list ? `a list (each ${words})` : words;
};

const stemWords: { readonly [stem: string]: string } = {
  same: "a comparable value",
  ordered: "a value with an order",
  ranked: "a value with an order",
  any: "anything",
};

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
