/**
 * Where something stands. A span is half open, in UTF-16 code units from the start of its file: what JavaScript's
 * `slice` takes. People are shown a `Place`, computed from it only when it is shown.
 */
export interface Span {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** A span for people: lines and columns count from 1, columns in UTF-16 code units as editors count them. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** A file of the document: its name, as findings show it, and its whole text. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** Replaces the text of a span. Edits of one finding never overlap. */
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

/** Answers places of one source or of several; the lines of each are found once, when they are asked for. */
export const placesIn = (given: Source | readonly Source[]): Placing => {
  const sources = new Map(sourcesOf(given).map((source) => [source.file, source]));
  const known = new Map<string, Placing>();
  return (span) => {
    const place = known.get(span.file) ?? placing(sources.get(span.file) ?? { file: span.file, text: "" });
    known.set(span.file, place);
    return place(span);
  };
};

/** One source stands for a list of one. */
export const sourcesOf = (given: Source | readonly Source[]): readonly Source[] => ("file" in given ? [given] : given);

/** The order of a document: its files in turn, each from its beginning. For `sort`. */
export const orderIn = (sources: readonly Source[]): ((a: Span, b: Span) => number) => {
  const rank = new Map(sources.map(({ file }, index) => [file, index]));
  return (a, b) => (rank.get(a.file) ?? -1) - (rank.get(b.file) ?? -1) || a.start - b.start;
};

/** Names are compared as far as this; longer ones are no names. */
const LONGEST_NAME = 64;

/** Among more names than these none is looked for: a document with as many mistakes as names has to be read, too. */
const MOST_NAMES = 2_000;

/** Three rows of the table of distances, used again each time: thousands of names are compared with thousands. */
const rows = [0, 1, 2].map(() => new Uint8Array(LONGEST_NAME + 1)) as [Uint8Array, Uint8Array, Uint8Array];

/**
 * How many letters are to be put in, taken out, changed or swapped with the next to make one short name of another
 * (optimal string alignment), given up beyond `most`.
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
      let here = Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && other === a.charCodeAt(i - 2))
        here = Math.min(here, (before[j - 2] ?? 0) + 1);
      next[j] = here;
      if (here < least) least = here;
    }
    // A swap reaches back by two rows.
    if (least > most + 1) return most + 1;
    [before, row, next] = [row, next, before];
  }
  return row[b.length] ?? most + 1;
};

/** The name among `names` that a person most likely meant by `typed`, or undefined when none is near. */
export const nearest = (typed: string, names: Iterable<string>): string | undefined => ranked(typed, names).best;

/** The same, when no other name is as near, or nearly. */
export const onlyNearest = (typed: string, names: Iterable<string>): string | undefined => {
  const { best, least, second } = ranked(typed, names);
  return second > least + 1 ? best : undefined;
};

/** The nearest name, how far it is, and how far the next is, as far as that matters. */
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
