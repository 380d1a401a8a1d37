import { opennessOf } from "../document/prose.ts";
import { type Document, pointAt, pointNumbers } from "../document/read.ts";
import { type Finding, finding } from "../findings.ts";
import { type DefaultCode, defaultFor, isDefaultCode } from "../model/defaults.ts";
import type { OpenPoint } from "../model/model.ts";
import { orderIn } from "../source-text.ts";

/**
 * Open points in document order: sentences that say something is not shown, values `not shown`, and points that are
 * missing or contain nothing executable. A sentence brings no default into force: it shows the one of its topic if that
 * is among `defaults`, those of what the blocks leave out.
 */
export const findOpenPoints = (
  document: Document,
  findings: readonly Finding[],
  defaults: ReadonlySet<DefaultCode>,
): readonly OpenPoint[] => {
  const open: OpenPoint[] = [];
  const forSentence = (number: number, text: string): DefaultCode => {
    const code = defaultFor(number, text);
    return defaults.has(code) ? code : "NOTHING_INVENTED";
  };
  const add = (
    point: number,
    span: OpenPoint["span"],
    statement: string,
    code: DefaultCode = defaultFor(point, statement),
  ) => void open.push({ point, span, statement, default: code });
  const last = document.sources.at(-1);
  const end = { file: last?.file ?? "", start: last?.text.length ?? 0, end: last?.text.length ?? 0 };
  for (const sentence of document.introduction)
    if (opennessOf(sentence) === "not shown") add(0, sentence.span, sentence.text);
  for (const number of pointNumbers) {
    const point = document.points.get(number);
    const statements = (point?.prose ?? []).filter((sentence) => opennessOf(sentence) === "not shown");
    for (const sentence of statements) add(number, sentence.span, sentence.text, forSentence(number, sentence.text));
    // Point 1 is for people, so prose without a block is enough.
    const hasProse = number === 1 && (point?.prose ?? []).length > 0;
    if (statements.length === 0 && !hasProse && (point === undefined || point.blocks.length === 0))
      add(number, point?.heading ?? end, "");
  }
  const blocks = new Set([...document.points.values()].flatMap((point) => point.blocks.map((block) => block.span)));
  for (const { code, span, open: openKey = "" } of findings) {
    if (code !== "NOT_SHOWN") continue;
    const number = pointAt(document, span);
    // A `not shown` block counts as its point; inside a block, a `not shown` value mostly counts as an absent key.
    if (blocks.has(span)) add(number, span, "not shown");
    else
      add(
        number,
        span,
        "not shown",
        isDefaultCode(openKey) ? openKey : defaultFor(number, openKey, "NOTHING_INVENTED"),
      );
  }
  const order = orderIn(document.sources);
  return open.sort((a, b) => order(a.span, b.span) || a.point - b.point);
};

/** Sentences that an author may take for open points, although nobody is asked about them. */
export const findLookalikes = ({ introduction, points }: Document): readonly Finding[] =>
  [introduction, ...[...points.values()].map(({ prose }) => prose)]
    .flat()
    .filter((sentence) => opennessOf(sentence) === "looks open")
    .map(({ span }) =>
      finding(
        "LOOKS_OPEN",
        span,
        "This sentence reads like an open point, but the list of open points does not have it.",
        "End it with “is not shown.”, or say what was decided.",
      ),
    );
