/** A line, or the rest of one inside a list or quotation: offsets in its file, without the line ending. */
export interface Line {
  readonly start: number;
  readonly end: number;
}

/** The lines of a text. A line ends with LF or CRLF. */
export const splitLines = (text: string): readonly Line[] => {
  const lines: Line[] = [];
  let start = 0;
  while (start < text.length) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed;
    lines.push({ start, end: end > start && text[end - 1] === "\r" ? end - 1 : end });
    start = end + 1;
  }
  return lines;
};

/** Joins parts of a file with `joint` into one text, and maps each of its characters back to the file. */
export const joinLines = (text: string, lines: readonly Line[], joint: string) => {
  const starts: number[] = [];
  let length = 0;
  for (const line of lines) {
    starts.push(length);
    length += line.end - line.start + joint.length;
  }
  const locate = (offset: number): number => {
    let low = 0;
    let high = lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    const line = lines[low];
    return line === undefined ? 0 : Math.min(line.end, line.start + (offset - (starts[low] ?? 0)));
  };
  return { text: lines.map((line) => text.slice(line.start, line.end)).join(joint), locate };
};
