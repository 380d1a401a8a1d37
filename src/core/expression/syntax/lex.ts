/** A token of an expression. Offsets count UTF-16 code units from its start. */
export interface Token {
  readonly kind: "number" | "text" | "name" | "sign" | "end";
  /** The token's text; string literals without quotes and escapes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A syntax error. */
export interface SyntaxProblem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint: string;
  /** The intended token, if that is certain. Parsing continues with it. */
  readonly instead?: string;
}

const word = new RegExp(
  [
    /(?<blank>\s+)/,
    /(?<number>\d+(?:\.\d+)?)/,
    /(?<name>[\p{L}_][\p{L}\p{N}_]*)/u,
    /(?<arrow>(?<=[(,]\s*[\p{L}_][\p{L}\p{N}_]*\s*)=>)/u,
    /(?<lacking>\?\?|\?\.|\*\*|%|;\s*$)/,
    /(?<curly>[‘’“”„](?<inner>[^‘’“”„"']*)[‘’“”]|`(?<ticked>[^`"']*)`)/u,
    /(?<foreign>===|!==|<>|=>|=<|≠|≤|≥|=(?!=)|&(?!&)|\|(?!\|))/,
    /(?<sign>&&|\|\||[<>=!]=|[-+*/<>!?:()[\],.])/,
    /(?<text>(?<quote>["'])(?:\\.|(?!\k<quote>)[^\\])*(?<close>\k<quote>|$))/,
    /(?<strange>.)/,
  ]
    .map((pattern) => pattern.source)
    .join("|"),
  "gsu",
);

/** Tokens that can be nothing else, after blanks. Nearly all tokens are; the groups of `word` cost an object for each. */
const plainWord =
  /\s*(?:(\d+(?:\.\d+)?)|([\p{L}_][\p{L}\p{N}_]*)|(&&|\|\||==(?!=)|!=(?!=)|[<>]=|<(?!>)|>|!(?!=)|[-+/:()[\],.]))/uy;

/** Common operators of other languages, with ours. */
const foreign: Readonly<Record<string, string>> = {
  "=": "==",
  "===": "==",
  "!==": "!=",
  "<>": "!=",
  "≠": "!=",
  "=>": ">=",
  "=<": "<=",
  "≤": "<=",
  "≥": ">=",
  "&": "&&",
  "|": "||",
};

/** Operators of other languages without a counterpart here, with advice. */
const lacking: Readonly<Record<string, string>> = {
  "??": "Write `a == null ? other : a`.",
  "?.": "Write only `.`: the result is missing if a step is missing.",
  "**": "Write a product: `a * a`.",
  "%": "There is no remainder operator. Compare with whole numbers, or divide with `/`.",
};

/**
 * Splits an expression into tokens; the last has the kind `end`. Anything else is reported as a problem and skipped.
 */
export const lex = (
  text: string,
): { readonly tokens: readonly Token[]; readonly problems: readonly SyntaxProblem[] } => {
  const tokens: Token[] = [];
  const problems: SyntaxProblem[] = [];
  for (let at = 0; at < text.length; ) {
    plainWord.lastIndex = at;
    const plain = plainWord.exec(text);
    if (plain !== null) {
      // Not destructured, because that calls the iterator of the array for each token.
      const number = plain[1];
      const name = plain[2];
      const token = number ?? name ?? plain[3] ?? "";
      at = plainWord.lastIndex;
      const kind = number !== undefined ? "number" : name !== undefined ? "name" : "sign";
      tokens.push({ kind, text: token, start: at - token.length, end: at });
      continue;
    }
    word.lastIndex = at;
    const match = word.exec(text);
    if (match === null) break;
    const start = match.index;
    const end = start + match[0].length;
    at = end;
    const { blank, foreign: other, strange, number, name, sign, close = "" } = match.groups ?? {};
    if (blank !== undefined) continue;
    const { arrow, lacking: absent, curly, inner, ticked } = match.groups ?? {};
    if (arrow !== undefined) {
      const message = "`=>` is not an operator of this language.";
      problems.push({ start, end, message, hint: "Write a comma after the name: `.exists(r, …)`.", instead: "," });
      tokens.push({ kind: "sign", text: ",", start, end });
      continue;
    }
    if (absent !== undefined) {
      const sign = absent.trim();
      problems.push({
        start,
        end: start + sign.length,
        message: `\`${sign}\` is not an operator of this language.`,
        hint: lacking[sign] ?? "Remove it.",
        ...(sign === ";" ? { instead: "" } : sign === "?." ? { instead: "." } : {}),
      });
      // Continues as if there were a binary operator that accepts any type.
      if (sign !== ";") tokens.push({ kind: "sign", text: sign === "?." ? "." : "*", start, end });
      continue;
    }
    if (curly !== undefined) {
      const says = inner ?? ticked ?? "";
      const isName = ticked !== undefined && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(ticked);
      const instead = isName ? says : `'${says}'`;
      const message = isName
        ? "Write names without quotes."
        : `\`${curly[0]}\` is not a quotation mark of this language.`;
      problems.push({ start, end, message, hint: `Write \`${instead}\`.`, instead });
      tokens.push(isName ? { kind: "name", text: says, start, end } : { kind: "text", text: says, start, end });
      continue;
    }
    if (other !== undefined) {
      const instead = foreign[other] ?? other;
      const message = `\`${other}\` is not an operator of this language.`;
      problems.push({ start, end, message, hint: `Write \`${instead}\`.`, instead });
      tokens.push({ kind: "sign", text: instead, start, end });
      continue;
    }
    if (strange !== undefined) {
      const hint = /[`‘’“”„]/u.test(strange) ? "Write text in '…' or \"…\"." : "Remove it.";
      problems.push({ start, end, message: `\`${strange}\` is not allowed in expressions.`, hint });
    } else if (number !== undefined) tokens.push({ kind: "number", text: number, start, end });
    else if (name !== undefined) tokens.push({ kind: "name", text: name, start, end });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign, start, end });
    else tokens.push({ kind: "text", text: unquote(match[0], close, start, problems), start, end });
  }
  tokens.push({ kind: "end", text: "", start: text.length, end: text.length });
  return { tokens, problems };
};

const escapes = /\\(?:u\{(?<code>[0-9a-fA-F]{1,6})\}|(?<one>.))/gsu;
const escaped: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\\": "\\", "'": "'", '"': '"' };

/** Characters that Postgres cannot store: NUL and unpaired surrogates. */
const unstorable = /[\0\p{Cs}]/gu;

const unquote = (literal: string, close: string, start: number, problems: SyntaxProblem[]): string => {
  const refuse = (message: string, hint: string) =>
    problems.push({ start, end: start + literal.length, message, hint });
  const says = literal.slice(1, literal.length - close.length).replace(escapes, (all, code?: string, item?: string) => {
    // Keeps any other backslash, so that patterns need no double escapes: '\\d+'.
    if (item !== undefined) return escaped[item] ?? all;
    const point = Number.parseInt(code ?? "", 16);
    if (point <= 0x10ffff) return String.fromCodePoint(point);
    refuse(`\`${all}\` is not a character.`, "The last character is \\u{10FFFF}.");
    return "";
  });
  if (close === "") refuse("This text has no closing quote.", `Close it with ${literal[0]}.`);
  else if (says === "") refuse("A text can’t be empty.", "Write `null` for a missing value.");
  if (says.search(unstorable) >= 0) refuse("This text contains a character that can’t be stored.", "Remove it.");
  return says.replace(unstorable, "");
};
