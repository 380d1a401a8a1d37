import { type CSSProperties, type ReactNode, useMemo } from "react";
import type { Compiled } from "../../../core/compile.ts";
import type { PagePart } from "../../../core/document/rendered-page.ts";
import type { Finding } from "../../../core/findings.ts";
import type { defaults as defaultsTable } from "../../../core/model/defaults.ts";
import type { Clause } from "../../../core/model/model.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { FindingMark, OpenMark } from "../marks.tsx";

interface SheetProps {
  readonly file: SourceJson;
  readonly parts: readonly PagePart[];
  readonly compiled: Compiled;
  readonly clauses: readonly Clause[];
  readonly defaults: typeof defaultsTable;
  /** The clause in the address. */
  readonly at: string | null;
  readonly onPlace: (offset: number) => void;
  /** Null if the document cannot be changed here. */
  readonly onAnswer: ((point: number) => void) | null;
}

/** Id of a point's heading, for the outline. */
export const headingOf = (point: number): string => `point-${point}`;

/** A formatted file of the document: prose, and blocks line by line with their clauses. */
export const Sheet = ({ file, parts, compiled, clauses, defaults, at, onPlace, onAnswer }: SheetProps) => {
  const { say } = useWords();
  const here = useMemo(() => {
    const of = <T extends { readonly span: { readonly file: string } }>(all: readonly T[]) =>
      all.filter(({ span }) => span.file === file.file);
    return {
      findings: of(compiled.findings).filter(({ severity }) => severity !== "open"),
      clauses: of(clauses),
      open: of(compiled.open),
    };
  }, [file.file, compiled, clauses]);
  const openAt = (start: number, end: number) => here.open.find(({ span }) => span.start < end && span.end > start);
  const answered = new Set<number>();

  const draw = (part: PagePart, key: number): ReactNode => {
    if (part.kind === "heading") {
      const level = Math.min(part.level + 1, 5);
      const Heading = `h${level}` as "h2" | "h3" | "h4" | "h5";
      return (
        <Heading key={key} id={part.level === 2 && part.point > 0 ? headingOf(part.point) : undefined}>
          {part.text}
        </Heading>
      );
    }
    if (part.kind === "block") return <Block key={key} part={part} {...here} at={at} onPlace={onPlace} />;
    const open = part.sentences.flatMap((one) => (one.open ? (openAt(one.span.start, one.span.end) ?? []) : []));
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
          {[...new Set(open.map((one) => one.default))].map((code) => (
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
};

const Block = ({
  part,
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
  const { say } = useWords();
  return (
    <ol className="clauses">
      {part.lines.map(({ text, start }) => {
        const end = start + text.length;
        const own = part.runs ? clauses.filter(({ span }) => span.start >= start && span.start < end) : [];
        const found = findings.filter(({ span }) => span.start >= start && span.start <= end);
        const worst = found.find(({ severity }) => severity === "error") ?? found[0];
        const marked = own.some(({ id }) => id === at);
        const label = own.map(({ id }) => id).join(" ");
        return (
          <li
            key={start}
            className={[marked && "at", worst?.severity === "error" && "bad"].filter(Boolean).join(" ") || undefined}
            {...(marked && { ref: (line: HTMLLIElement | null) => line?.scrollIntoView({ block: "center" }) })}
          >
            <span className="open-mark">
              {worst ? <FindingMark severity={worst.severity} /> : own.length > 0 && <span className="shown-mark" />}
            </span>
            <code style={{ "--indent": text.length - text.trimStart().length } as CSSProperties}>
              {highlighted(text.trimStart())}
            </code>
            {own.length > 0 && (
              <button
                type="button"
                className="clause-id"
                onClick={() => onPlace(start)}
                title={say("workbench.to.text")}
              >
                {label}
              </button>
            )}
            {found.map((one) => (
              <p key={`${one.code} ${one.span.start}`} className={`line-finding ${one.severity.replace(" ", "-")}`}>
                {one.message} {one.hint}
              </p>
            ))}
          </li>
        );
      })}
    </ol>
  );
};

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
