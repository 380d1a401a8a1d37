import { applyEdits } from "../document/edits.ts";
import { isYaml, readMarkdown } from "../document/markdown.ts";
import { type PointNumber, parsePointNumber, pointNumbers } from "../document/read.ts";
import type { Shape } from "../document/shape.ts";
import type { YamlBlock } from "../document/yaml/cursor.ts";
import { readYaml } from "../document/yaml/read.ts";
import { type Finding, finding } from "../findings.ts";
import { pointShapes } from "../sections/syntax.ts";
import type { Edit, Source } from "../source-text.ts";
import { type Candidate, listCandidates, type RepairBlock } from "./candidates.ts";

/** A mistake in the structure of a block that explains all findings of the block, and the edit that corrects it. */
export interface Repair {
  readonly finding: Finding;
  readonly edit: Edit;
}

/** More mistakes are not looked for: their findings are reported as they are. */
const MOST_REPAIRS = 4;

/** No single slip causes more findings in its own block. */
const MOST_ERRORS = 100;

/** Characters that may be read to find the repairs of a document, so that a broken one takes only a moment longer. */
const MOST_READ = 150_000;

/** The characters that may still be read. */
interface Budget {
  left: number;
}

const readErrors = ({ file, text, lines }: YamlBlock, point: PointNumber): readonly Finding[] => {
  const findings: Finding[] = [];
  const report = (found: Finding): void => void findings.push(found);
  const tree = readYaml({ file, text, lines }, findings);
  const shape = pointShapes[point] as Shape<unknown>;
  if (tree !== undefined) shape.read(tree, report);
  return findings.filter(({ severity }) => severity === "error");
};

/** The blocks of a file in order, each with the point that it is below. */
const listBlocks = ({ file, text }: Source): readonly RepairBlock[] => {
  let point: PointNumber | 0 = 0;
  return readMarkdown(text).flatMap((part): readonly RepairBlock[] => {
    if (part.kind === "heading" && part.level === 2) point = parsePointNumber(part.text);
    if (part.kind !== "fence" || !isYaml(part.language) || point === 0) return [];
    // Lines inside a list or quotation do not begin at the start of their line.
    if (part.lines.some(({ start }) => start > 0 && text[start - 1] !== "\n")) return [];
    return [{ file, text, lines: part.lines, start: part.start, point }];
  });
};

/** Reads the block as it would be after an edit inside it. */
const readEdited = (block: RepairBlock, { from, to, insert }: Candidate): readonly Finding[] => {
  const shift = insert.length - (to - from);
  return readErrors(
    {
      file: block.file,
      text: `${block.text.slice(0, from)}${insert}${block.text.slice(to)}`,
      lines: block.lines.map(({ start, end }) => ({
        start: start > from ? start + shift : start,
        end: end >= to ? end + shift : end,
      })),
    },
    block.point,
  );
};

/** The lines of a block around a mistake that can be read on their own: whole entries of its outermost mapping. */
const cutRegion = (block: RepairBlock, errors: readonly Finding[]): RepairBlock => {
  const { text, lines } = block;
  const first = errors.reduce((least, { span }) => Math.min(least, span.start), Number.POSITIVE_INFINITY);
  const last = errors.reduce((most, { span }) => Math.max(most, span.start), 0);
  const isOuter = (row: number): boolean => /^[^\s#]/u.test(text.charAt(lines[row]?.start ?? 0));
  let from = lines.findIndex(({ end }) => end >= first);
  let to = lines.findLastIndex(({ start }) => start <= last);
  // The cause can be the entry before.
  for (let seen = 0; from > 0 && seen < 2; ) {
    from--;
    if (isOuter(from)) seen++;
  }
  do to++;
  while (to < lines.length && !isOuter(to));
  return { ...block, lines: lines.slice(Math.max(0, from), to) };
};

const lengthOf = ({ lines }: RepairBlock): number => (lines.at(-1)?.end ?? 0) - (lines[0]?.start ?? 0);

/** The edit of one line after which the block has no mistake; undefined if no single edit achieves that. */
const repairLine = (whole: RepairBlock, errors: readonly Finding[], budget: Budget): Repair | undefined => {
  const block = cutRegion(whole, errors);
  const length = lengthOf(block);
  let best: Candidate | undefined;
  let isOnly = true;
  for (const candidate of listCandidates(block, errors)) {
    if (best !== undefined && candidate.cost > best.cost) break;
    if (budget.left < length) break;
    budget.left -= length;
    if (readEdited(block, candidate).length > 0) continue;
    isOnly = best === undefined;
    if (best === undefined || candidate.cost < best.cost) best = candidate;
  }
  if (best === undefined || readEdited(whole, best).length > 0) return undefined;
  const { from, to, insert, code, at, message, hint } = best;
  const edit = { span: { file: whole.file, start: from, end: to }, text: insert };
  return {
    edit,
    finding: finding(code, { file: whole.file, ...at }, message, hint, isOnly ? { fix: [edit], isGuess: true } : {}),
  };
};

/** A block that only fits a point whose heading is missing. */
const repairHeading = (block: RepairBlock, missing: readonly PointNumber[]): Repair | undefined => {
  const [point, ...others] = missing.filter((number) => readErrors(block, number).length === 0);
  if (point === undefined || others.length > 0) return undefined;
  const span = { file: block.file, start: block.start, end: block.start };
  const edit = { span, text: `## ${point}. Point ${point}\n\n` };
  return {
    edit,
    finding: finding(
      "MISPLACED_BLOCK",
      { ...span, end: block.start + 3 },
      `This block belongs to point ${point}, but is below the heading of point ${block.point}.`,
      `Write a level-2 heading that begins with “${point}.” above it.`,
      { fix: [edit], isGuess: true },
    ),
  };
};

const findRepair = (sources: readonly Source[], budget: Budget): Repair | undefined => {
  const blocks = sources.flatMap(listBlocks);
  const present = new Set(
    sources.flatMap(({ text }) => [...text.matchAll(/^## +(.*)$/gmu)].map(([, title = ""]) => parsePointNumber(title))),
  );
  const missing = pointNumbers.filter((number) => !present.has(number));
  for (const block of blocks) {
    if (lengthOf(block) > budget.left) continue;
    const errors = readErrors(block, block.point);
    if (errors.length === 0 || errors.length > MOST_ERRORS) continue;
    const repair = repairLine(block, errors, budget) ?? repairHeading(block, missing);
    if (repair !== undefined) return repair;
  }
  return undefined;
};

/**
 * Finds mistakes in the structure of blocks whose correction removes all other findings of their block: a line with the wrong
 * indentation, a key without its colon, a lost dash or bracket, a lost heading. Returns them with the corrected sources, so
 * that the other points are compiled as if the mistake were not there.
 */
export const findRepairs = (
  given: readonly Source[],
): { readonly repairs: readonly Repair[]; readonly sources: readonly Source[] } => {
  const repairs: Repair[] = [];
  const budget = { left: MOST_READ };
  let sources = given;
  while (repairs.length < MOST_REPAIRS) {
    const repair = findRepair(sources, budget);
    if (repair === undefined) break;
    repairs.push(repair);
    sources = applyEdits(sources, [repair.edit]);
  }
  return { repairs, sources };
};
