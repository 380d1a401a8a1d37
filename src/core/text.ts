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

/** Answers places of one source; the lines are found once. */
export const placesIn = (source: Source): ((span: Span) => Place) => {
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

/** The part of a span that begins `from` units into it: for places inside an expression. */
export const within = (span: Span, from: number, to: number): Span => ({
  file: span.file,
  start: span.start + from,
  end: span.start + to,
});

/** How many single-character edits lie between two names (Levenshtein), given up beyond `most`. */
const distance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? most + 1;
};

/** The name among `names` that a person most likely meant by `typed`, or undefined when none is near. */
export const nearest = (typed: string, names: Iterable<string>): string | undefined => {
  const wanted = typed.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const apart = distance(wanted, name.slice(0, 64).toLowerCase(), least);
    if (apart < least) [best, least] = [name, apart];
  }
  return best;
};
