import { durationOf, unitOf } from "./duration.ts";
import { lex, type Problem, type Token } from "./lex.ts";
import { functionNames } from "./signature.ts";
import { heightOf, type Syntax, type Word } from "./syntax.ts";

/** How strongly the operators between two operands bind; all bind to the left. */
const powers: ReadonlyMap<string, number> = new Map([
  ["||", 2],
  ["&&", 3],
  ...["==", "!=", "<", "<=", ">", ">=", "in"].map((sign) => [sign, 4] as const),
  ...["+", "-"].map((sign) => [sign, 5] as const),
  ...["*", "/"].map((sign) => [sign, 6] as const),
]);
const choosing = 1;
const prefixed = 7;

/** Longer or deeper expressions than these are refused, so that reading one is always quick. */
export const longestText = 10_000;
export const deepest = 64;

const nameParts = "Name its parts with `with:`.";

/** What people who know another language write first. */
const foreign: ReadonlyMap<string, string> = new Map([
  ["and", "&&"],
  ["or", "||"],
  ["is", "=="],
]);

/** What a text says as an expression, and what of it cannot be read. */
export interface Parsed {
  readonly syntax: Syntax;
  readonly problems: readonly Problem[];
}

/**
 * Texts that were parsed before. Documents say the same in many places (`author == user`), and an editor asks for all of
 * a document again after each change of one line.
 */
const known = new Map<string, Parsed>();
const MOST_KNOWN = 20_000;
const LONGEST_KNOWN = 500;

/**
 * Reads an expression (Pratt, "Top down operator precedence", 1973). It always answers a tree: `total >` gives a
 * comparison whose right side is an error, and one problem.
 */
export const parse = (text: string): Parsed => {
  const before = known.get(text);
  if (before !== undefined) return before;
  const parsed = parsedAnew(text);
  if (known.size >= MOST_KNOWN) known.clear();
  if (text.length <= LONGEST_KNOWN) known.set(text, parsed);
  return parsed;
};

const parsedAnew = (text: string): Parsed => {
  if (text.length > longestText) {
    const message = `This expression is longer than ${longestText} characters.`;
    const problem = { start: 0, end: text.length, message, hint: nameParts };
    return { syntax: { kind: "error", start: 0, end: text.length }, problems: [problem] };
  }
  const { tokens, problems: unread } = lex(text);
  const problems: Problem[] = [...unread];
  const startsOperand = (token: Token | undefined): boolean =>
    token?.kind === "name" || token?.kind === "number" || token?.kind === "text" || token?.says === "(";
  let at = 0;
  let depth = 0;
  let cut = false;

  const here = (): Token => tokens[at] ?? end;
  const end = tokens[tokens.length - 1] ?? { kind: "end", says: "", start: 0, end: 0 };
  const next = (): Token => {
    const token = here();
    if (token.kind !== "end") at++;
    return token;
  };
  const stands = (says: string): boolean => here().kind !== "text" && here().kind !== "end" && here().says === says;
  const takes = (says: string): boolean => {
    if (!stands(says)) return false;
    at++;
    return true;
  };
  const before = (): number => tokens[at - 1]?.end ?? 0;
  const refuse = ({ start, end }: { start: number; end: number }, message: string, hint: string): void => {
    // One mistake gives one finding: what follows from it stands at the same place.
    if (!problems.some((problem) => problem.start === start)) problems.push({ start, end, message, hint });
  };
  const close = (sign: string): void => {
    if (!takes(sign)) refuse(here(), `A \`${sign}\` is missing here.`, `Close what was opened with \`${sign}\`.`);
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

  /** A word that people who know another language write is read as the sign that it means. */
  const meant = (instead: string): Token => {
    const { start, end, says } = here();
    const known = problems.some((problem) => problem.start === start);
    const hint = `Write \`${instead}\`.`;
    if (!known) problems.push({ start, end, message: `\`${says}\` is no word of this language.`, hint, instead });
    return { kind: "sign", says: instead, start, end };
  };

  const follow = (left: Syntax, power: number, token = here()): Syntax | undefined => {
    const { kind, says } = token;
    if (kind === "text" || kind === "end") return undefined;
    if (says === ".") return member(left);
    if (kind === "name" && foreign.has(says)) return follow(left, power, meant(foreign.get(says) ?? says));
    if (says === "?" && choosing > power) return choice(left);
    const binds = powers.get(says);
    if (binds === undefined || binds <= power) return undefined;
    next();
    const right = expression(binds);
    return { kind: "binary", sign: says, left, right, start: left.start, end: right.end };
  };

  const member = (of: Syntax): Syntax => {
    next();
    if (here().kind !== "name") {
      refuse(here(), "A name is missing after the dot.", "Write the name of a field.");
      return { kind: "member", of, name: undefined, start: of.start, end: before() };
    }
    const name = named();
    if (!takes("(")) return { kind: "member", of, name, start: of.start, end: name.end };
    const args = [of, ...listed(")")];
    return { kind: "call", name, method: true, args, start: of.start, end: before() };
  };

  const choice = (condition: Syntax): Syntax => {
    next();
    const then = expression(choosing);
    if (!takes(":")) refuse(here(), "A `:` is missing here.", "Write `condition ? one : other`.");
    const otherwise = expression(0);
    return { kind: "choice", condition, then, otherwise, start: condition.start, end: otherwise.end };
  };

  const named = (): Word => {
    const { says, start, end } = next();
    return { text: says, start, end };
  };

  /** Expressions with commas between them, up to the sign that closes. */
  const listed = (sign: string): readonly Syntax[] => {
    const items: Syntax[] = [];
    while (!stands(sign) && here().kind !== "end") {
      items.push(expression(0));
      if (!takes(",")) break;
    }
    close(sign);
    return items;
  };

  const operand = (): Syntax => {
    const token = here();
    const { start, end, says } = token;
    if (token.kind === "number") {
      next();
      return counted(token);
    }
    if (token.kind === "text") {
      next();
      return { kind: "text", text: says, start, end };
    }
    const isNot = token.kind === "name" && says === "not" && startsOperand(tokens[at + 1]);
    if (isNot) meant("!");
    if (token.kind === "name" && says !== "in" && !isNot) return word();
    if (says === "-" || says === "!" || isNot) {
      next();
      const operand = expression(prefixed);
      return { kind: "unary", sign: isNot ? "!" : says, operand, start, end: operand.end };
    }
    if (takes("(")) {
      const inner = expression(0);
      close(")");
      return { ...inner, start, end: before() };
    }
    if (takes("[")) return { kind: "list", items: listed("]"), start, end: before() };
    refuse(token, "A value is missing here.", "Write a field, a value or an expression.");
    return { kind: "error", start, end: start };
  };

  /** A number, or a duration when a unit follows: `14 days`. */
  const counted = ({ says, start, end }: Token): Syntax => {
    const unit = here().kind === "name" ? unitOf(here().says) : undefined;
    if (!unit) return { kind: "number", text: says, start, end };
    const word = next();
    const duration = durationOf(Number(says), unit);
    if (duration) return { kind: "duration", duration, start, end: word.end };
    refuse({ start, end: word.end }, "A duration is a whole number of units.", "The longest is 250 years.");
    return { kind: "error", start, end: word.end };
  };

  const word = (): Syntax => {
    const name = named();
    const { text, start, end } = name;
    if (takes("(")) return { kind: "call", name, method: false, args: listed(")"), start, end: before() };
    if (text === "true" || text === "false") return { kind: "boolean", value: text === "true", start, end };
    if (text === "null") return { kind: "null", start, end };
    return { kind: "name", name: text, start, end };
  };

  const syntax = expression(0);
  const rest = here();
  if (rest.kind !== "end") {
    // What follows a sign that is none stands there because of it.
    const cause = problems.some(({ end }) => end <= rest.start && text.slice(end, rest.start).trim() === "");
    const isFunction = rest.kind === "name" && functionNames.has(rest.says);
    const hint = isFunction
      ? `Write it with a dot and brackets: \`.${rest.says}(…)\`.`
      : "Join it with an operator, or take it out.";
    if (!cause) refuse(rest, `\`${text.slice(rest.start, rest.end)}\` does not belong here.`, hint);
  }
  // Chains (`a + b + c`) grow the tree as nesting does.
  if (!cut && heightOf(syntax) <= deepest) return { syntax, problems };
  const whole = { start: 0, end: text.length };
  const message = `This expression is nested deeper than ${deepest}.`;
  return { syntax: { kind: "error", ...whole }, problems: [{ ...whole, message, hint: nameParts }] };
};
