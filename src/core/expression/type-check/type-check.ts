import Big from "big.js";
import { type Finding, finding, type WithFindings } from "../../findings.ts";
import type { Span } from "../../source-text.ts";
import type { Expr } from "../expr.ts";
import { heaviest, sqlWeight } from "../inspect/complexity.ts";
import { isNeverEmpty, isNeverZero, nonNullWhenFalse, nonNullWhenTrue } from "../inspect/null-narrowing.ts";
import { type IteratorName, iteratorRow, iterators } from "../operations/iterators.ts";
import { isListEnd, type ListEnd, listEnds } from "../operations/list-ends.ts";
import { type Operation, operationRow } from "../operations/operations.ts";
import { findSignatures, functionNames, type Signature, splitListType } from "../operations/signature.ts";
import { directChildren, type FunctionCall, renameVariable, type Syntax, type TextRange } from "../syntax/ast.ts";
import { parse } from "../syntax/parse.ts";
import type { Scope, Type } from "../values/type.ts";
import { typeWords } from "../values/value-kinds.ts";
import {
  booleanType,
  type CheckContext,
  mistakePlaceholder,
  type Report,
  reportUnknown,
  unknown,
} from "./check-context.ts";
import { coerce, commonType } from "./coerce.ts";
import { foreignFunctions } from "./foreign-syntax.ts";
import { type Match, matchSignature } from "./match-signature.ts";
import {
  isDeclaredName,
  readField,
  reportClash,
  resolveDottedName,
  resolveName,
  unknownMember,
} from "./resolve-names.ts";
import { describeMismatch, findMissingValue } from "./type-mismatch.ts";
import { findUnguardedNulls } from "./unguarded-nulls.ts";

export interface ReadOptions {
  /** Maps an offset in the text to an offset in the file; without it, the text is contiguous in the file. */
  readonly locate?: (offset: number) => number;
  /**
   * Warns of comparisons that fail because an optional value is missing, except of these fields. For rules, which must
   * hold.
   */
  readonly unguarded?: readonly string[];
  /** A condition that guards the evaluation (`when`); the values it checks for exist. */
  readonly guard?: Expr;
}

/**
 * Parses and type-checks an expression. `span` is the position of the text in its file; each finding has the span of
 * the part it is about. The value exists if no finding is an error. If the expression reads a field whose type is an
 * open point, the value is that field with unknown type, and the expression cannot be evaluated.
 *
 * `readRule("due_day >= today", span, scope, { kind: "boolean" })`
 */
export const readRule = (
  text: string,
  span: Span,
  scope: Scope,
  expected: Type = unknown,
  options: ReadOptions = {},
): WithFindings<Expr | undefined> => {
  const findings: Finding[] = [];
  const { locate = (offset: number) => span.start + offset } = options;
  const at = ({ start, end }: TextRange): Span => {
    const from = locate(start);
    // Ends after the last character, before any gap that follows it in the file.
    const to = end > start ? locate(end - 1) + 1 : locate(end);
    // The parts of a composed expression can be in any order in the file; the whole stands for a range over several.
    return from <= to ? { file: span.file, start: from, end: to } : span;
  };
  const { syntax, problems } = parse(text);
  const report: Report = (code, range, message, hint, more = {}) => {
    // A type mismatch is not meaningful after a syntax error.
    if (code === "TYPES_DIFFER" && problems.length > 0) return;
    const fix = more.nearest === undefined ? {} : { fix: [{ span: at(range), text: more.nearest }] };
    findings.push(finding(code, at(range), message, hint, { ...more, ...fix }));
  };
  for (const { message, hint, instead, start, end } of problems) {
    const span = at({ start, end });
    const fix = instead === undefined ? {} : { fix: [{ span, text: instead }] };
    findings.push(finding("BAD_EXPRESSION", span, message, hint, fix));
  }

  const nonNull = new Set(options.guard ? nonNullWhenTrue(options.guard) : []);
  let undecidedField: Expr | undefined;
  const undecided = (field: Expr) => {
    undecidedField ??= field;
  };
  const reading: CheckContext = { scope, text, at, report, undecided, variables: new Map(), nonNull };
  const expr = coerceOrReport(typeCheck(syntax, reading, expected), expected, syntax, reading);
  if (sqlWeight(expr) > heaviest)
    report("BAD_EXPRESSION", syntax, "This expression is too complex.", "Name its parts with `with:`.");
  if (options.unguarded !== undefined && problems.length === 0)
    findings.push(...findUnguardedNulls(expr, options.unguarded));
  const failed = findings.some((finding) => finding.severity === "error");
  return { value: failed ? undefined : (undecidedField ?? expr), findings };
};

/** `expected` is the type of the context or of the other operand; it resolves bare names. */
const typeCheck = (syntax: Syntax, reading: CheckContext, expected: Type = unknown): Expr => {
  const span = reading.at(syntax);
  const hyphenated = expected.kind === "choice" ? findHyphenatedName(syntax, reading) : undefined;
  if (hyphenated !== undefined) return resolveName(hyphenated, syntax, reading, expected);
  switch (syntax.kind) {
    case "error":
      return mistakePlaceholder(syntax, reading);
    case "null":
      return { kind: "constant", value: null, type: { kind: "null" }, missing: true, span };
    case "boolean":
      return { kind: "constant", value: syntax.value, type: booleanType, missing: false, span };
    case "duration":
      return { kind: "constant", value: syntax.duration, type: { kind: "duration" }, missing: false, span };
    case "text":
      return { kind: "constant", value: syntax.text, type: { kind: "text" }, missing: false, span };
    case "number":
      return number(syntax, reading);
    case "name":
      return resolveName(syntax.name, syntax, reading, expected);
    case "member":
      return member(syntax, reading);
    case "list":
      return list(syntax, reading, expected);
    case "unary":
      return unary(syntax, reading);
    case "binary":
      return binary(syntax, reading);
    case "choice":
      return choice(syntax, reading, expected);
    case "call":
      return call(syntax, reading);
  }
};

/** A value such as `in-progress`, which is parsed as a difference: a choice has none. */
const findHyphenatedName = (syntax: Syntax, { text }: CheckContext): string | undefined => {
  if (syntax.kind !== "binary" || syntax.sign !== "-") return undefined;
  const written = text.slice(syntax.start, syntax.end);
  return /^[A-Za-z][\w-]*$/u.test(written) ? written : undefined;
};

const number = (syntax: Syntax & { kind: "number" }, reading: CheckContext): Expr => {
  const span = reading.at(syntax);
  const [digits = "", places] = syntax.text.split(".");
  if (places === undefined && Number.isSafeInteger(Number(digits)))
    return { kind: "constant", value: Number(digits), type: { kind: "integer" }, missing: false, span };
  if (digits.length <= 28 && (places ?? "").length <= 10)
    return { kind: "constant", value: new Big(syntax.text), type: { kind: "decimal" }, missing: false, span };
  const hint = "Numbers have at most 28 digits before the point and 10 after it.";
  reading.report("BAD_EXPRESSION", syntax, "This number is too long.", hint);
  return mistakePlaceholder(syntax, reading);
};

const member = (syntax: Syntax & { kind: "member" }, reading: CheckContext): Expr => {
  const { of, name } = syntax;
  const dotted = of.kind === "name" && name ? resolveDottedName(of.name, name, syntax, reading) : undefined;
  if (dotted) return dotted;
  const record = typeCheck(of, reading);
  if (record.type.kind === "unknown" || name === undefined) return mistakePlaceholder(syntax, reading);
  const entity = record.type.kind === "record" ? reading.scope.entities.get(record.type.entity) : undefined;
  const field = entity?.fields.get(name.text);
  if (entity && field) return readField(record, entity, field, syntax, reading);
  if (entity) return unknownMember(name, entity.name, entity.fields.keys(), syntax, reading);
  reading.report(
    "TYPES_DIFFER",
    name,
    `${capital(typeWords(record.type))} has no fields.`,
    insteadOfMember(record, name.text),
  );
  return mistakePlaceholder(syntax, reading);
};

/** Suggests a replacement for an unknown field such as `name.length` or `kind.small`. */
const insteadOfMember = ({ type }: Expr, name: string): string => {
  const counterpart = foreignFunctions.get(name.toLowerCase());
  const named = functionNames.has(name)
    ? name
    : counterpart !== undefined && "name" in counterpart
      ? counterpart.name
      : undefined;
  if ((type.kind === "text" || type.kind === "list") && named !== undefined)
    return `Write it as a function: .${named}().`;
  if (counterpart !== undefined && "hint" in counterpart) return counterpart.hint;
  if (type.kind === "choice" && type.values.includes(name)) return `Compare it: … == ${name}.`;
  return type.kind === "list" ? `Write .map(r, r.${name}).` : "Only records have fields.";
};

const list = (syntax: Syntax & { kind: "list" }, reading: CheckContext, expected: Type): Expr => {
  const element = getElement(expected);
  // A quoted value of a choice is one beside values without quotes.
  const read = syntax.items.map((item) => withExpectedType(typeCheck(item, reading, element), element, reading));
  const of = read.reduce<Type>((type, item) => commonType(type, item, reading.scope.timezone) ?? type, unknown);
  const items = read.map((item, i) => coerceOrReport(item, of, syntax.items[i] ?? syntax, reading));
  return { kind: "list", items, type: { kind: "list", of }, missing: false, span: reading.at(syntax) };
};

/** A constant as the expected type, if it has a value of it. */
const withExpectedType = (expr: Expr, expected: Type, { scope }: CheckContext): Expr =>
  (expr.kind === "constant" ? coerce(expr, expected, scope.timezone) : undefined) ?? expr;

const getElement = (type: Type): Type => (type.kind === "list" ? type.of : unknown);

// --- Operators

const unary = (syntax: Syntax & { kind: "unary" }, reading: CheckContext): Expr => {
  const operand = typeCheck(syntax.operand, reading);
  if (syntax.sign === "-" && operand.kind === "constant" && operand.limit === undefined) {
    const span = reading.at(syntax);
    if (typeof operand.value === "number") return { ...operand, value: 0 - operand.value, span };
    if (operand.value instanceof Big) return { ...operand, value: operand.value.times(-1), span };
  }
  return applySignature("operator", syntax.sign, [operand], syntax, reading);
};

const binary = (syntax: Syntax & { kind: "binary" }, reading: CheckContext): Expr => {
  const { sign, left, right } = syntax;
  if (sign === "&&" || sign === "||") {
    const first = typeCheck(left, reading);
    const sure = sign === "&&" ? nonNullWhenTrue(first) : nonNullWhenFalse(first);
    return applySignature("operator", sign, [first, typeCheck(right, withNonNull(sure, reading))], syntax, reading);
  }
  const [a, b] = sides(sign, left, right, reading);
  if (sign !== "==" && sign !== "!=") return applySignature("operator", sign, [a, b], syntax, reading);
  // Treats `null == x` as `x == null`.
  const [operand, nothing] = a.type.kind === "null" ? [b, a] : [a, b];
  if (nothing.type.kind === "null" && (operand.type.kind === "boolean" || operand.type.kind === "list")) {
    const hint = operand.type.kind === "list" ? "Compare its size." : "Use it without a comparison.";
    reading.report("TYPES_DIFFER", syntax, `${capital(typeWords(operand.type))} is never missing.`, hint);
    return mistakePlaceholder(syntax, reading);
  }
  return applySignature("operator", sign, [operand, nothing], syntax, reading);
};

const withNonNull = (sure: readonly string[], reading: CheckContext): CheckContext => ({
  ...reading,
  nonNull: new Set([...reading.nonNull, ...sure]),
});

/** Types both operands. The operand with a type of its own comes first and supplies the expected type of the other. */
const sides = (sign: string, left: Syntax, right: Syntax, reading: CheckContext): readonly [Expr, Expr] => {
  const swaps = isOpen(left, reading) && !isOpen(right, reading);
  const [firstSyntax, secondSyntax] = swaps ? [right, left] : [left, right];
  const first = typeCheck(firstSyntax, reading);
  // The second operand cannot be resolved without the type of the first, so it is not reported as well.
  if (first.type.kind === "unknown" && isOpen(secondSyntax, reading)) return [first, first];
  const among: Type = swaps ? getElement(first.type) : { kind: "list", of: first.type };
  const second = typeCheck(secondSyntax, reading, sign === "in" ? among : first.type);
  const otherType = sign === "in" && !swaps ? getElement(second.type) : second.type;
  const clashes = firstSyntax.kind === "name" && reportClash(firstSyntax.name, otherType, first, firstSyntax, reading);
  const sure = clashes ? mistakePlaceholder(firstSyntax, reading) : first;
  return swaps ? [second, sure] : [sure, second];
};

/** True if the type depends on the other operand: bare names of a choice, quoted values. */
const isOpen = (syntax: Syntax, reading: CheckContext): boolean => {
  if (syntax.kind === "name") return !isDeclaredName(syntax.name, reading);
  if (syntax.kind === "list") return syntax.items.every((item) => isOpen(item, reading));
  if (syntax.kind === "choice") return isOpen(syntax.then, reading) && isOpen(syntax.otherwise, reading);
  if (syntax.kind === "binary" && syntax.sign === "-") return isOpen(syntax.left, reading);
  return syntax.kind === "text" || syntax.kind === "null";
};

const choice = (syntax: Syntax & { kind: "choice" }, reading: CheckContext, expected: Type): Expr => {
  const condition = typeCheck(syntax.condition, reading, booleanType);
  const then = { syntax: syntax.then, reading: withNonNull(nonNullWhenTrue(condition), reading) };
  const otherwise = { syntax: syntax.otherwise, reading: withNonNull(nonNullWhenFalse(condition), reading) };
  const swaps = expected.kind === "unknown" && isOpen(then.syntax, then.reading);
  const [one, other] = swaps ? [otherwise, then] : [then, otherwise];
  // Quoted values of a choice are values also if both alternatives have quotes.
  const alternative = ({ syntax, reading }: typeof then, type: Type): Expr => {
    const expr = typeCheck(syntax, reading, type);
    return type.kind === "choice" ? withExpectedType(expr, type, reading) : expr;
  };
  const first = alternative(one, expected);
  const second = alternative(other, expected.kind === "unknown" ? first.type : expected);
  return applySignature("operator", "?", [condition, ...(swaps ? [second, first] : [first, second])], syntax, reading);
};

// --- Functions

const call = (syntax: Syntax & { kind: "call" }, reading: CheckContext): Expr => {
  const { name, method, args } = syntax;
  if (method && isListEnd(name.text)) return checkListOperation(writeOutEnd(syntax, name.text, reading), reading);
  if (method && (isEach(name.text) || (filters.has(name.text) && args.length > 1)))
    return checkListOperation(syntax, reading);
  if (args.length === 0 && (name.text === "now" || name.text === "today"))
    return resolveName(name.text, syntax, reading, unknown);
  const [, element] = args;
  if (method && args.length > 1 && element?.kind === "name" && functionNames.has(name.text) && folds.has(name.text)) {
    const variable = args.length === 2 ? "r" : element.name;
    const message = `“${name.text}” takes a list of values, so it has no condition for each record.`;
    const what = args.length === 2 ? `${variable}.${element.name}` : "…";
    reading.report("BAD_EXPRESSION", name, message, `Write .map(${variable}, ${what}).${name.text}().`);
    return mistakePlaceholder(syntax, reading);
  }
  if (functionNames.has(name.text)) {
    const operands = args.map((arg) => typeCheck(arg, reading));
    return applySignature("function", name.text, operands, syntax, reading);
  }
  const known = [...functionNames, ...Object.keys(iterators), ...Object.keys(listEnds)];
  const exact = known.find((item) => item.toLowerCase() === name.text.toLowerCase());
  const counterpart = exact === undefined ? foreignFunctions.get(name.text.toLowerCase()) : undefined;
  reportUnknown(name.text, `There is no function “${name.text}”.`, known, name, reading, counterpart);
  return mistakePlaceholder(syntax, reading);
};

/** Aggregates. */
const folds: ReadonlySet<string> = new Set(["sum", "avg", "min", "max"]);

const isEach = (name: string): name is IteratorName => Object.hasOwn(iterators, name);

/** `.exists(r, …)` abbreviates `.filter(r, …).exists()`. */
const filters: ReadonlySet<string> = new Set(["exists", "count", "one"]);

/** Writes `list.last(r, r.day)` out as the only element with the greatest value. */
const writeOutEnd = (syntax: FunctionCall, end: ListEnd, reading: CheckContext): FunctionCall => {
  const { name, args, start, end: stop } = syntax;
  const [over, variable, value, ...more] = args;
  if (over === undefined || variable?.kind !== "name" || value === undefined || more.length > 0) return syntax;
  const { sign, extreme } = listEnds[end];
  const range = { start, end: stop };
  const method = (text: string, ...of: readonly Syntax[]): FunctionCall => ({
    ...range,
    kind: "call",
    name: { ...name, text },
    method: true,
    args: of,
  });
  let outer = `${variable.name}'`;
  while (reading.variables.has(outer)) outer += "'";
  const greatest = method(extreme, method("map", over, variable, value));
  const left = renameVariable(value, variable.name, outer);
  return method("one", over, { ...variable, name: outer }, { ...range, kind: "binary", sign, left, right: greatest });
};

/** A list operation such as `list.map(r, r.days)`: a list, a variable and a body. */
const checkListOperation = (syntax: Syntax & { kind: "call" }, reading: CheckContext): Expr => {
  const { name, args } = syntax;
  const [over, variable, body] = args;
  if (over === undefined || variable?.kind !== "name" || body === undefined || args.length > 3) {
    const message = `“${name.text}” takes a name and an expression.`;
    reading.report("BAD_EXPRESSION", name, message, `Write .${name.text}(r, …), where r is each element of the list.`);
    return mistakePlaceholder(syntax, reading);
  }
  const row = isEach(name.text) ? name.text : "filter";
  const of = typeCheck(over, reading);
  if (of.type.kind !== "list") {
    const message = `“${name.text}” needs a list, but this is ${typeWords(of.type)}.`;
    if (of.type.kind !== "unknown") reading.report("TYPES_DIFFER", over, message, "Use a list or an entity.");
    return mistakePlaceholder(syntax, reading);
  }
  if (isDeclaredName(variable.name, reading)) {
    const message = `“${variable.name}” already has another meaning here.`;
    reading.report("NAME_TWICE", variable, message, "Choose another name.");
  }
  const level = reading.variables.size;
  const variables = new Map([...reading.variables, [variable.name, { type: of.type.of, level }] as const]);
  const { bodyType, returns } = iteratorRow(row);
  const wanted = bodyType === "boolean" ? booleanType : unknown;
  const inner = { ...reading, variables };
  const checked = coerceOrReport(typeCheck(body, inner, wanted), wanted, body, inner);
  if (returns === "a list of the body" && checked.type.kind === "list") {
    reading.report("BAD_EXPRESSION", body, "There are no lists of lists.", "Give one value for each element.");
    return mistakePlaceholder(syntax, reading);
  }
  const type: Type =
    returns === "boolean" ? booleanType : returns === "the list" ? of.type : { kind: "list", of: checked.type };
  const span = reading.at(syntax);
  const placeholder: Expr = {
    kind: "each",
    row,
    list: of,
    name: variable.name,
    level,
    body: checked,
    type,
    missing: false,
    span,
  };
  return isEach(name.text) ? placeholder : applySignature("function", name.text, [placeholder], syntax, reading);
};

/** Applies the first signature of a name that accepts the operands. */
const applySignature = (
  form: Signature["form"],
  name: string,
  operands: readonly Expr[],
  syntax: Syntax,
  reading: CheckContext,
): Expr => {
  if (operands.some((operand) => operand.type.kind === "unknown")) return mistakePlaceholder(syntax, reading);
  const { timezone: zone } = reading.scope;
  const candidates = findSignatures(form, name, operands.length);
  for (const candidate of candidates) {
    const match = matchSignature(candidate, operands, zone);
    if (match === undefined) continue;
    const row = operationRow(candidate.operation);
    const { args, bound } = match;
    const last = args[args.length - 1];
    const problem =
      row.constant && (last?.kind === "constant" ? row.constant(last.value) : "A constant is required here.");
    if (problem !== undefined) reading.report("BAD_EXPRESSION", syntax, problem, "Change the last argument.");
    const result = splitListType(row.returns);
    const element = bound.get(result.stem) ?? ({ kind: result.stem } as Type);
    const type: Type = result.list ? { kind: "list", of: element } : element;
    const missing =
      type.kind !== "boolean" && type.kind !== "list" && mayMiss(candidate.operation, match, reading.nonNull);
    return { kind: "call", row: candidate.operation, args, zone, type, missing, span: reading.at(syntax) };
  }
  const { message, hint, at, nearest } = describeMismatch(
    name,
    operands,
    candidates.length > 0 ? candidates : findSignatures(form, name),
  );
  const part = at && directChildren(syntax)[operands.indexOf(at)];
  const suggestion = part === undefined || nearest === undefined ? {} : { nearest };
  reading.report("TYPES_DIFFER", part ?? syntax, message, hint, suggestion);
  return mistakePlaceholder(syntax, reading);
};

/** True if a result can be missing. Overflow does not count, since authors need not handle it. */
const mayMiss = (operation: Operation, { args }: Match, facts: ReadonlySet<string>): boolean => {
  const row = operationRow(operation);
  const passes = row.missing === "spreads" || (row.missing === "met" && row.passes === true);
  if (passes && args.some((arg) => arg.missing)) return true;
  const [first, second] = args;
  if (operation === "one([any])")
    return first?.kind !== "list" || first.items.length !== 1 || !isNeverEmpty(first, facts);
  if (row.fails === "unreadable") return true;
  if (row.fails === "of none") return first === undefined || !isNeverEmpty(first, facts);
  return row.fails === "division by zero" && (second === undefined || !isNeverZero(second, facts));
};

/** Converts the expression to the expected type, or reports a finding. */
const coerceOrReport = (expr: Expr, expected: Type, syntax: Syntax, reading: CheckContext): Expr => {
  const fits = coerce(expr, expected, reading.scope.timezone);
  if (fits) return fits;
  const missed = findMissingValue(expected, expr);
  if (missed !== undefined) {
    const { message, hint, nearest } = missed;
    reading.report("TYPES_DIFFER", syntax, message, hint, nearest === undefined ? {} : { nearest });
    return mistakePlaceholder(syntax, reading);
  }
  const message = `This is ${typeWords(expr.type)}, but ${typeWords(expected)} is required here.`;
  const hint =
    expected.kind === "boolean"
      ? "Compare it with a value."
      : expected.kind === "integer" && expr.type.kind === "decimal"
        ? "Convert it with round(…), floor(…) or ceil(…)."
        : expected.kind === "duration" && expr.kind === "constant" && typeof expr.value === "number"
          ? `Add the unit: ${expr.value} days, or ${expr.value} hours.`
          : expected.kind === "date" && expr.type.kind === "integer"
            ? "Write a day in quotes, such as '2026-03-29'."
            : expected.kind === "money" && (expr.type.kind === "integer" || expr.type.kind === "decimal")
              ? `Use a constant of point 9, such as “fee: 310 ${expected.currency}”.`
              : `Write ${typeWords(expected)}.`;
  reading.report("TYPES_DIFFER", syntax, message, hint);
  return mistakePlaceholder(syntax, reading);
};

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
