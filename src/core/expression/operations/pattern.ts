import { memoizeByKey } from "../../util/memoize.ts";

/**
 * Regular expressions in a dialect that JavaScript and Postgres interpret equally and that runs in linear time:
 * characters, `.` for everything except line ends, classes (`[a-z]`, `[^0-9]`, and ASCII `\d` `\w` `\s`), groups, `|`,
 * the quantifiers `*` `+` `?` `{2,5}`, and the anchors `^` `$` for the ends of the text. There are no lookarounds and
 * no backreferences. A pattern may match anywhere in the text.
 */
type Node =
  | { readonly kind: "one"; readonly not: boolean; readonly ranges: readonly Range[] }
  | { readonly kind: "start" | "end" }
  | { readonly kind: "sequence" | "choice"; readonly of: readonly Node[] }
  | { readonly kind: "times"; readonly of: Node; readonly least: number; readonly most: number };

/** A range of code points, inclusive. */
type Range = readonly [first: number, last: number];

/** Describes the mistake in a pattern in a sentence; undefined for a valid pattern. */
export const patternProblem = (pattern: string): string | undefined => {
  const read = readPattern(pattern);
  return "problem" in read ? read.problem : undefined;
};

/** Compiles the pattern to a function. An invalid pattern matches nothing. */
export const matcher = memoizeByKey((pattern): ((text: string) => boolean) => {
  const read = readPattern(pattern);
  return "problem" in read ? () => false : (text) => runAutomaton(read.start, text);
});

/** The pattern for Postgres's `~`. Every character that could be special is escaped by code point. */
export const postgresPattern = (pattern: string): string => {
  const read = readPattern(pattern);
  return "problem" in read ? "(?!)" : toPostgres(read.node);
};

// --- Parsing

const readPattern = (
  pattern: string,
): { readonly node: Node; readonly start: State } | { readonly problem: string } => {
  try {
    const node = parsePattern(pattern);
    return { node, start: buildAutomaton(node) };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: error.message };
    throw error;
  }
};

const refuse = (problem: string): never => {
  throw new SyntaxError(problem);
};

const classes: Readonly<Record<string, readonly Range[]>> = {
  d: [[48, 57]],
  w: [
    [48, 57],
    [65, 90],
    [95, 95],
    [97, 122],
  ],
  s: [
    [9, 13],
    [32, 32],
  ],
};
const controls: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
const deepest = 32;

const parsePattern = (pattern: string): Node => {
  const letters = [...pattern];
  let at = 0;
  let depth = 0;
  const takes = (letter: string): boolean => {
    if (letters[at] !== letter) return false;
    at++;
    return true;
  };

  const choice = (): Node => {
    depth++;
    if (depth > deepest) refuse("A pattern can’t be nested more than 32 levels deep.");
    const of = [sequence()];
    while (takes("|")) of.push(sequence());
    depth--;
    return { kind: "choice", of };
  };

  const sequence = (): Node => {
    const of: Node[] = [];
    while (at < letters.length && letters[at] !== "|" && letters[at] !== ")") of.push(parseQuantifier(atom()));
    return { kind: "sequence", of };
  };

  const atom = (): Node => {
    const letter = letters[at++] ?? "";
    if (letter === "(") {
      if (takes("?") && !takes(":")) refuse("A group begins with `(` or `(?:`. Look-around is not supported.");
      const inner = choice();
      return takes(")") ? inner : refuse("A group is never closed.");
    }
    if (letter === "[") return parseClass();
    if (letter === ".") return { kind: "one", not: true, ranges: [[10, 10]] };
    if (letter === "^" || letter === "$") return { kind: letter === "^" ? "start" : "end" };
    if ("*+?{".includes(letter)) return refuse(`\`${letter}\` has nothing to repeat.`);
    if (letter !== "\\") return { kind: "one", not: false, ranges: [single(letter)] };
    return { kind: "one", not: false, ranges: parseEscape() };
  };

  /** The escape sequence after a backslash. */
  const parseEscape = (): readonly Range[] => {
    const letter = letters[at++] ?? "";
    const ranges = classes[letter];
    if (ranges) return ranges;
    const control = controls[letter];
    if (control) return [single(control)];
    return /[\p{L}\p{N}]/u.test(letter) || letter === ""
      ? refuse(`\`\\${letter}\` is not supported in patterns.`)
      : [single(letter)];
  };

  const parseClass = (): Node => {
    const not = takes("^");
    const ranges: Range[] = [];
    while (!takes("]")) {
      const letter = letters[at++] ?? refuse("A class is never closed.");
      if (letter === "[") refuse("Write `\\[` for a bracket inside a class.");
      const first = letter === "\\" ? parseEscape() : [single(letter)];
      const [from] = first;
      if (first.length !== 1 || from === undefined || letters[at] !== "-" || letters[at + 1] === "]") {
        ranges.push(...first);
        continue;
      }
      at++;
      const end = letters[at++] ?? refuse("A class is never closed.");
      const [to] = end === "\\" ? parseEscape() : [single(end)];
      if (to === undefined || to[0] < from[0]) return refuse("A range in a class must go upwards.");
      ranges.push([from[0], to[1]]);
    }
    if (ranges.length === 0) refuse("A class needs at least one character.");
    return { kind: "one", not, ranges };
  };

  const parseQuantifier = (of: Node): Node => {
    const count = parseCounts();
    if (count === undefined) return of;
    if (of.kind === "start" || of.kind === "end") refuse("`^` and `$` can’t be repeated.");
    if ("*+?{".includes(letters[at] ?? " ")) refuse("There are two counts in a row.");
    const [least, most] = count;
    if (most < least || (most !== Number.POSITIVE_INFINITY && most > 255) || least > 255)
      refuse("A count can be at most 255 and must go upwards.");
    return { kind: "times", of, least, most };
  };

  const parseCounts = (): Range | undefined => {
    if (takes("*")) return [0, Number.POSITIVE_INFINITY];
    if (takes("+")) return [1, Number.POSITIVE_INFINITY];
    if (takes("?")) return [0, 1];
    if (!takes("{")) return undefined;
    const close = letters.indexOf("}", at);
    const [, least, comma, most] = /^(\d{1,3})(,?)(\d{0,3})$/u.exec(letters.slice(at, close).join("")) ?? [];
    if (close < 0 || least === undefined) return refuse("A count is written {2}, {2,} or {2,5}.");
    at = close + 1;
    const upper = most === "" ? Number.POSITIVE_INFINITY : Number(most);
    return [Number(least), comma === "" ? Number(least) : upper];
  };

  const node = choice();
  return at < letters.length ? refuse("A `)` closes nothing.") : node;
};

const single = (letter: string): Range => {
  const point = letter.codePointAt(0) ?? 0;
  return [point, point];
};

// --- Postgres

const toPostgres = (node: Node): string => {
  switch (node.kind) {
    case "one":
      return `[${node.not ? "^" : ""}${node.ranges.map(rangeToPostgres).join("")}]`;
    case "start":
      return "^";
    case "end":
      return "$";
    case "sequence":
      return node.of.map(toPostgres).join("");
    case "choice":
      return `(?:${node.of.map(toPostgres).join("|")})`;
    case "times":
      return `${toPostgres(node.of)}{${node.least},${node.most === Number.POSITIVE_INFINITY ? "" : node.most}}`;
  }
};

const rangeToPostgres = ([first, last]: Range): string =>
  first === last ? characterToPostgres(first) : `${characterToPostgres(first)}-${characterToPostgres(last)}`;

const characterToPostgres = (code: number): string => {
  const letter = String.fromCodePoint(code);
  return /[A-Za-z0-9]/u.test(letter) ? letter : `\\U${code.toString(16).padStart(8, "0")}`;
};

// --- JavaScript

/**
 * A state of the automaton. All states advance together through the text, so matching takes linear time (Ken Thompson,
 * "Regular expression search algorithm", 1968).
 */
interface State {
  readonly one?: Node & { kind: "one" };
  readonly only?: "start" | "end";
  next: readonly State[];
}

/** Quantifiers with counts are expanded, so the limit covers the expanded pattern. */
const mostStates = 1_000;

const buildAutomaton = (node: Node): State => {
  let states = 0;
  const state = (state: State): State => {
    states++;
    return states > mostStates ? refuse("This pattern is too complex.") : state;
  };
  const before = (node: Node, next: State): State => {
    switch (node.kind) {
      case "one":
        return state({ one: node, next: [next] });
      case "start":
      case "end":
        return state({ only: node.kind, next: [next] });
      case "sequence":
        return node.of.reduceRight((after, part) => before(part, after), next);
      case "choice":
        return state({ next: node.of.map((part) => before(part, next)) });
      case "times":
        return repeat(node, next);
    }
  };
  const repeat = ({ of, least, most }: Node & { kind: "times" }, next: State): State => {
    let start = next;
    if (most === Number.POSITIVE_INFINITY) {
      start = state({ next: [] });
      start.next = [before(of, start), next];
    } else for (let i = least; i < most; i++) start = state({ next: [before(of, start), next] });
    for (let i = 0; i < least; i++) start = before(of, start);
    return start;
  };
  return before(node, accepting);
};

const accepting: State = { next: [] };

const runAutomaton = (start: State, text: string): boolean => {
  const letters = [...text];
  let states = new Set<State>();
  for (let at = 0; at <= letters.length; at++) {
    const addState = (state: State): void => {
      if (states.has(state) || (state.only === "start" && at > 0)) return;
      if (state.only === "end" && at < letters.length) return;
      states.add(state);
      if (!state.one) for (const next of state.next) addState(next);
    };
    const from = states;
    states = new Set();
    const code = letters[at - 1]?.codePointAt(0);
    for (const { one, next } of from) if (one && code !== undefined && accepts(one, code)) next.forEach(addState);
    addState(start);
    if (states.has(accepting)) return true;
  }
  return false;
};

const accepts = ({ not, ranges }: Node & { kind: "one" }, code: number): boolean =>
  ranges.some(([first, last]) => code >= first && code <= last) !== not;
