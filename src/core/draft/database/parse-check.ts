/** A part of a check that the language can say. */
export type CheckPart =
  /** A bound of a number or a date: `price >= 0`. */
  | { readonly kind: "bound"; readonly column: string; readonly operator: CheckOperator; readonly value: string }
  /** A bound of the number of characters. */
  | { readonly kind: "length"; readonly column: string; readonly operator: CheckOperator; readonly value: number }
  /** The values that a text can have. */
  | { readonly kind: "values"; readonly column: string; readonly values: readonly string[] }
  /** Two columns compared. */
  | { readonly kind: "columns"; readonly left: string; readonly operator: CheckOperator; readonly right: string };

export type CheckOperator = "<" | "<=" | ">" | ">=" | "=" | "<>";

const identifier = /"(?:[^"]|"")+"|[a-z_][\w$]*/u.source;
const cast = /(?:::[a-z][\w ]*(?:\(\d+(?:,\d+)?\))?(?:\[\])?)/u.source;
const column = `\\(?(${identifier})\\)?${cast}*`;
const literal = `\\(?'?(-?\\d+(?:\\.\\d+)?|\\d{4}-\\d{2}-\\d{2})'?\\)?${cast}*`;
const comparison = "(<=|>=|<>|<|>|=)";

const bound = new RegExp(`^${column} ${comparison} ${literal}$`, "u");
const length = new RegExp(`^(?:char_length|character_length|length)\\(${column}\\) ${comparison} (\\d+)$`, "u");
const pair = new RegExp(`^${column} ${comparison} ${column}$`, "u");
/** The values of a text are those of `upper(code)`, too: choices are found without regard to capitals. */
const cased = `(?:(?:upper|lower)\\()?${column}(?:\\)${cast}*)?`;
const anyOf = new RegExp(`^${cased} = ANY \\(\\(?ARRAY\\[(.*?)\\]\\)?${cast}*\\)$`, "su");
const isOne = new RegExp(`^${cased} = ('(?:[^']|'')*')${cast}*$`, "su");
const isMissing = new RegExp(`^${column} IS NULL$`, "u");

const toName = (text: string): string => (text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text);

/** Splits a text where a word stands outside of quotes and brackets. */
const splitOutside = (text: string, separator: string): readonly string[] => {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
    } else if (character === "'" || character === '"') quote = character;
    else if (character === "(" || character === "[") depth++;
    else if (character === ")" || character === "]") depth--;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(from, at));
      from = at + separator.length;
    }
  }
  return [...parts, text.slice(from)].map((part) => part.trim());
};

/** Takes away brackets around the whole text. */
const withoutBrackets = (text: string): string => {
  const inner = text.trim();
  if (!inner.startsWith("(") || !inner.endsWith(")")) return inner;
  let depth = 0;
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] === "(") depth++;
    else if (inner[at] === ")") depth--;
    if (depth === 0 && at < inner.length - 1) return inner;
  }
  return withoutBrackets(inner.slice(1, -1));
};

const toText = (sql: string): string | undefined => {
  const [, quoted] = new RegExp(`^\\(?'((?:[^']|'')*)'\\)?${cast}*$`, "su").exec(sql) ?? [];
  return quoted?.replaceAll("''", "'");
};

const parsePart = (sql: string): CheckPart | undefined => {
  const [, list, items = ""] = anyOf.exec(sql) ?? [];
  if (list !== undefined) {
    const values = splitOutside(items, ",").map(toText);
    const texts = values.filter((value) => value !== undefined);
    return texts.length < values.length ? undefined : { kind: "values", column: toName(list), values: texts };
  }
  const [, sized, sizedBy = "", size] = length.exec(sql) ?? [];
  if (sized !== undefined)
    return { kind: "length", column: toName(sized), operator: sizedBy as CheckOperator, value: Number(size) };
  const [, bounded, boundedBy = "", value = ""] = bound.exec(sql) ?? [];
  if (bounded !== undefined)
    return { kind: "bound", column: toName(bounded), operator: boundedBy as CheckOperator, value };
  const [, left, operator = "", right = ""] = pair.exec(sql) ?? [];
  if (left !== undefined)
    return { kind: "columns", left: toName(left), operator: operator as CheckOperator, right: toName(right) };
  return undefined;
};

/** Several values of one column: `status = 'a' OR status = 'b'`. */
const parseAlternatives = (parts: readonly string[]): CheckPart | undefined => {
  const found = parts.map((part) => {
    const [, name, value = ""] = isOne.exec(part) ?? [];
    const text = toText(value);
    return name === undefined || text === undefined ? undefined : { name: toName(name), text };
  });
  const ones = found.filter((item) => item !== undefined);
  const [first] = ones;
  return first === undefined || ones.length < parts.length || ones.some(({ name }) => name !== first.name)
    ? undefined
    : { kind: "values", column: first.name, values: ones.map(({ text }) => text) };
};

const namesColumn = (part: CheckPart, name: string): boolean =>
  part.kind === "columns" ? part.left === name || part.right === name : part.column === name;

/**
 * A check passes without a value anyway, so `ends >= begins OR ends IS NULL` says no more than `ends >= begins`. Undefined if
 * a part of the condition says nothing about a column that can be missing.
 */
const parseUnlessMissing = (alternatives: readonly string[]): readonly CheckPart[] | undefined => {
  const missing = alternatives.flatMap((part) => {
    const [, name] = isMissing.exec(part) ?? [];
    return name === undefined ? [] : [toName(name)];
  });
  const present = alternatives.filter((part) => !isMissing.test(part));
  const [only, ...more] = present;
  const values = more.length === 0 ? undefined : parseAlternatives(present);
  const parts = more.length > 0 ? values && [values] : only === undefined ? undefined : parseCheck(only);
  return parts?.every((part) => missing.every((name) => namesColumn(part, name))) === true ? parts : undefined;
};

/**
 * Reads a check as Postgres prints it: `price >= 0::numeric AND price <= 100::numeric`. Undefined if a part of it is anything else
 * than a bound, a length, a set of values or two columns compared. Postgres omits the brackets of AND inside OR.
 */
export const parseCheck = (sql: string): readonly CheckPart[] | undefined => {
  const plain = withoutBrackets(sql);
  const alternatives = splitOutside(plain, " OR ").map(withoutBrackets);
  if (alternatives.length > 1) return parseUnlessMissing(alternatives);
  const conditions = splitOutside(plain, " AND ").map(withoutBrackets);
  const read = conditions
    .filter((condition) => !/^.+ IS NOT NULL$/u.test(condition))
    .map((condition) => {
      const part = parsePart(condition);
      if (part !== undefined) return [part];
      return condition === plain ? undefined : parseCheck(condition);
    });
  const known = read.filter((parts) => parts !== undefined);
  return known.length < read.length || known.length === 0 ? undefined : known.flat();
};
