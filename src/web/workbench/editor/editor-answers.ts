import type { Completions } from "../../../core/editor/complete.ts";
import type { Editor, EditorPlace, Hover } from "../../../core/editor/editor.ts";
import { buildOutline, type Fold, findFolds, type OutlineItem } from "../../../core/editor/outline.ts";
import type { Finding } from "../../../core/findings.ts";
import { format } from "../../../core/format.ts";
import type { Clause } from "../../../core/model/clause.ts";
import { collectClauses } from "../../../core/model/facts/collect-clauses.ts";
import type { OpenPoint } from "../../../core/model/model.ts";
import { placesIn, type Source, type Span } from "../../../core/source-text.ts";

/** Everything that compiling a text says about it, as plain data. */
export interface CheckedText {
  readonly sources: readonly Source[];
  readonly findings: readonly Finding[];
  readonly open: readonly OpenPoint[];
  readonly clauses: readonly Clause[];
  /** True if the text has no errors. */
  readonly isRunnable: boolean;
}

/** A place where a name is used, with its line. */
export interface Use {
  readonly span: Span;
  /** Counted from 1. */
  readonly line: number;
  /** The line without indentation. */
  readonly text: string;
}

/** A fix of a finding. */
export interface OfferedFix {
  readonly label: string;
  readonly sources: readonly Source[];
}

/** The questions of the text editor, with what each is about. `files`: the whole text of the draft. */
export interface EditorQuestions {
  readonly check: object;
  readonly complete: EditorPlace;
  readonly hover: EditorPlace;
  readonly definition: EditorPlace;
  readonly uses: EditorPlace;
  readonly name: EditorPlace;
  readonly rename: EditorPlace & { readonly to: string; readonly published: readonly Source[] };
  readonly fixes: EditorPlace;
  readonly format: object;
  readonly folds: { readonly file: string };
  readonly outline: { readonly file: string };
}

/** The answers. */
export interface EditorAnswers {
  readonly check: CheckedText;
  readonly complete: Completions;
  readonly hover: Hover | undefined;
  readonly definition: Span | undefined;
  readonly uses: readonly Use[];
  /** The name at a place, if it can be renamed. */
  readonly name: { readonly name: string; readonly span: Span } | undefined;
  readonly rename: { readonly sources: readonly Source[] } | { readonly refusal: string };
  readonly fixes: readonly OfferedFix[];
  readonly format: readonly Source[];
  readonly folds: readonly Fold[];
  readonly outline: readonly OutlineItem[];
}

export type QuestionKind = keyof EditorQuestions;

/** A question about a text. */
export type EditorQuestion = {
  [K in QuestionKind]: { readonly kind: K; readonly files: readonly Source[]; readonly about: EditorQuestions[K] };
}[QuestionKind];

const findSource = (files: readonly Source[], name: string): Source =>
  files.find(({ file }) => file === name) ?? { file: name, text: "" };

const listUses = (editor: Editor, files: readonly Source[], place: EditorPlace): readonly Use[] => {
  const at = placesIn(files);
  return editor.findReferences(place).map((span) => {
    const { text } = findSource(files, span.file);
    const from = text.lastIndexOf("\n", span.start - 1) + 1;
    const to = text.indexOf("\n", span.end);
    return { span, line: at(span).line, text: text.slice(from, to < 0 ? text.length : to).trim() };
  });
};

const check = (editor: Editor): CheckedText => {
  const { sources, findings, open, model } = editor.compile();
  return {
    sources,
    findings,
    open,
    clauses: model === undefined ? [] : collectClauses(model).map(({ id, span }) => ({ id, span })),
    isRunnable: model !== undefined,
  };
};

const answers: {
  readonly [K in QuestionKind]: (
    editor: Editor,
    about: EditorQuestions[K],
    files: readonly Source[],
  ) => EditorAnswers[K];
} = {
  check,
  complete: (editor, place) => editor.complete(place),
  hover: (editor, place) => editor.hover(place),
  definition: (editor, place) => editor.findDefinition(place),
  uses: (editor, place, files) => listUses(editor, files, place),
  name: (editor, place) => {
    const found = editor.findName(place);
    return found && { name: found.symbol.name, span: found.span };
  },
  rename: (editor, { to, published, ...place }) => editor.rename(place, to, published),
  fixes: (editor, { file, offset }) =>
    editor.fixes({ file, start: offset, end: offset }).map(({ label, sources }) => ({ label, sources })),
  format: (_, __, files) => format(files).sources,
  folds: (_, { file }, files) => findFolds(findSource(files, file)),
  outline: (_, { file }, files) => buildOutline(findSource(files, file)),
};

/** Answers a question about a text with the editor of `core`, the one that the language server uses. */
export const answerQuestion = (editor: Editor, { kind, files, about }: EditorQuestion): EditorAnswers[QuestionKind] => {
  editor.open(files);
  const answer = answers[kind] as (
    editor: Editor,
    about: EditorQuestion["about"],
    files: readonly Source[],
  ) => EditorAnswers[QuestionKind];
  return answer(editor, about, files);
};
