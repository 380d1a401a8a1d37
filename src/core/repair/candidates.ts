import type { Line } from "../document/lines.ts";
import type { PointNumber } from "../document/read.ts";
import type { Finding, FindingCode } from "../findings.ts";

/** A block of a point, with the offsets of its lines in its file. */
export interface RepairBlock {
  readonly file: string;
  readonly text: string;
  readonly lines: readonly Line[];
  /** Where the block begins, with its fence. */
  readonly start: number;
  readonly point: PointNumber;
}

/** An edit of one line that could be the correction, and the finding about it. */
export interface Candidate {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  /** Among edits that all correct the block, the one with the lowest cost is the most likely. */
  readonly cost: number;
  readonly code: FindingCode;
  readonly at: { readonly start: number; readonly end: number };
  readonly message: string;
  readonly hint: string;
}

/** Lines near the first findings can be the cause. */
const MOST_FINDINGS_LOOKED_AT = 4;

const spaces = (count: number): string => `${count} ${count === 1 ? "space" : "spaces"}`;

/** The rows that could have the mistake: those of the findings, and those above them that they could belong to. */
const listRows = ({ text, lines }: RepairBlock, errors: readonly Finding[]): readonly number[] => {
  const contentOf = (row: number): string => {
    const line = lines[row];
    return line === undefined ? "" : text.slice(line.start, line.end);
  };
  const isBlank = (row: number): boolean => /^\s*(?:#|$)/u.test(contentOf(row));
  const indentOf = (row: number): number => /^ */u.exec(contentOf(row))?.[0].length ?? 0;
  const rows = new Set<number>();
  const starts = [...new Set(errors.map(({ span }) => span.start))].toSorted((a, b) => a - b);
  for (const start of starts.slice(0, MOST_FINDINGS_LOOKED_AT)) {
    const row = lines.findLastIndex((line) => line.start <= start);
    if (row < 0) continue;
    rows.add(row);
    let before = row - 1;
    while (before > 0 && isBlank(before)) before--;
    let after = row + 1;
    while (after < lines.length && isBlank(after)) after++;
    rows.add(before);
    rows.add(after);
    // The outermost of the lines above that are indented more deeply, and the line that they all belong to.
    let outermost = before;
    for (let above = before; above >= 0; above--) {
      if (isBlank(above)) continue;
      if (indentOf(above) <= indentOf(row)) {
        rows.add(above);
        break;
      }
      if (indentOf(above) <= indentOf(outermost)) outermost = above;
    }
    rows.add(outermost);
  }
  return [...rows].filter((row) => row >= 0 && row < lines.length && !isBlank(row));
};

const INDENT = 2;

/** A key or a dash. Any other line could continue the text above it. */
const beginsEntry = (body: string): boolean => /^(?:-(?:\s|$)|["']|[^\s#][^#]*?:(?:\s|$))/u.test(body);

const reindent = (line: Line, indent: number, to: number): Candidate => ({
  from: line.start,
  to: line.start + indent,
  insert: " ".repeat(to),
  // Levels have two spaces, and a shallow line is more likely than a deep one.
  cost: (to % INDENT) * 100 + Math.abs(to - indent) * 2 + to / 100,
  code: "BAD_INDENT",
  at: { start: line.start, end: Math.min(line.end, line.start + indent + 1) },
  message: `This line is indented by ${spaces(indent)}, but fits its surroundings with ${spaces(to)}.`,
  hint: `Indent it with ${spaces(to)}.`,
});

/** Inserts a text at a character of the line. */
const insertion = (
  line: Line,
  indent: number,
  at: number,
  inserted: Pick<Candidate, "insert" | "cost" | "message" | "hint">,
): Candidate => ({
  ...inserted,
  from: line.start + at,
  to: line.start + at,
  code: "BAD_YAML",
  at: { start: line.start + indent, end: line.end },
});

/** Candidates, the likely ones first. */
export const listCandidates = (block: RepairBlock, errors: readonly Finding[]): readonly Candidate[] => {
  const { text, lines } = block;
  const found: Candidate[] = [];
  for (const row of listRows(block, errors)) {
    const line = lines[row];
    if (line === undefined) continue;
    const content = text.slice(line.start, line.end);
    const indent = /^ */u.exec(content)?.[0].length ?? 0;
    const body = content.slice(indent);
    for (const to of [indent - 2, indent - 1, indent + 1, indent + 2])
      if (to >= 0 && beginsEntry(body)) found.push(reindent(line, indent, to));
    const begin = /^(?:- +)*/u.exec(body)?.[0].length ?? 0;
    // After a word at which a key can end: `sign in { password: true }`.
    const ends = [...body.slice(begin).matchAll(/[^\s:{}[\],"']+(?=\s|$)/gu)]
      .slice(0, 3)
      .map(({ index, 0: word }) => begin + index + word.length);
    const [first] = ends;
    if (first !== undefined && !/^["'{[]/u.test(body.slice(begin)))
      for (const [rank, end] of ends.entries())
        if (body.charAt(end) !== ":")
          found.push(
            insertion(line, indent, indent + end, {
              insert: ":",
              cost: 300 + rank,
              message: "This line is not a key with a value.",
              hint: `Write a colon after “${body.slice(begin, end)}”.`,
            }),
          );
    if (begin === 0)
      found.push(
        insertion(line, indent, indent, {
          insert: "- ",
          cost: 400,
          message: "This line is among the items of a list, but has no dash.",
          hint: "Write a dash before it.",
        }),
      );
    for (const { index, 0: sign } of [...body.matchAll(/: |- |\[ ?|\{ ?/gu)].slice(0, 4))
      for (const bracket of ["{ ", "["])
        found.push(
          insertion(line, indent, indent + index + sign.length, {
            insert: bracket,
            cost: 500 + index,
            message: `A ${bracket.trim()} is missing in this line.`,
            hint: `Write ${bracket.trim()} before “${body
              .slice(index + sign.length)
              .trim()
              .slice(0, 20)}”.`,
          }),
        );
  }
  return found.toSorted((a, b) => a.cost - b.cost);
};
