import { saysNotShown } from "../document/prose.ts";
import { type Document, pointNumbers } from "../document/read.ts";
import type { Finding } from "../findings.ts";
import { type DefaultCode, defaultFor } from "../model/defaults.ts";
import type { OpenPoint } from "../model/model.ts";

/**
 * What nobody decided: every sentence that says something is not shown, every value `not shown`, and every point that
 * is missing or says nothing that runs. In the document's order.
 */
export const openPointsOf = (document: Document, findings: readonly Finding[]): readonly OpenPoint[] => {
  const open: OpenPoint[] = [];
  const add = (
    point: number,
    span: OpenPoint["span"],
    statement: string,
    code: DefaultCode = defaultFor(point, statement),
  ) => void open.push({ point, span, statement, default: code });
  for (const sentence of document.introduction) if (saysNotShown(sentence.text)) add(0, sentence.span, sentence.text);
  for (const number of pointNumbers) {
    const point = document.points.get(number);
    const end = { file: document.source.file, start: document.source.text.length, end: document.source.text.length };
    const statements = (point?.prose ?? []).filter((sentence) => saysNotShown(sentence.text));
    for (const sentence of statements) add(number, sentence.span, sentence.text);
    // Point 1 is for people: there a sentence says something without a block.
    const said = number === 1 && (point?.prose ?? []).length > 0;
    if (statements.length === 0 && !said && (point === undefined || point.blocks.length === 0))
      add(number, point?.heading ?? end, "");
  }
  for (const finding of findings) {
    if (finding.code !== "NOT_SHOWN") continue;
    const number =
      [...document.points.values()].findLast((point) => point.heading.start <= finding.span.start)?.number ?? 0;
    add(
      number,
      finding.span,
      document.source.text.slice(finding.span.start, finding.span.end),
      number === 3 ? "FIELD_WITHOUT_COLUMN" : undefined,
    );
  }
  return open.sort((a, b) => a.span.start - b.span.start || a.point - b.point);
};
