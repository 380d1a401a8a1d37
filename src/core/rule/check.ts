import Big from "big.js";
import { type Finding, type FindingCode, type Found, finding } from "../findings.ts";
import { nearest, type Span } from "../text.ts";
import { parseDuration } from "./duration.ts";
import type { Expr } from "./expr.ts";
import { fitted, fittedOperand, joined } from "./fit.ts";
import { keyOf, whenFalse, whenTrue } from "./given.ts";
import { type Kind, kinds, wordsOf } from "./kinds.ts";
import { type Each, each, eachOf, rowOf, type Stem } from "./meaning.ts";
import { parse } from "./parse.ts";
import { functionNames, type Signature, signaturesOf, stemOf } from "./signature.ts";
import type { Stretch, Syntax, Word } from "./syntax.ts";
import type { EntityShape, FieldShape, Scope, Type } from "./type.ts";
import { unguardedOf } from "./unguarded.ts";
import type { Value } from "./value.ts";
import { heaviest, weightOf } from "./weight.ts";

export interface ReadOptions {
  /** Where in the file a character of the text stands; without it the text stands there as it is. */
  readonly locate?: (offset: number) => number;
  /** Warn of a comparison that refuses records because an optional field is missing: for rules that must hold. */
  readonly unguarded?: boolean;
  /** A condition under which alone the expression is evaluated (`when`): what it makes sure of is there. */
  readonly given?: Expr;
}

/**
 * Reads an expression and types it. `span` is where the text stands in its file, and every finding stands at its exact
 * part. The value is there when no finding is an error; its tree is frozen.
 *
 * `readRule("due_day >= today", span, scope, { kind: "boolean" })`
 */
export const readRule = (
  text: string,
  span: Span,
  scope: Scope,
  expected?: Type,
  options: ReadOptions = {},
): Found<Expr | undefined> => {
  const findings: Finding[] = [];
  const locate = options.locate ?? ((offset: number) => span.start + offset);
  const at = ({ start, end }: Stretch): Span => ({
    file: span.file,
    start: locate(start),
    end: end > start ? locate(end - 1) + 1 : locate(end),
  });
  const report: Reading["report"] = (code, stretch, message, hint, more = {}) => {
    const span = at(stretch);
    const fix = more.nearest === undefined ? {} : { fix: [{ span, text: more.nearest }] };
    findings.push(finding(code, span, message, hint, { ...more, ...fix }));
  };
  const { syntax, problems } = parse(text);
  for (const { message, hint, ...stretch } of problems) report("BAD_EXPRESSION", stretch, message, hint);

  const given = new Set(options.given ? whenTrue(options.given) : []);
  const reading: Reading = { scope, at, report, variables: new Map(), given };
  const read = typed(syntax, reading, expected);
  const expr = expected === undefined ? read : fitting(read, expected, syntax, reading);
  if (weightOf(expr) > heaviest)
    report("BAD_EXPRESSION", syntax, "This expression says too much at once.", "Name its parts with `with:`.");
  if (options.unguarded) for (const one of unguardedOf(expr)) findings.push(one);
  const failed = findings.some((one) => one.severity === "error");
  return { value: failed ? undefined : frozen(expr), findings };
};

/** What reading a part of an expression needs to know. */
interface Reading {
  readonly scope: Scope;
  readonly at: (stretch: Stretch) => Span;
  readonly report: (
    code: FindingCode,
    stretch: Stretch,
    message: string,
    hint: string,
    more?: { readonly nearest?: string },
  ) => void;
  readonly variables: ReadonlyMap<string, { readonly type: Type; readonly level: number }>;
  /** The paths that what stands before has made sure of. */
  readonly given: ReadonlySet<string>;
}

const boolean: Type = { kind: "boolean" };
const unknown: Type = { kind: "unknown" };

/** `expected` is what the place or the other side would take: it says what bare names and quoted values stand for. */
const typed = (syntax: Syntax, reading: Reading, expected: Type = unknown): Expr => {
  const span = reading.at(syntax);
  switch (syntax.kind) {
    case "error":
      return { kind: "constant", value: null, type: unknown, missing: false, span };
    case "null":
      return { kind: "constant", value: null, type: { kind: "null" }, missing: true, span };
    case "boolean":
      return { kind: "constant", value: syntax.value, type: boolean, missing: false, span };
    case "duration":
      return { kind: "constant", value: syntax.duration, type: { kind: "duration" }, missing: false, span };
    case "text":
      return { kind: "constant", value: syntax.text, type: { kind: "text" }, missing: false, span };
    case "number":
      return numeral(syntax.text, syntax, reading);
    case "name":
      return named(syntax, syntax.name, reading, expected);
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

/** After a mistake that was reported. */
const mistaken = (syntax: Syntax, reading: Reading): Expr => ({
  kind: "constant",
  value: null,
  type: unknown,
  missing: false,
  span: reading.at(syntax),
});

const numeral = (text: string, syntax: Syntax, reading: Reading): Expr => {
  const span = reading.at(syntax);
  const [digits = "", places] = text.split(".");
  if (places === undefined && Number.isSafeInteger(Number(digits)))
    return { kind: "constant", value: Number(digits), type: { kind: "integer" }, missing: false, span };
  if (digits.length <= 28 && (places ?? "").length <= 10)
    return { kind: "constant", value: new Big(text), type: { kind: "decimal" }, missing: false, span };
  const hint = "Numbers have at most 28 digits before the point and 10 after it.";
  reading.report("BAD_EXPRESSION", syntax, "This number is too long.", hint);
  return mistaken(syntax, reading);
};

// --- Names

/** What a name stands for by itself, whatever it is compared with. */
const resolved = (name: string, syntax: Syntax, reading: Reading): Expr | undefined => {
  const { scope, variables } = reading;
  const span = reading.at(syntax);
  const variable = variables.get(name);
  if (variable) return { kind: "variable", name, ...variable, missing: false, span };
  const given = scope.names?.get(name);
  if (given) return guarded({ kind: "name", name, type: given.type, missing: given.optional, span }, reading);
  const entity = scope.entity === undefined ? undefined : scope.entities.get(scope.entity);
  if (entity && (name === "this" || (name === "old" && scope.old)))
    return { kind: name, type: { kind: "record", entity: entity.name }, missing: name === "old", span };
  if (name === "user" && scope.user)
    return { kind: "user", type: { kind: "record", entity: "User" }, missing: false, span };
  if (name === "now" || name === "today")
    return { kind: name, type: { kind: name === "now" ? "datetime" : "date" }, missing: false, span };
  const field = entity?.fields.get(name);
  if (entity && field) {
    const of: Expr = { kind: "this", type: { kind: "record", entity: entity.name }, missing: false, span };
    return fieldOf(of, entity, field, span, reading);
  }
  const limit = scope.limits.get(name);
  if (limit) return limitOf(name, limit, span);
  const all = scope.entities.get(name);
  if (all)
    return {
      kind: "all",
      entity: all,
      type: { kind: "list", of: { kind: "record", entity: all.name } },
      missing: false,
      span,
    };
  return undefined;
};

const named = (syntax: Syntax, name: string, reading: Reading, expected: Type): Expr => {
  const found = resolved(name, syntax, reading);
  const isValue = expected.kind === "choice" && expected.values.includes(name);
  if (found && isValue) clash(name, expected, syntax, reading);
  if (found) return found;
  if (isValue) return { kind: "constant", value: name, type: expected, missing: false, span: reading.at(syntax) };
  const values = expected.kind === "choice" ? expected.values : [];
  const what = expected.kind === "choice" ? `${wordsOf(expected)} or anything else here` : "anything here";
  missingName(name, `“${name}” is not ${what}.`, [...values, ...namesOf(reading)], syntax, reading);
  return mistaken(syntax, reading);
};

const clash = (name: string, { of }: Type & { kind: "choice" }, stretch: Stretch, reading: Reading): void =>
  reading.report(
    "AMBIGUOUS_NAME",
    stretch,
    `“${name}” is a value of ${of}, and something else here too.`,
    `Write '${name}' for the value, or this.${name} for a field.`,
  );

const missingName = (
  name: string,
  message: string,
  known: Iterable<string>,
  stretch: Stretch,
  reading: Reading,
): void => {
  const near = nearest(name, known);
  const hint = near === undefined ? "Name a field, a constant or a value that exists." : `Did you mean “${near}”?`;
  reading.report("UNKNOWN_NAME", stretch, message, hint, near === undefined ? {} : { nearest: near });
};

/** Every name that could stand here. */
const namesOf = ({ scope, variables }: Reading): readonly string[] => [
  ...variables.keys(),
  ...(scope.names?.keys() ?? []),
  ...(scope.entity === undefined ? [] : [...(scope.entities.get(scope.entity)?.fields.keys() ?? []), "this"]),
  ...(scope.user ? ["user"] : []),
  ...["now", "today", "true", "false", "null"],
  ...scope.limits.keys(),
  ...scope.entities.keys(),
];

const limitOf = (name: string, { type, value }: { type: Type; value: string }, span: Span): Expr => {
  const constant = { kind: "constant", limit: name, type, missing: false, span } as const;
  if (type.kind === "integer") return { ...constant, value: Number(value) };
  if (type.kind === "decimal" || type.kind === "money") return { ...constant, value: new Big(value) };
  if (type.kind === "boolean") return { ...constant, value: value === "true" };
  if (type.kind === "duration") return { ...constant, value: parseDuration(value) ?? null };
  return { ...constant, value };
};

const fieldOf = (of: Expr, entity: EntityShape, field: FieldShape, span: Span, reading: Reading): Expr => {
  const target = field.inverse && reading.scope.entities.get(field.inverse.entity);
  const never = field.type.kind === "boolean" || field.type.kind === "list";
  // Nobody has an id and nothing else.
  const isSomebody = of.kind !== "user" && of.kind !== "call" && of.kind !== "name";
  const missing = !never && (of.missing || field.optional || (!isSomebody && field.name !== "id"));
  return guarded(
    { kind: "field", of, entity, field, ...(target ? { target } : {}), type: field.type, missing, span },
    reading,
  );
};

/** What was made sure of before is there. */
const guarded = (expr: Expr, { given }: Reading): Expr => {
  const key = expr.missing ? keyOf(expr) : undefined;
  return key !== undefined && given.has(key) ? { ...expr, missing: false } : expr;
};

const member = (syntax: Syntax & { kind: "member" }, reading: Reading): Expr => {
  const { of, name } = syntax;
  if (of.kind === "name" && name && !reading.variables.has(of.name)) {
    const given = resolved(`${of.name}.${name.text}`, syntax, reading);
    if (given) return given;
    const prefix = `${of.name}.`;
    const known = [...(reading.scope.names?.keys() ?? [])].filter((one) => one.startsWith(prefix));
    if (known.length > 0)
      return noMember(
        name,
        of.name,
        known.map((one) => one.slice(prefix.length)),
        syntax,
        reading,
      );
    if (of.name === "limits" && resolved("limits", of, reading) === undefined) {
      const limit = reading.scope.limits.get(name.text);
      if (limit) return limitOf(name.text, limit, reading.at(syntax));
      return noMember(name, "limits", reading.scope.limits.keys(), syntax, reading);
    }
  }
  const record = typed(of, reading);
  if (record.type.kind === "unknown" || name === undefined) return mistaken(syntax, reading);
  const entity = record.type.kind === "record" ? reading.scope.entities.get(record.type.entity) : undefined;
  const field = entity?.fields.get(name.text);
  if (entity && field) return fieldOf(record, entity, field, reading.at(syntax), reading);
  if (entity) return noMember(name, entity.name, entity.fields.keys(), syntax, reading);
  const message = `${capital(wordsOf(record.type))} has no fields.`;
  const hint = record.type.kind === "list" ? `Write .map(r, r.${name.text}).` : "Only records have fields.";
  reading.report("TYPES_DIFFER", name, message, hint);
  return mistaken(syntax, reading);
};

const noMember = (name: Word, of: string, known: Iterable<string>, syntax: Syntax, reading: Reading): Expr => {
  missingName(name.text, `${of} has no “${name.text}”.`, known, name, reading);
  return mistaken(syntax, reading);
};

// --- Operators

const unary = (syntax: Syntax & { kind: "unary" }, reading: Reading): Expr => {
  const operand = typed(syntax.operand, reading);
  const { kind } = operand;
  if (syntax.sign === "-" && kind === "constant" && operand.limit === undefined) {
    const span = reading.at(syntax);
    if (typeof operand.value === "number") return { ...operand, value: -operand.value, span };
    if (operand.value instanceof Big) return { ...operand, value: operand.value.times(-1), span };
  }
  return applied("operator", syntax.sign, [operand], syntax, reading);
};

/** Whether an operand says by itself of what type it is; a bare name of a choice does not. */
const isOpen = (syntax: Syntax, reading: Reading): boolean => {
  if (syntax.kind === "text" || syntax.kind === "null") return true;
  if (syntax.kind === "name") return resolved(syntax.name, syntax, reading) === undefined;
  if (syntax.kind === "list") return syntax.items.every((item) => isOpen(item, reading));
  return syntax.kind === "choice" && isOpen(syntax.then, reading) && isOpen(syntax.otherwise, reading);
};

const binary = (syntax: Syntax & { kind: "binary" }, reading: Reading): Expr => {
  const { sign, left, right } = syntax;
  if (sign === "&&" || sign === "||") {
    const first = typed(left, reading);
    const sure = sign === "&&" ? whenTrue(first) : whenFalse(first);
    return applied("operator", sign, [first, typed(right, knowing(reading, sure))], syntax, reading);
  }
  const among = sign === "in";
  const rightFirst = isOpen(left, reading) && !isOpen(right, reading);
  const one = typed(rightFirst ? right : left, reading);
  const wanted: Type = !among ? one.type : rightFirst ? elementOf(one.type) : { kind: "list", of: one.type };
  const other = typed(rightFirst ? left : right, reading, wanted);
  const [a, b] = rightFirst ? [other, one] : [one, other];
  clashing(left, b.type, a, reading);
  clashing(right, a.type, b, reading);
  // `null == x` is `x == null`.
  const operands = (sign === "==" || sign === "!=") && a.type.kind === "null" ? [b, a] : [a, b];
  const [asked, nothing] = operands;
  if (nothing?.type.kind === "null" && (asked?.type.kind === "boolean" || asked?.type.kind === "list")) {
    const hint = asked.type.kind === "list" ? "Ask for its size." : "Ask for it alone.";
    reading.report("TYPES_DIFFER", syntax, `${capital(wordsOf(asked.type))} is never missing.`, hint);
  }
  return applied("operator", sign, operands, syntax, reading);
};

const knowing = (reading: Reading, sure: Iterable<string>): Reading => ({
  ...reading,
  given: new Set([...reading.given, ...sure]),
});

const elementOf = (type: Type): Type => (type.kind === "list" ? type.of : unknown);

/** A bare name that was read as something else, beside a choice that has a value of this name. */
const clashing = (syntax: Syntax, beside: Type, read: Expr, reading: Reading): void => {
  if (syntax.kind !== "name" || beside.kind !== "choice" || read.type.kind === "unknown") return;
  if (read.type.kind !== "choice" && beside.values.includes(syntax.name)) clash(syntax.name, beside, syntax, reading);
};

const choice = (syntax: Syntax & { kind: "choice" }, reading: Reading, expected: Type): Expr => {
  const condition = typed(syntax.condition, reading, boolean);
  const inThen = knowing(reading, whenTrue(condition));
  const inElse = knowing(reading, whenFalse(condition));
  const elseFirst = expected.kind === "unknown" && isOpen(syntax.then, inThen);
  const one = elseFirst ? typed(syntax.otherwise, inElse, expected) : typed(syntax.then, inThen, expected);
  const wanted = expected.kind === "unknown" ? one.type : expected;
  const other = elseFirst ? typed(syntax.then, inThen, wanted) : typed(syntax.otherwise, inElse, wanted);
  const branches = elseFirst ? [other, one] : [one, other];
  return applied("operator", "?", [condition, ...branches], syntax, reading);
};

const list = (syntax: Syntax & { kind: "list" }, reading: Reading, expected: Type): Expr => {
  const wanted = elementOf(expected);
  const first = syntax.items.map((item) => typed(item, reading, wanted));
  const of = first.reduce<Type>((type, item) => joined(type, item, reading.scope.timezone) ?? type, unknown);
  const items = first.map((item, i) => fitting(item, of, syntax.items[i] ?? syntax, reading));
  return { kind: "list", items, type: { kind: "list", of }, missing: false, span: reading.at(syntax) };
};

// --- Functions

/** `.exists(r, …)` is `.filter(r, …).exists()`. */
const filtering: ReadonlySet<string> = new Set(["exists", "count", "one"]);

const isEach = (name: string): name is Each => Object.hasOwn(each, name);

const call = (syntax: Syntax & { kind: "call" }, reading: Reading): Expr => {
  const { name, method, args } = syntax;
  const [subject, variable, body] = args;
  if (method && subject && (isEach(name.text) || (filtering.has(name.text) && args.length > 1))) {
    if (variable?.kind === "name" && body && args.length === 3)
      return isEach(name.text)
        ? through(name.text, subject, variable.name, body, syntax, reading)
        : applied(
            "function",
            name.text,
            [through("filter", subject, variable.name, body, syntax, reading)],
            syntax,
            reading,
          );
    reading.report(
      "BAD_EXPRESSION",
      name,
      `“${name.text}” needs a name and what to do with it.`,
      `Write .${name.text}(r, …).`,
    );
    return mistaken(syntax, reading);
  }
  if (args.length === 0 && !method && (name.text === "now" || name.text === "today"))
    return resolved(name.text, syntax, reading) ?? mistaken(syntax, reading);
  if (!functionNames.has(name.text)) {
    missingName(
      name.text,
      `There is no function “${name.text}”.`,
      [...functionNames, ...Object.keys(each)],
      name,
      reading,
    );
    return mistaken(syntax, reading);
  }
  return applied(
    "function",
    name.text,
    args.map((arg) => typed(arg, reading)),
    syntax,
    reading,
  );
};

const through = (row: Each, over: Syntax, name: string, body: Syntax, syntax: Syntax, reading: Reading): Expr => {
  const of = typed(over, reading);
  if (of.type.kind !== "list") {
    if (of.type.kind !== "unknown")
      reading.report(
        "TYPES_DIFFER",
        over,
        `.${row} goes through a list; this is ${wordsOf(of.type)}.`,
        "Name a list or an entity.",
      );
    return mistaken(syntax, reading);
  }
  if (resolved(name, syntax, reading))
    reading.report("NAME_TWICE", syntax, `“${name}” stands for something else here already.`, "Choose another name.");
  const level = reading.variables.size;
  const variables = new Map([...reading.variables, [name, { type: of.type.of, level }] as const]);
  const inner = typed(body, { ...reading, variables }, eachOf(row).takes === "boolean" ? boolean : unknown);
  const { takes, gives } = eachOf(row);
  const fits = takes === "boolean" ? fitting(inner, boolean, body, reading) : inner;
  const type: Type = gives === "boolean" ? boolean : gives === "the list" ? of.type : { kind: "list", of: fits.type };
  return { kind: "each", row, list: of, name, level, body: fits, type, missing: false, span: reading.at(syntax) };
};

/** The first row of a name that takes the operands. */
const applied = (
  form: Signature["form"],
  name: string,
  operands: readonly Expr[],
  syntax: Syntax,
  reading: Reading,
): Expr => {
  const span = reading.at(syntax);
  if (operands.some((operand) => operand.type.kind === "unknown")) return mistaken(syntax, reading);
  const candidates = signaturesOf(form, name, operands.length);
  for (const candidate of candidates) {
    const match = matched(candidate, operands, reading);
    if (!match) continue;
    const row = rowOf(candidate.operation);
    const { args, bound } = match;
    const gives = bound.get(row.gives as Stem) ?? ({ kind: row.gives } as Type);
    const fails = row.fails !== undefined && row.fails !== "overflow" && !isSurely(row.fails, args);
    const spreads = row.missing === "spreads" || (row.missing === "met" && row.passes);
    const missing = gives.kind !== "boolean" && (fails || (spreads === true && args.some((arg) => arg.missing)));
    const wrong = row.constant && problemOf(args, row.constant);
    if (wrong) reading.report("BAD_EXPRESSION", syntax, wrong, "See the reference for what it takes.");
    return { kind: "call", row: candidate.operation, args, zone: reading.scope.timezone, type: gives, missing, span };
  }
  const said = operands.map((operand) => wordsOf(operand.type)).join(" and ");
  const takes = candidates.map(({ operation }) => `\`${operation}\``).join(", ");
  const message = `“${name}” does not take ${said || "nothing"}.`;
  reading.report("TYPES_DIFFER", syntax, message, takes ? `It takes ${takes}.` : "Give it as many as it takes.");
  return mistaken(syntax, reading);
};

/** A division by a constant that is not zero. */
const isSurely = (fails: string, [, divisor]: readonly Expr[]): boolean =>
  fails === "division by zero" && divisor?.kind === "constant" && divisor.value instanceof Big && !divisor.value.eq(0);

const problemOf = (args: readonly Expr[], constant: (last: Value) => string | undefined): string | undefined => {
  const last = args[args.length - 1];
  return last?.kind === "constant" ? constant(last.value) : "What is given last must be a constant.";
};

/** The operands as a row takes them, and what its words stand for; undefined where it does not take them. */
const matched = ({ takes, form }: Signature, operands: readonly Expr[], { scope }: Reading) => {
  const zone = scope.timezone;
  const bound = new Map<Stem, Type>();
  // Constants come last: they take the type of the others.
  const inOrder = operands.map((operand, i) => ({ operand, word: takes[i] })).sort(byConstancy);
  for (const { operand, word } of inOrder) {
    if (word === undefined) return undefined;
    const { stem, list } = stemOf(word);
    const before = bound.get(stem) ?? (isFixed(stem) ? { kind: stem } : unknown);
    const join = list ? joinedElements : joined;
    const type = isFixed(stem) ? before : join(before, operand, zone);
    if (type === undefined || !admits(stem, type)) return undefined;
    bound.set(stem, type);
  }
  const asOperand = form === "function" ? fittedOperand : fitted;
  const args = operands.map((operand, i) => {
    const { stem, list } = stemOf(takes[i] ?? "unknown");
    const type = bound.get(stem) ?? unknown;
    return asOperand(operand, list ? { kind: "list", of: type } : type, zone);
  });
  return args.every((arg) => arg !== undefined) ? { args, bound } : undefined;
};

const byConstancy = (a: { operand: Expr }, b: { operand: Expr }): number =>
  Number(isConstant(a.operand)) - Number(isConstant(b.operand));

const isConstant = (expr: Expr): boolean =>
  expr.kind === "constant" || (expr.kind === "list" && expr.items.every(isConstant));

const joinedElements = (before: Type, list: Expr, zone: string): Type | undefined => {
  if (list.type.kind !== "list") return undefined;
  if (before.kind !== "unknown" && fitted(list, { kind: "list", of: before }, zone)) return before;
  return joined(before, { ...list, kind: "variable", name: "", level: 0, type: list.type.of }, zone);
};

/** A word that stands for one type alone; `money` stands for each currency. */
const isFixed = (stem: Stem): stem is FixedKind =>
  stem !== "same" && stem !== "ordered" && stem !== "ranked" && stem !== "any" && stem !== "money";

type FixedKind = Exclude<Type["kind"], "money" | "choice" | "record" | "list">;

const admits = (stem: Stem, type: Type): boolean => {
  if (isFixed(stem)) return true;
  const { compares }: Kind = kinds[type.kind];
  if (stem === "same") return compares !== "not at all";
  if (stem === "ordered") return compares === "in order" || compares === "by length";
  if (stem === "ranked") return compares === "in order";
  return stem === "money" ? type.kind === "money" : type.kind !== "list";
};

/** The expression as its place takes it, or a finding. */
const fitting = (expr: Expr, expected: Type, syntax: Syntax, reading: Reading): Expr => {
  const fits = fitted(expr, expected, reading.scope.timezone);
  if (fits) return fits;
  const message = `This is ${wordsOf(expr.type)}, and here stands ${wordsOf(expected)}.`;
  const hint = expected.kind === "boolean" ? "Compare it with something." : `Write ${wordsOf(expected)}.`;
  reading.report("TYPES_DIFFER", syntax, message, hint);
  return mistaken(syntax, reading);
};

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const frozen = <T>(value: T): T => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || value instanceof Map) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
};
