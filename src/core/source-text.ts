/**
 * A half-open range in UTF-16 code units from the start of its file, as JavaScript's `slice` takes. It is turned into a
 * `Place` only for display.
 */
export interface Span {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** A span for people: lines and columns count from 1, columns in UTF-16 code units as in editors. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A file of the document: its name for findings, and its text. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** Replaces the text of a span. The edits of one finding never overlap. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

const lineStarts = (text: string): readonly number[] => {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
};

type Placing = (span: Span) => Place;

const placing = (source: Source): Placing => {
  const starts = lineStarts(source.text);
  const locate = (offset: number) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
  return (span) => {
    const from = locate(span.start);
    const to = locate(span.end);
    return { file: span.file, line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
  };
};

/** Looks up places in one or several sources. Lines are split on first use. */
export const placesIn = (input: Source | readonly Source[]): Placing => {
  const sources = new Map(toSources(input).map((source) => [source.file, source]));
  const known = new Map<string, Placing>();
  return (span) => {
    const place = known.get(span.file) ?? placing(sources.get(span.file) ?? { file: span.file, text: "" });
    known.set(span.file, place);
    return place(span);
  };
};

/** Wraps a single source in a list. */
export const toSources = (input: Source | readonly Source[]): readonly Source[] => ("file" in input ? [input] : input);

/** Compares spans by file, then by position. For `sort`. */
export const orderIn = (sources: readonly Source[]): ((a: Span, b: Span) => number) => {
  const rank = new Map(sources.map(({ file }, index) => [file, index]));
  return (a, b) => (rank.get(a.file) ?? -1) - (rank.get(b.file) ?? -1) || a.start - b.start;
};

/** Names are compared up to this length. */
const LONGEST_NAME = 64;

/**
 * With more names than this, no suggestion is made: a document with thousands of mistakes must still be read in time.
 */
const MOST_NAMES = 2_000;

/** Three rows of the distance matrix, reused for every comparison. */
const rows = [0, 1, 2].map(() => new Uint8Array(LONGEST_NAME + 1)) as [Uint8Array, Uint8Array, Uint8Array];

/**
 * Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. Gives up beyond
 * `most`.
 */
const distance = (a: string, b: string, most: number): number => {
  let [before, row, next] = rows;
  for (let j = 0; j <= b.length; j++) row[j] = j;
  for (let i = 1; i <= a.length; i++) {
    next[0] = i;
    let least = i;
    const letter = a.charCodeAt(i - 1);
    for (let j = 1; j <= b.length; j++) {
      const other = b.charCodeAt(j - 1);
      const change = (row[j - 1] ?? 0) + (letter === other ? 0 : 1);
      let cost = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && other === a.charCodeAt(i - 2))
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next[j] = cost;
      if (cost < least) least = cost;
    }
    // A swap refers back two rows.
    if (least > most + 1) return most + 1;
    [before, row, next] = [row, next, before];
  }
  return row[b.length] ?? most + 1;
};

/** The name that was most likely meant by `typed`, or undefined if none is near. */
export const nearest = (typed: string, names: Iterable<string>): string | undefined => ranked(typed, names).best;

/** True if one letter of a name is wrong, missing or too many, or two are swapped. */
export const isSlip = (typed: string, name: string): boolean => {
  const [a, b] = [typed, name].map((word) => word.toLowerCase().slice(0, LONGEST_NAME)) as [string, string];
  return Math.abs(a.length - b.length) <= 1 && distance(a, b, 2) <= 1;
};

/** Like `nearest`, but only if no other name is about as near. */
export const onlyNearest = (typed: string, names: Iterable<string>): string | undefined => {
  const { best, least, second } = ranked(typed, names);
  return second > least + 1 ? best : undefined;
};

/** The nearest name, its distance, and the distance of the runner-up if it matters. */
const ranked = (typed: string, names: Iterable<string>) => {
  const wanted = typed.slice(0, LONGEST_NAME).toLowerCase().slice(0, LONGEST_NAME);
  const most = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  let [least, second] = [most + 1, most + 3];
  let looked = 0;
  for (const name of names) {
    if (++looked > MOST_NAMES) break;
    const far = least + 1;
    if (name.length > LONGEST_NAME || Math.abs(name.length - wanted.length) > far) continue;
    const apart = distance(wanted, name.toLowerCase().slice(0, LONGEST_NAME), far);
    if (apart < least) [best, second, least] = [name, best === undefined ? second : least, apart];
    else if (apart < second) second = apart;
  }
  return { best, least, second };
};

/** True if two versions have the same text. */
export const haveSameText = (a: readonly Source[], b: readonly Source[]): boolean =>
  a.length === b.length && a.every(({ file, text }, at) => file === b[at]?.file && text === b[at]?.text);
