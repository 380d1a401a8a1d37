import type { Compiled } from "../../../core/compile.ts";
import { collectClauses } from "../../../core/model/facts/collect-clauses.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import type { Collision, LineRange } from "../draft/merge-texts.ts";
import { compareFiles, type DiffLine, type FileDiff } from "../versions/text-diff.ts";

/** The compiled texts of a collision. */
interface CollisionTexts {
  readonly draft: Compiled;
  readonly live: Compiled;
}

/** Names shown for one place. */
const MOST_NAMES = 4;

/** The part of `text` that `other` does not have, as offsets. */
const changedRange = (text: string, other: string): { readonly from: number; readonly to: number } => {
  const shorter = Math.min(text.length, other.length);
  let from = 0;
  while (from < shorter && text[from] === other[from]) from++;
  let tail = 0;
  while (tail < shorter - from && text[text.length - 1 - tail] === other[other.length - 1 - tail]) tail++;
  return { from, to: text.length - tail };
};

const joinLines = ({ lines }: LineRange): string => lines.join("\n");

const toOffset = (text: string, number: number): number => {
  let at = 0;
  for (let line = 1; line < number; line++) at = text.indexOf("\n", at) + 1;
  return at;
};

/** Ids of the clauses that begin in what `side` changed; otherwise of the last one before it. */
const clausesIn = (
  { model, sources }: Compiled,
  file: string,
  side: LineRange,
  other: LineRange,
): readonly string[] => {
  const text = sources.find((source) => source.file === file)?.text;
  if (model === undefined || text === undefined) return [];
  const changed = changedRange(joinLines(side), joinLines(other));
  const offset = toOffset(text, side.number);
  const clauses = collectClauses(model)
    .filter(({ span }) => span.file === file && span.end > span.start)
    .sort((a, b) => a.span.start - b.span.start);
  const inside = clauses.filter(({ span }) => span.start >= offset + changed.from && span.start < offset + changed.to);
  if (inside.length > 0) return inside.map(({ id }) => id);
  const before = clauses.findLast(({ span }) => span.start < offset + Math.max(changed.from, 1));
  return before === undefined ? [] : [before.id];
};

/** The clauses that both sides changed at a place, by their ids; empty if texts with errors hide them. */
export const findClauses = ({ file, base, draft, live }: Collision, texts: CollisionTexts): readonly string[] =>
  [...new Set([...clausesIn(texts.draft, file, draft, base), ...clausesIn(texts.live, file, live, base)])].slice(
    0,
    MOST_NAMES,
  );

/** Both wordings of a place beside each other, under the title. */
export const compareWordings = (title: string, { live, draft }: Collision): FileDiff | undefined => {
  const source = (side: LineRange): SourceJson => ({ file: title, text: `${joinLines(side)}\n` });
  const [diff] = compareFiles([source(live)], [source(draft)]);
  const isMoved = (line: DiffLine | null, { number }: LineRange) =>
    line === null ? null : { ...line, number: line.number + number - 1 };
  return (
    diff && {
      ...diff,
      sections: diff.sections.map((section) => ({
        ...section,
        rows: section.rows.map((row) => ({
          ...row,
          before: isMoved(row.before, live),
          after: isMoved(row.after, draft),
        })),
      })),
    }
  );
};
