import { type CSSProperties, memo, type ReactNode, useCallback, useEffect, useMemo, useRef } from "react";
import type { PageLine, PagePart } from "../../../core/document/rendered-page.ts";
import type { Finding } from "../../../core/findings.ts";
import type { DefaultTexts } from "../../../core/i18n/catalogue.ts";
import type { OpenPoint } from "../../../core/model/model.ts";
import type { Span } from "../../../core/source-text.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import type { CheckedText } from "../editor/editor-answers.ts";
import { splitLine } from "../editor/split-line.ts";
import { FindingMark, OpenMark } from "../marks.tsx";

interface SheetProps {
  readonly file: string;
  /** The parts of this file, as it was checked. */
  readonly parts: readonly PagePart[];
  readonly checked: CheckedText;
  readonly defaults: DefaultTexts;
  /** The clause in the address. */
  readonly at: string | null;
  readonly onPlace: (offset: number) => void;
  /** Null if the document cannot be changed here. */
  readonly onAnswer: ((point: number) => void) | null;
}

/** Id of a point's heading, for the outline. */
export const getHeadingId = (point: number): string => `point-${point}`;

/**
 * A formatted file of the document: prose, and blocks line by line with their clauses. After an edit, only the paragraphs and
 * groups of lines that differ are drawn again, and the browser lays out only those on the screen.
 */
export const DocumentView = memo(({ file, parts, checked, defaults, at, onPlace, onAnswer }: SheetProps) => {
  const page = useMemo(() => buildPage(parts, checked, file, at), [parts, checked, file, at]);
  const latest = useRef(parts);
  useEffect(() => {
    latest.current = parts;
  }, [parts]);
  const onLine = useCallback(
    (part: number, line: number) => {
      const block = latest.current[part];
      if (block?.kind === "block") onPlace(block.lines[line]?.start ?? 0);
    },
    [onPlace],
  );
  const article = useRef<HTMLElement>(null);
  const scrolledTo = useRef<string | null>(null);
  // Scrolls once to each linked clause: later edits must not move the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a clause can appear with a later text
  useEffect(() => {
    const line = article.current?.querySelector("li.at");
    if (at === scrolledTo.current || line == null) return;
    scrolledTo.current = at;
    line.scrollIntoView({ block: "center" });
  }, [at, page]);
  return (
    <article ref={article}>
      {page.map((part, index) => {
        if (part.kind === "prose")
          return (
            <Prose
              // biome-ignore lint/suspicious/noArrayIndexKey: a paragraph has nothing else that stays when it is edited
              key={index}
              {...part}
              defaults={defaults}
              onAnswer={onAnswer}
            />
          );
        if (part.kind === "block")
          return part.groups.map((lines, group) => (
            <Lines
              // biome-ignore lint/suspicious/noArrayIndexKey: a group has nothing else that stays when others are edited
              key={`${index} ${group}`}
              part={index}
              from={group * GROUP}
              lines={lines}
              isFirst={group === 0}
              isLast={group === part.groups.length - 1}
              onLine={onLine}
            />
          ));
        const level = Math.min(part.level + 1, 5);
        const Heading = `h${level}` as "h2" | "h3" | "h4" | "h5";
        return (
          <Heading
            // biome-ignore lint/suspicious/noArrayIndexKey: a heading has nothing else that stays when it is edited
            key={index}
            dir="auto"
            id={part.level === 2 && part.point > 0 ? getHeadingId(part.point) : undefined}
          >
            {part.text}
          </Heading>
        );
      })}
    </article>
  );
});

/** So many lines are drawn, and laid out, together. */
const GROUP = 40;

/** A line of a block as it is drawn, without its place: most edits only move it. */
interface SheetLine {
  readonly text: string;
  /** The clauses that begin in this line; empty if there are none. */
  readonly label: string;
  readonly isMarked: boolean;
  readonly found: readonly Finding[];
}

type SheetPart =
  | Extract<PagePart, { kind: "heading" }>
  | {
      readonly kind: "prose";
      readonly text: string;
      readonly item: boolean;
      /** The defaults in force for its open points, in one text. */
      readonly open: string;
      /** The point that the paragraph offers to answer, or null. */
      readonly answers: number | null;
    }
  | { readonly kind: "block"; readonly groups: readonly (readonly SheetLine[])[] };

const noFindings: readonly Finding[] = [];

/** The parts of a page with their clauses and findings. */
const buildPage = (
  parts: readonly PagePart[],
  { findings, clauses, open }: CheckedText,
  file: string,
  at: string | null,
): readonly SheetPart[] => {
  const inFile = <T extends { readonly span: Span }>(all: readonly T[]): readonly T[] =>
    all.filter(({ span }) => span.file === file).toSorted((a, b) => a.span.start - b.span.start);
  const nextFindings = takeByLine(inFile(findings.filter(({ severity }) => severity !== "open")));
  const nextClauses = takeByLine(inFile(clauses));
  const openPoints = inFile(open);
  const answered = new Set<number>();
  return parts.map((part): SheetPart => {
    if (part.kind === "heading") return part;
    if (part.kind === "prose") return toProse(part, openPoints, answered);
    const lines = part.lines.map((line): SheetLine => {
      const found = nextFindings(line);
      const own = nextClauses(line);
      return {
        text: line.text,
        label: part.runs ? own.map(({ id }) => id).join(" ") : "",
        isMarked: part.runs && own.some(({ id }) => id === at),
        found: found.length === 0 ? noFindings : found,
      };
    });
    return {
      kind: "block",
      groups: Array.from({ length: Math.ceil(lines.length / GROUP) }, (_, group) =>
        lines.slice(group * GROUP, (group + 1) * GROUP),
      ),
    };
  });
};

/** Takes the items that begin in a line, line by line. */
const takeByLine = <T extends { readonly span: Span }>(sorted: readonly T[]): ((line: PageLine) => readonly T[]) => {
  let next = 0;
  return ({ start, text }) => {
    while (next < sorted.length && (sorted[next]?.span.start ?? 0) < start) next++;
    const first = next;
    while (next < sorted.length && (sorted[next]?.span.start ?? 0) <= start + text.length) next++;
    return sorted.slice(first, next);
  };
};

const toProse = (
  { sentences, item, point }: Extract<PagePart, { kind: "prose" }>,
  openPoints: readonly OpenPoint[],
  answered: Set<number>,
): SheetPart => {
  const open = sentences.flatMap((sentence) =>
    sentence.open
      ? (openPoints.find(({ span }) => span.start < sentence.span.end && span.end > sentence.span.start) ?? [])
      : [],
  );
  const isFirst = open.length > 0 && !answered.has(point);
  if (isFirst) answered.add(point);
  return {
    kind: "prose",
    text: sentences.map(({ text }) => text).join(" "),
    item,
    // Several sentences can concern one open point; its default is shown once.
    open: [...new Set(open.map((openPoint) => openPoint.default))].join(" "),
    answers: isFirst ? point : null,
  };
};

const Prose = memo(
  ({
    text,
    item,
    open,
    answers,
    defaults,
    onAnswer,
  }: Extract<SheetPart, { kind: "prose" }> & Pick<SheetProps, "defaults" | "onAnswer">) => {
    const { say } = useWords();
    const codes = open === "" ? [] : (open.split(" ") as readonly OpenPoint["default"][]);
    return (
      <div className="sheet-prose">
        <span className="open-mark">{codes.length > 0 && <OpenMark />}</span>
        <div>
          <p dir="auto" className={item ? "sheet-item" : undefined}>
            {inline(text)}
          </p>
          {codes.map((code) => (
            <p key={code} className="in-force">
              {say("workbench.in.force", { words: defaults[code].inForce })}
            </p>
          ))}
          {answers !== null && onAnswer && (
            <Button small icon="edit" onClick={() => onAnswer(answers)}>
              {answers === 0
                ? say("workbench.answer.introduction")
                : say("workbench.answer.point", { number: answers })}
            </Button>
          )}
        </div>
      </div>
    );
  },
);

interface LinesProps {
  readonly part: number;
  /** The index of the first line in its block. */
  readonly from: number;
  readonly lines: readonly SheetLine[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onLine: (part: number, line: number) => void;
}

const haveSameFindings = (a: readonly Finding[], b: readonly Finding[]): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every(
      ({ severity, message, hint }, i) =>
        severity === b[i]?.severity && message === b[i]?.message && hint === b[i]?.hint,
    ));

const isSameLine = (a: SheetLine, b: SheetLine | undefined): boolean =>
  a.text === b?.text && a.label === b.label && a.isMarked === b.isMarked && haveSameFindings(a.found, b.found);

/** Some lines of a block, in a list of their own so that the browser can skip those that are not on the screen. */
const Lines = memo(
  ({ part, from, lines, isFirst, isLast, onLine }: LinesProps) => (
    <ol
      dir="ltr"
      className={["clauses", !isFirst && "goes-on", !isLast && "continues"].filter(Boolean).join(" ")}
      style={{ "--lines": lines.length } as CSSProperties}
    >
      {lines.map((line, index) => (
        <Line
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has nothing else that stays when others are edited
          key={index}
          part={part}
          index={from + index}
          {...line}
          onLine={onLine}
        />
      ))}
    </ol>
  ),
  (a, b) =>
    a.part === b.part &&
    a.from === b.from &&
    a.isFirst === b.isFirst &&
    a.isLast === b.isLast &&
    a.onLine === b.onLine &&
    a.lines.length === b.lines.length &&
    a.lines.every((line, i) => isSameLine(line, b.lines[i])),
);

/** A line of a block. */
const Line = memo(
  ({
    part,
    index,
    text,
    label,
    isMarked,
    found,
    onLine,
  }: SheetLine & { readonly part: number; readonly index: number; readonly onLine: LinesProps["onLine"] }) => {
    const { say } = useWords();
    const worst = found.find(({ severity }) => severity === "error") ?? found[0];
    return (
      <li className={[isMarked && "at", worst?.severity === "error" && "bad"].filter(Boolean).join(" ") || undefined}>
        <span className="open-mark">
          {worst ? <FindingMark severity={worst.severity} /> : label !== "" && <span className="shown-mark" />}
        </span>
        <code style={{ "--indent": text.length - text.trimStart().length } as CSSProperties}>
          {highlighted(text.trimStart())}
        </code>
        {label !== "" && (
          <button
            type="button"
            className="clause-id"
            onClick={() => onLine(part, index)}
            title={say("workbench.to.text")}
          >
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

/** Highlights keys, texts and comments. */
const highlighted = (line: string): ReactNode => {
  let offset = 0;
  return splitLine(line).map(({ text, look }) => {
    const key = offset;
    offset += text.length;
    if (look === null) return text;
    return (
      <span key={key} className={look}>
        {text}
      </span>
    );
  });
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
