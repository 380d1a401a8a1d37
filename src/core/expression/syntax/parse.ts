import { onlyNearest } from "../../source-text.ts";
import { functionNames } from "../operations/signature.ts";
import { parseUnit, toDuration, units } from "../values/duration.ts";
import { nestingDepth, type Syntax, type Word } from "./ast.ts";
import { lex, type SyntaxProblem, type Token } from "./lex.ts";

/** Precedence of the binary operators; all are left-associative. */
const powers: ReadonlyMap<string, number> = new Map([
  ["||", 2],
  ["&&", 3],
  ...["==", "!=", "<", "<=", ">", ">=", "in"].map((sign) => [sign, 4] as const),
  ...["+", "-"].map((sign) => [sign, 5] as const),
  ...["*", "/"].map((sign) => [sign, 6] as const),
]);
const choosing = 1;
const prefixed = 7;

/** Limits on length and depth, which keep parsing fast. */
export const longestText = 10_000;
export const deepest = 64;

const nameParts = "Name its parts with `with:`.";

/** Common operator words of other languages, in lower case, with ours. */
const foreign: ReadonlyMap<string, string> = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["is", "=="],
  ["is not", "!="],
]);

/** Operator words of other languages without a counterpart here, with advice. */
const phrases: ReadonlyMap<string, string> = new Map([
  ["between", "Write two comparisons: `a >= 1 && a <= 9`."],
  ["like", "Write `contains(a, 'text')`, `startsWith(a, 'text')` or `matches(a, 'pattern')`."],
  ["implies", "Write `!a || b`."],
  ["then", "Write `condition ? one : other`."],
  ["mod", "There is no remainder operator."],
  ["not", "Write `!(a in b)`."],
  ["contains", "Write `contains(a, 'text')`, or `a in list`."],
]);

const unitNames = Object.keys(units);

/** Suggests a unit: `dayz` → `days`, `d` → `days`, `mins` → `minutes`. */
const nearUnit = (word: string): string | undefined => {
  const many = unitNames.map((unit) => `${unit}s`);
  const small = word.toLowerCase();
  const short = unitNames.filter((unit) => unit.startsWith(small.replace(/s$/u, "")));
  const near = short.length === 1 ? `${short[0]}s` : onlyNearest(small, many);
  return small === "m" ? undefined : near;
};

/** Keywords that begin expressions in other languages, with advice. */
const openings: ReadonlyMap<string, string> = new Map([
  ["if", "Write `condition ? one : other`."],
  ["case", "Write `condition ? one : other`."],
  ["select", "Use the entity: `Booking.count(b, b.room == this)`."],
  ["return", "Write only the condition."],
]);

/** A parsed text and its syntax errors. */
export interface ParseResult {
  readonly syntax: Syntax;
  readonly problems: readonly SyntaxProblem[];
}

/**
 * Parses an expression (Pratt, "Top down operator precedence", 1973). It always returns a tree: `total >` becomes a
 * comparison whose right side is an error, with one problem.
 */
export const parse = (text: string): ParseResult => {
  if (text.length > longestText) {
    const message = `This expression is longer than ${longestText} characters.`;
    const problem = { start: 0, end: text.length, message, hint: nameParts };
    return { syntax: { kind: "error", start: 0, end: text.length }, problems: [problem] };
  }
  const { tokens, problems: unread } = lex(text);
  const problems: SyntaxProblem[] = [...unread];
  const isWord = (token: Token | undefined, word: string): boolean =>
    token?.kind === "name" && token.text.toLowerCase() === word;
  const startsOperand = (token: Token | undefined): boolean =>
    token?.kind === "name" || token?.kind === "number" || token?.kind === "text" || token?.text === "(";
  let at = 0;
  let depth = 0;
  let cut = false;

  const current = (): Token => tokens[at] ?? end;
  const end = tokens[tokens.length - 1] ?? { kind: "end", text: "", start: 0, end: 0 };
  const next = (): Token => {
    const token = current();
    if (token.kind !== "end") at++;
    return token;
  };
  const isNext = (says: string): boolean =>
    current().kind !== "text" && current().kind !== "end" && current().text === says;
  const skip = (says: string): boolean => {
    if (!isNext(says)) return false;
    at++;
    return true;
  };
  const before = (): number => tokens[at - 1]?.end ?? 0;
  const refuse = ({ start, end }: { start: number; end: number }, message: string, hint: string): void => {
    // Reports one problem per position, since further ones there follow from the first.
    if (!problems.some((problem) => problem.start === start)) problems.push({ start, end, message, hint });
  };
  const close = (sign: string): void => {
    if (!skip(sign)) refuse(current(), `A \`${sign}\` is missing here.`, `Add the missing \`${sign}\`.`);
  };

  const expression = (power: number): Syntax => {
    if (depth >= deepest) {
      at = tokens.length - 1;
      cut = true;
      return { kind: "error", start: end.start, end: end.end };
    }
    depth++;
    let left = operand();
    for (let linked = follow(left, power); linked; linked = follow(left, power)) left = linked;
    depth--;
    return left;
  };

  /** Reports a word of another language and reads it as the operator that it means. */
  const readForeignWord = (instead: string, words = 1): Token => {
    const { start } = current();
    const { end } = tokens[at + words - 1] ?? current();
    const says = text.slice(start, end);
    at += words - 1;
    const known = problems.some((problem) => problem.start === start);
    const hint = `Write \`${instead}\`.`;
    if (!known) problems.push({ start, end, message: `\`${says}\` is not a word of this language.`, hint, instead });
    return { kind: "sign", text: instead, start, end };
  };

  const follow = (left: Syntax, power: number, token = current()): Syntax | undefined => {
    const { kind, text: says } = token;
    if (kind === "text" || kind === "end") return undefined;
    if (says === ".") return member(left);
    const small = says.toLowerCase();
    const negated = small === "is" && isWord(tokens[at + 1], "not") ? "is not" : small;
    const sign = kind === "name" && says !== "in" ? (negated === "in" ? "in" : foreign.get(negated)) : undefined;
    if (sign !== undefined) return follow(left, power, readForeignWord(sign, negated === "is not" ? 2 : 1));
    if (says === "?" && choosing > power) return choice(left);
    const binds = powers.get(says);
    if (binds === undefined || binds <= power) return undefined;
    next();
    const right = expression(binds);
    return { kind: "binary", sign: says, left, right, start: left.start, end: right.end };
  };

  const member = (of: Syntax): Syntax => {
    next();
    if (current().kind !== "name") {
      refuse(current(), "A name is missing after the dot.", "Write the name of a field.");
      return { kind: "member", of, name: undefined, start: of.start, end: before() };
    }
    const name = parseName();
    if (!skip("(")) return { kind: "member", of, name, start: of.start, end: name.end };
    const args = [of, ...parseItems(")")];
    return { kind: "call", name, method: true, args, start: of.start, end: before() };
  };

  const choice = (condition: Syntax): Syntax => {
    next();
    const then = expression(choosing);
    if (!skip(":")) refuse(current(), "A `:` is missing here.", "Write `condition ? one : other`.");
    const otherwise = expression(0);
    return { kind: "choice", condition, then, otherwise, start: condition.start, end: otherwise.end };
  };

  const parseName = (): Word => {
    const { text: says, start, end } = next();
    return { text: says, start, end };
  };

  /** Parses expressions separated by commas, up to the closing sign. */
  const parseItems = (sign: string): readonly Syntax[] => {
    const items: Syntax[] = [];
    while (!isNext(sign) && current().kind !== "end") {
      items.push(expression(0));
      if (!skip(",")) break;
    }
    close(sign);
    return items;
  };

  const operand = (): Syntax => {
    const token = current();
    const { start, end, text: says } = token;
    if (token.kind === "number") {
      next();
      return parseNumber(token);
    }
    if (token.kind === "text") {
      next();
      return { kind: "text", text: says, start, end };
    }
    const opening = token.kind === "name" ? openings.get(says.toLowerCase()) : undefined;
    if (opening !== undefined && startsOperand(tokens[at + 1]) && tokens[at + 1]?.text !== "(") {
      refuse(token, `\`${says}\` is not a word of this language.`, opening);
      at = tokens.length - 1;
      return { kind: "error", start, end: start };
    }
    const isNot = isWord(token, "not") && startsOperand(tokens[at + 1]);
    if (isNot) readForeignWord("!");
    if (token.kind === "name" && says !== "in" && !isNot) return word();
    if (says === "-" || says === "!" || isNot) {
      next();
      const operand = expression(prefixed);
      return { kind: "unary", sign: isNot ? "!" : says, operand, start, end: operand.end };
    }
    if (skip("(")) {
      const inner = expression(0);
      if (!isNext(",")) {
        close(")");
        return { ...inner, start, end: before() };
      }
      while (skip(",")) expression(0);
      close(")");
      const instead = text[before() - 1] === ")" ? { instead: `[${text.slice(start + 1, before() - 1)}]` } : {};
      problems.push({
        start,
        end: before(),
        message: "A list needs square brackets.",
        hint: "Write `[one, other]`.",
        ...instead,
      });
      return { kind: "error", start, end: before() };
    }
    if (skip("[")) return { kind: "list", items: parseItems("]"), start, end: before() };
    refuse(token, "A value is missing here.", "Write a field, a value or an expression.");
    return { kind: "error", start, end: start };
  };

  /** A number, or a duration if a unit follows: `14 days`. */
  const parseNumber = ({ text: says, start, end }: Token): Syntax => {
    const unit = current().kind === "name" ? parseUnit(current().text) : undefined;
    if (!unit) {
      if (current().kind === "name" && isNoOperator(current())) {
        const word = next();
        const near = nearUnit(word.text);
        const hint = near === undefined ? `The units are ${unitNames.join(", ")}.` : `Write \`${near}\`.`;
        const message = `\`${word.text}\` is not a unit of time.`;
        problems.push({
          start: word.start,
          end: word.end,
          message,
          hint,
          ...(near === undefined ? {} : { instead: near }),
        });
        return { kind: "error", start, end: word.end };
      }
      return { kind: "number", text: says, start, end };
    }
    const word = next();
    const duration = toDuration(Number(says), unit);
    if (duration) return { kind: "duration", duration, start, end: word.end };
    refuse({ start, end: word.end }, "A duration needs a whole number of units.", "The maximum is 250 years.");
    return { kind: "error", start, end: word.end };
  };

  /** True for a word after a number that is no operator, and so was meant as a unit. */
  const isNoOperator = ({ text: says }: Token): boolean => {
    const small = says.toLowerCase();
    return says !== "in" && small !== "in" && !foreign.has(small) && !phrases.has(small) && !functionNames.has(says);
  };

  const word = (): Syntax => {
    const name = parseName();
    const { text, start, end } = name;
    if (skip("(")) return { kind: "call", name, method: false, args: parseItems(")"), start, end: before() };
    if (text === "true" || text === "false") return { kind: "boolean", value: text === "true", start, end };
    if (text === "null") return { kind: "null", start, end };
    return { kind: "name", name: text, start, end };
  };

  const syntax = expression(0);
  const rest = current();
  if (rest.kind !== "end") {
    // Text right after an unreadable sign is a consequence of that sign.
    const cause = problems.some(({ end }) => end <= rest.start && text.slice(end, rest.start).trim() === "");
    const isFunction = rest.kind === "name" && functionNames.has(rest.text);
    const hint =
      (rest.kind === "name" ? phrases.get(rest.text.toLowerCase()) : undefined) ??
      (isFunction
        ? `Write it with a dot and brackets: \`.${rest.text}(…)\`.`
        : "Join it with an operator, or remove it.");
    if (!cause) refuse(rest, `\`${text.slice(rest.start, rest.end)}\` does not belong here.`, hint);
  }
  // Chains (`a + b + c`) deepen the tree as nesting does.
  if (!cut && nestingDepth(syntax) <= deepest) return { syntax, problems };
  const fullSpan = { start: 0, end: text.length };
  const message = `This expression is nested more than ${deepest} levels deep.`;
  return { syntax: { kind: "error", ...fullSpan }, problems: [{ ...fullSpan, message, hint: nameParts }] };
};
