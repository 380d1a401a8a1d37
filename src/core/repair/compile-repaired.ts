import type { Finding } from "../findings.ts";
import type { Compiled, OpenPoint } from "../model/model.ts";
import { type Edit, orderIn, type Source, type Span } from "../source-text.ts";
import { findRepairs } from "./find-repairs.ts";

/** Codes of findings about the structure of a block, from which others can follow. */
const structural: ReadonlySet<string> = new Set([
  "BAD_YAML",
  "BAD_INDENT",
  "NEEDS_QUOTES",
  "NOT_CLOSED",
  "KEY_TWICE",
  "WRONG_SHAPE",
  "UNKNOWN_KEY",
  "MISSING_KEY",
  "BAD_NAME",
  "BAD_VALUE",
]);

/** Longer documents are not repaired, so that a broken one takes little longer to read than a whole one. */
const LARGEST_REPAIRED = 1_000_000;

/** True if a mistake in the structure could be the cause of other findings, or of a finding in another line. */
const needsRepair = (findings: readonly Finding[]): boolean => {
  const about = findings.filter(({ severity }) => severity !== "open");
  return (
    about.some(({ code }) => structural.has(code)) &&
    (about.length > 1 || about.some(({ code, fix }) => code === "BAD_INDENT" && fix === undefined))
  );
};

/** Maps a place in a repaired text back to the text before the edit. */
const before = (edit: Edit, span: Span): Span => {
  if (span.file !== edit.span.file) return span;
  const { start, end } = edit.span;
  const map = (offset: number): number =>
    offset <= start ? offset : Math.max(start, offset - edit.text.length + (end - start));
  return { ...span, start: map(span.start), end: map(span.end) };
};

/**
 * Compiles a document again as if its mistakes in structure were corrected, so that one wrong indentation is one finding and
 * comes first. Undefined if the findings have another cause.
 */
export const compileRepaired = (
  { sources, source, findings }: Compiled,
  compile: (sources: readonly Source[]) => Compiled,
): Compiled | undefined => {
  if (!needsRepair(findings) || source.text.length > LARGEST_REPAIRED) return undefined;
  const { repairs, sources: repaired } = findRepairs(sources);
  if (repairs.length === 0) return undefined;
  const after = compile(repaired);
  if (after.findings.length + repairs.length > findings.length) return undefined;
  const edits = repairs.map(({ edit }) => edit);
  const back = (span: Span): Span => edits.reduceRight((mapped, edit) => before(edit, mapped), span);
  const order = orderIn(sources);
  const own = repairs.map(({ finding, edit }, index): Finding => {
    const earlier = edits.slice(0, index);
    const toGiven = (span: Span): Span => earlier.reduceRight((mapped, other) => before(other, mapped), span);
    return {
      ...finding,
      span: toGiven(finding.span),
      ...(finding.fix === undefined ? {} : { fix: [{ ...edit, span: toGiven(edit.span) }] }),
    };
  });
  const others = after.findings.map(
    (found): Finding => ({
      ...found,
      span: back(found.span),
      ...(found.also === undefined ? {} : { also: back(found.also) }),
      ...(found.fix === undefined ? {} : { fix: found.fix.map((edit) => ({ ...edit, span: back(edit.span) })) }),
    }),
  );
  return {
    sources,
    source,
    model: undefined,
    findings: [...own, ...others].toSorted((a, b) => order(a.span, b.span)),
    open: after.open.map((point): OpenPoint => ({ ...point, span: back(point.span) })),
    mentions: after.mentions.map((mention) => ({ ...mention, span: back(mention.span) })),
  };
};
