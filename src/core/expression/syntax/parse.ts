import { onlyNearest } from "../../source-text.ts";
import { functionNames } from "../operations/signature.ts";
import { parseUnit, toDuration, units } from "../values/duration.ts";
import { nestingDepth, type Syntax, type Word } from "./ast.ts";
import { lex, type SyntaxProblem, type Token } from "./lex.ts";
import { TokenCursor } from "./token-cursor.ts";

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
  const { syntax, problems, isCut } = new ExpressionParser(text).parse();
  // Chains (`a + b + c`) deepen the tree as nesting does.
  if (!isCut && (text.length <= deepest || nestingDepth(syntax) <= deepest)) return { syntax, problems };
  const fullSpan = { start: 0, end: text.length };
  const message = `This expression is nested more than ${deepest} levels deep.`;
  return { syntax: { kind: "error", ...fullSpan }, problems: [{ ...fullSpan, message, hint: nameParts }] };
};

const isWord = (token: Token | undefined, word: string): boolean =>
  token?.kind === "name" && token.text.toLowerCase() === word;

const startsOperand = (token: Token | undefined): boolean =>
  token?.kind === "name" || token?.kind === "number" || token?.kind === "text" || token?.text === "(";

/** True for a word after a number that is no operator, and so was meant as a unit. */
const isNoOperator = ({ text: says }: Token): boolean => {
  const small = says.toLowerCase();
  return says !== "in" && small !== "in" && !foreign.has(small) && !phrases.has(small) && !functionNames.has(says);
};

class ExpressionParser {
  readonly #text: string;
  readonly #tokens: TokenCursor;
  readonly #problems: SyntaxProblem[];
  #depth = 0;
  #isCut = false;

  constructor(text: string) {
    const { tokens, problems } = lex(text);
    this.#text = text;
    this.#tokens = new TokenCursor(tokens);
    this.#problems = [...problems];
  }

  /** `isCut`: the text is nested too deep, so that its rest was not read. */
  parse(): ParseResult & { readonly isCut: boolean } {
    const syntax = this.#expression(0);
    this.#refuseRest();
    return { syntax, problems: this.#problems, isCut: this.#isCut };
  }

  #refuseRest(): void {
    const rest = this.#tokens.current;
    if (rest.kind === "end") return;
    // Text right after an unreadable sign is a consequence of that sign.
    if (this.#problems.some(({ end }) => end <= rest.start && this.#text.slice(end, rest.start).trim() === "")) return;
    const isFunction = rest.kind === "name" && functionNames.has(rest.text);
    const hint =
      (rest.kind === "name" ? phrases.get(rest.text.toLowerCase()) : undefined) ??
      (isFunction
        ? `Write it with a dot and brackets: \`.${rest.text}(…)\`.`
        : "Join it with an operator, or remove it.");
    this.#refuse(rest, `\`${this.#text.slice(rest.start, rest.end)}\` does not belong here.`, hint);
  }

  /** Reports one problem per position, since further ones there follow from the first. */
  #refuse({ start, end }: { start: number; end: number }, message: string, hint: string): void {
    if (!this.#problems.some((problem) => problem.start === start)) this.#problems.push({ start, end, message, hint });
  }

  #close(sign: string): void {
    if (!this.#tokens.skip(sign))
      this.#refuse(this.#tokens.current, `A \`${sign}\` is missing here.`, `Add the missing \`${sign}\`.`);
  }

  #expression(power: number): Syntax {
    if (this.#depth >= deepest) {
      const { start, end } = this.#tokens.skipToEnd();
      this.#isCut = true;
      return { kind: "error", start, end };
    }
    this.#depth++;
    let left = this.#operand();
    for (let linked = this.#follow(left, power); linked; linked = this.#follow(left, power)) left = linked;
    this.#depth--;
    return left;
  }

  /** Reports a word of another language and reads it as the operator that it means. */
  #readForeignWord(instead: string, words = 1): Token {
    const { start } = this.#tokens.current;
    const { end } = this.#tokens.peek(words - 1) ?? this.#tokens.current;
    const says = this.#text.slice(start, end);
    this.#tokens.advance(words - 1);
    const known = this.#problems.some((problem) => problem.start === start);
    const hint = `Write \`${instead}\`.`;
    if (!known)
      this.#problems.push({ start, end, message: `\`${says}\` is not a word of this language.`, hint, instead });
    return { kind: "sign", text: instead, start, end };
  }

  #follow(left: Syntax, power: number, token = this.#tokens.current): Syntax | undefined {
    const { kind, text: says } = token;
    if (kind === "text" || kind === "end") return undefined;
    if (says === ".") return this.#member(left);
    const small = says.toLowerCase();
    const negated = small === "is" && isWord(this.#tokens.peek(), "not") ? "is not" : small;
    const sign = kind === "name" && says !== "in" ? (negated === "in" ? "in" : foreign.get(negated)) : undefined;
    if (sign !== undefined) return this.#follow(left, power, this.#readForeignWord(sign, negated === "is not" ? 2 : 1));
    if (says === "?" && choosing > power) return this.#choice(left);
    const binds = powers.get(says);
    if (binds === undefined || binds <= power) return undefined;
    this.#tokens.next();
    const right = this.#expression(binds);
    return { kind: "binary", sign: says, left, right, start: left.start, end: right.end };
  }

  #member(of: Syntax): Syntax {
    this.#tokens.next();
    if (this.#tokens.current.kind !== "name") {
      this.#refuse(this.#tokens.current, "A name is missing after the dot.", "Write the name of a field.");
      return { kind: "member", of, name: undefined, start: of.start, end: this.#tokens.before };
    }
    const name = this.#parseName();
    if (!this.#tokens.skip("(")) return { kind: "member", of, name, start: of.start, end: name.end };
    const args = [of, ...this.#parseItems(")")];
    return { kind: "call", name, method: true, args, start: of.start, end: this.#tokens.before };
  }

  #choice(condition: Syntax): Syntax {
    this.#tokens.next();
    const then = this.#expression(choosing);
    if (!this.#tokens.skip(":"))
      this.#refuse(this.#tokens.current, "A `:` is missing here.", "Write `condition ? one : other`.");
    const otherwise = this.#expression(0);
    return { kind: "choice", condition, then, otherwise, start: condition.start, end: otherwise.end };
  }

  #parseName(): Word {
    const { text: says, start, end } = this.#tokens.next();
    return { text: says, start, end };
  }

  /** Parses expressions separated by commas, up to the closing sign. */
  #parseItems(sign: string): readonly Syntax[] {
    const items: Syntax[] = [];
    while (!this.#tokens.isNext(sign) && this.#tokens.current.kind !== "end") {
      items.push(this.#expression(0));
      if (!this.#tokens.skip(",")) break;
    }
    this.#close(sign);
    return items;
  }

  #operand(): Syntax {
    const token = this.#tokens.current;
    const { start, end, text: says } = token;
    if (token.kind === "number") {
      this.#tokens.next();
      return this.#parseNumber(token);
    }
    if (token.kind === "text") {
      this.#tokens.next();
      return { kind: "text", text: says, start, end };
    }
    const opening = token.kind === "name" ? openings.get(says.toLowerCase()) : undefined;
    if (opening !== undefined && startsOperand(this.#tokens.peek()) && this.#tokens.peek()?.text !== "(") {
      this.#refuse(token, `\`${says}\` is not a word of this language.`, opening);
      this.#tokens.skipToEnd();
      return { kind: "error", start, end: start };
    }
    const isNot = isWord(token, "not") && startsOperand(this.#tokens.peek());
    if (isNot) this.#readForeignWord("!");
    if (token.kind === "name" && (says !== "in" || this.#isInHyphens(token)) && !isNot) return this.#word();
    if (says === "-" || says === "!" || isNot) {
      this.#tokens.next();
      const operand = this.#expression(prefixed);
      return { kind: "unary", sign: isNot ? "!" : says, operand, start, end: operand.end };
    }
    if (this.#tokens.skip("(")) return this.#brackets(start);
    if (this.#tokens.skip("[")) return { kind: "list", items: this.#parseItems("]"), start, end: this.#tokens.before };
    this.#refuse(token, "A value is missing here.", "Write a field, a value or an expression.");
    return { kind: "error", start, end: start };
  }

  /** True for the `in` of a value such as `in-progress` or `opt-in`. */
  #isInHyphens({ start, end }: Token): boolean {
    const around = [this.#text.slice(Math.max(0, start - 2), start), this.#text.slice(end, end + 2)];
    return around.some((part) => /^(?:\w-|-\w)$/u.test(part));
  }

  /** An expression in brackets. With commas, it was meant as a list. */
  #brackets(start: number): Syntax {
    const inner = this.#expression(0);
    if (!this.#tokens.isNext(",")) {
      this.#close(")");
      return { ...inner, start, end: this.#tokens.before };
    }
    while (this.#tokens.skip(",")) this.#expression(0);
    this.#close(")");
    const end = this.#tokens.before;
    this.#problems.push({
      start,
      end,
      message: "A list needs square brackets.",
      hint: "Write `[one, other]`.",
      ...(this.#text[end - 1] === ")" ? { instead: `[${this.#text.slice(start + 1, end - 1)}]` } : {}),
    });
    return { kind: "error", start, end };
  }

  /** A number, or a duration if a unit follows: `14 days`. */
  #parseNumber({ text: says, start, end }: Token): Syntax {
    const unit = this.#tokens.current.kind === "name" ? parseUnit(this.#tokens.current.text) : undefined;
    if (!unit) {
      if (this.#tokens.current.kind === "name" && isNoOperator(this.#tokens.current)) {
        const word = this.#tokens.next();
        const near = word.text.startsWith("_") ? undefined : nearUnit(word.text);
        if (word.start === end && near === undefined) return this.#valueInQuotes(`${says}${word.text}`, start);
        const isCurrency = /^[A-Z]{3}$/u.test(word.text);
        const hint = isCurrency
          ? `Write \`${says}\` alone, or use a constant of point 9 such as “limit: ${says} ${word.text}”.`
          : near === undefined
            ? `The units are ${unitNames.join(", ")}.`
            : `Write \`${near}\`.`;
        const message = isCurrency
          ? `An amount in an expression has no currency: \`${word.text}\` is not possible here.`
          : `\`${word.text}\` is not a unit of time.`;
        this.#problems.push({
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
    const word = this.#tokens.next();
    const duration = toDuration(Number(says), unit);
    if (duration) return { kind: "duration", duration, start, end: word.end };
    this.#refuse({ start, end: word.end }, "A duration needs a whole number of units.", "The maximum is 250 years.");
    return { kind: "error", start, end: word.end };
  }

  /** A value of a choice that begins with a digit, such as `4x4`, without the quotes that it needs. */
  #valueInQuotes(text: string, start: number): Syntax {
    const end = start + text.length;
    const message = `“${text}” begins with a digit, so it is not a name in an expression.`;
    this.#problems.push({ start, end, message, hint: `Write it in quotes: \`'${text}'\`.`, instead: `'${text}'` });
    return { kind: "text", text, start, end };
  }

  #word(): Syntax {
    const name = this.#parseName();
    const { text, start, end } = name;
    if (this.#tokens.skip("("))
      return { kind: "call", name, method: false, args: this.#parseItems(")"), start, end: this.#tokens.before };
    if (text === "true" || text === "false") return { kind: "boolean", value: text === "true", start, end };
    if (text === "null") return { kind: "null", start, end };
    return { kind: "name", name: text, start, end };
  }
}
