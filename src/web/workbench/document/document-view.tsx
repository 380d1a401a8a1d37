import { type CSSProperties, memo, type ReactNode, useCallback, useEffect, useMemo, useRef } from "react";
import type { PageLine, PagePart } from "../../../core/document/rendered-page.ts";
import type { Finding } from "../../../core/findings.ts";
import type { DefaultTexts } from "../../../core/i18n/catalogue.ts";
import type { Clause } from "../../../core/model/clause.ts";
import type { Span } from "../../../core/source-text.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import type { CheckedText } from "../editor/editor-answers.ts";
import { FindingMark, OpenMark } from "../marks.tsx";

interface SheetProps {
  readonly file: SourceJson;
  readonly parts: readonly PagePart[];
  readonly checked: CheckedText;
  readonly clauses: readonly Clause[];
  readonly defaults: DefaultTexts;
  /** The clause in the address. */
  readonly at: string | null;
  readonly onPlace: (offset: number) => void;
  /** Null if the document cannot be changed here. */
  readonly onAnswer: ((point: number) => void) | null;
}

/** Id of a point's heading, for the outline. */
export const getHeadingId = (point: number): string => `point-${point}`;

/** A formatted file of the document: prose, and blocks line by line with their clauses. */
export const DocumentView = memo(({ file, parts, checked, clauses, defaults, at, onPlace, onAnswer }: SheetProps) => {
  const { say } = useWords();
  const inFile = useMemo(() => {
    const of = <T extends { readonly span: { readonly file: string } }>(all: readonly T[]) =>
      all.filter(({ span }) => span.file === file.file);
    return {
      findings: of(checked.findings).filter(({ severity }) => severity !== "open"),
      clauses: of(clauses),
      open: of(checked.open),
    };
  }, [file.file, checked, clauses]);
  const openAt = (start: number, end: number) => inFile.open.find(({ span }) => span.start < end && span.end > start);
  const answered = new Set<number>();

  const draw = (part: PagePart, key: number): ReactNode => {
    if (part.kind === "heading") {
      const level = Math.min(part.level + 1, 5);
      const Heading = `h${level}` as "h2" | "h3" | "h4" | "h5";
      return (
        <Heading key={key} id={part.level === 2 && part.point > 0 ? getHeadingId(part.point) : undefined}>
          {part.text}
        </Heading>
      );
    }
    if (part.kind === "block") return <Block key={key} part={part} {...inFile} at={at} onPlace={onPlace} />;
    const open = part.sentences.flatMap((sentence) =>
      sentence.open ? (openAt(sentence.span.start, sentence.span.end) ?? []) : [],
    );
    const first = open.length > 0 && !answered.has(part.point);
    if (first) answered.add(part.point);
    return (
      <div key={key} className="sheet-prose">
        <span className="open-mark">{open.length > 0 && <OpenMark />}</span>
        <div>
          <p className={part.item ? "sheet-item" : undefined}>
            {inline(part.sentences.map(({ text }) => text).join(" "))}
          </p>
          {/* Several sentences can concern one open point; its default is shown once. */}
          {[...new Set(open.map((openPoint) => openPoint.default))].map((code) => (
            <p key={code} className="in-force">
              {say("workbench.in.force", { words: defaults[code].inForce })}
            </p>
          ))}
          {first && onAnswer && (
            <Button small icon="edit" onClick={() => onAnswer(part.point)}>
              {part.point === 0
                ? say("workbench.answer.introduction")
                : say("workbench.answer.point", { number: part.point })}
            </Button>
          )}
        </div>
      </div>
    );
  };
  return <article>{parts.map(draw)}</article>;
});

const noFindings: readonly Finding[] = [];

/** Groups items of a block by the index of the line in which they begin. */
const byLine = <T extends { readonly span: Span }>(
  lines: readonly PageLine[],
  all: readonly T[],
): ReadonlyMap<number, readonly T[]> => {
  const found = new Map<number, T[]>();
  const first = lines[0]?.start ?? 0;
  for (const item of all) {
    const { start } = item.span;
    if (start < first) continue;
    let [low, high] = [0, lines.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((lines[middle]?.start ?? 0) <= start) low = middle;
      else high = middle - 1;
    }
    const line = lines[low];
    if (line === undefined || start > line.start + line.text.length) continue;
    const own = found.get(low);
    if (own === undefined) found.set(low, [item]);
    else own.push(item);
  }
  return found;
};

const Block = ({
  part: { lines, runs },
  findings,
  clauses,
  at,
  onPlace,
}: {
  part: Extract<PagePart, { kind: "block" }>;
  findings: readonly Finding[];
  clauses: readonly Clause[];
  at: string | null;
  onPlace: (offset: number) => void;
}) => {
  const own = useMemo(
    () => (runs ? byLine(lines, clauses) : new Map<number, readonly Clause[]>()),
    [runs, lines, clauses],
  );
  const found = useMemo(() => byLine(lines, findings), [lines, findings]);
  const latest = useRef(lines);
  useEffect(() => {
    latest.current = lines;
  }, [lines]);
  const onLine = useCallback((index: number) => onPlace(latest.current[index]?.start ?? 0), [onPlace]);
  return (
    <ol className="clauses">
      {lines.map(({ text }, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has nothing else that stays when others are edited
          key={index}
          index={index}
          text={text}
          label={
            own
              .get(index)
              ?.map(({ id }) => id)
              .join(" ") ?? ""
          }
          isMarked={own.get(index)?.some(({ id }) => id === at) ?? false}
          found={found.get(index) ?? noFindings}
          onLine={onLine}
        />
      ))}
    </ol>
  );
};

/** A line of a block. Typing redraws only the lines that differ. */
const Line = memo(
  ({
    index,
    text,
    label,
    isMarked,
    found,
    onLine,
  }: {
    readonly index: number;
    readonly text: string;
    /** The clauses that begin in this line; empty if there are none. */
    readonly label: string;
    readonly isMarked: boolean;
    readonly found: readonly Finding[];
    readonly onLine: (index: number) => void;
  }) => {
    const { say } = useWords();
    const worst = found.find(({ severity }) => severity === "error") ?? found[0];
    return (
      <li
        className={[isMarked && "at", worst?.severity === "error" && "bad"].filter(Boolean).join(" ") || undefined}
        {...(isMarked && { ref: (line: HTMLLIElement | null) => line?.scrollIntoView({ block: "center" }) })}
      >
        <span className="open-mark">
          {worst ? <FindingMark severity={worst.severity} /> : label !== "" && <span className="shown-mark" />}
        </span>
        <code style={{ "--indent": text.length - text.trimStart().length } as CSSProperties}>
          {highlighted(text.trimStart())}
        </code>
        {label !== "" && (
          <button type="button" className="clause-id" onClick={() => onLine(index)} title={say("workbench.to.text")}>
            {label}
          </button>
        )}
        {found.map((finding) => (
          <p
            key={`${finding.code} ${finding.span.start}`}
            className={`line-finding ${finding.severity.replace(" ", "-")}`}
          >
            {finding.message} {finding.hint}
          </p>
        ))}
      </li>
    );
  },
);

/** Highlights keys, strings and comments without parsing YAML. */
const highlighted = (text: string): ReactNode => {
  const note = /(?:^|\s)#.*$/u.exec(text);
  const code = note ? text.slice(0, note.index) : text;
  const pieces = code.split(/("(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[\w/{}.$-]+(?: [a-z]+)?(?=:(?:\s|$)))/u);
  let offset = 0;
  return (
    <>
      {pieces.map((piece, i) => {
        const key = offset;
        offset += piece.length;
        if (i % 2 === 0) return piece;
        return (
          <span key={key} className={/^["']/u.test(piece) ? "word-text" : "word-key"}>
            {piece}
          </span>
        );
      })}
      {note && <span className="word-note">{note[0]}</span>}
    </>
  );
};

/** Inline Markdown: bold, code and link texts. */
const inline = (text: string): ReactNode => {
  const pieces = text
    .replace(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .split(/(\*\*[^*]+\*\*|`[^`]+`|(?<![\w*])[*_][^*_]+[*_](?![\w*]))/u);
  let offset = 0;
  return pieces.map((piece, i) => {
    const key = offset;
    offset += piece.length;
    if (i % 2 === 0) return piece;
    if (piece.startsWith("`")) return <code key={key}>{piece.slice(1, -1)}</code>;
    return piece.startsWith("**") ? (
      <strong key={key}>{piece.slice(2, -2)}</strong>
    ) : (
      <em key={key}>{piece.slice(1, -1)}</em>
    );
  });
};
