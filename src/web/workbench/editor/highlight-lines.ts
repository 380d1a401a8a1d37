import { EditorState, type Extension, StateField, type Text, type Transaction } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { isYaml } from "../../../core/document/markdown.ts";
import { splitLine } from "./split-line.ts";

/** A line that opens or closes a block. */
interface FenceLine {
  /** Offset of the line. */
  readonly at: number;
  /** The language that it names; empty for a line that closes a block. */
  readonly language: string;
}

const FENCE = /^ {0,3}(?:`{3,}|~{3,})\s*([^\s`]*)[^`]*$/u;

const findFences = (doc: Text, from: number, to: number): readonly FenceLine[] => {
  const found: FenceLine[] = [];
  let at = doc.lineAt(from).from;
  for (const line of doc.iterRange(at, doc.lineAt(to).to)) {
    // Line breaks come as pieces of their own, and long lines in one piece.
    const [, language] = FENCE.exec(line) ?? [];
    if (language !== undefined) found.push({ at, language });
    at += line.length;
  }
  return found;
};

/** After an edit, only the lines that it touched are searched again. */
const updateFences = (before: readonly FenceLine[], { changes, docChanged, newDoc }: Transaction) => {
  if (!docChanged) return before;
  const searched: { readonly from: number; readonly to: number }[] = [];
  changes.iterChangedRanges((_, __, from, to) =>
    searched.push({ from: newDoc.lineAt(from).from, to: newDoc.lineAt(to).to }),
  );
  const moved = before
    .map(({ at, language }) => ({ at: changes.mapPos(at, 1), language }))
    .filter(({ at }) => !searched.some(({ from, to }) => from <= at && at <= to));
  return [...moved, ...searched.flatMap(({ from, to }) => findFences(newDoc, from, to))].toSorted(
    (a, b) => a.at - b.at,
  );
};

const fences = StateField.define<readonly FenceLine[]>({
  create: ({ doc }) => findFences(doc, 0, doc.length),
  update: updateFences,
});

/** The language after a fence; null after the end of a block. A fence with a language opens a block even inside another one. */
const pass = (language: string | null, fence: FenceLine): string | null =>
  fence.language !== "" || language === null ? fence.language : null;

/** The language of the block around an offset, and the number of the fence that follows; null outside of blocks. */
const languageAt = (
  found: readonly FenceLine[],
  offset: number,
): { readonly language: string | null; next: number } => {
  let [language, next]: [string | null, number] = [null, 0];
  for (; next < found.length; next++) {
    const fence = found[next];
    if (fence === undefined || fence.at >= offset) break;
    language = pass(language, fence);
  }
  return { language, next };
};

const marks = {
  "word-heading": Decoration.mark({ class: "word-heading" }),
  "word-key": Decoration.mark({ class: "word-key" }),
  "word-text": Decoration.mark({ class: "word-text" }),
  "word-note": Decoration.mark({ class: "word-note" }),
};

/** The marks of the lines on the screen: those of the whole text would cost more than a key may. */
const highlightVisible = ({ state, visibleRanges }: EditorView): DecorationSet => {
  const found = state.field(fences);
  const ranges: ReturnType<Decoration["range"]>[] = [];
  const add = (look: keyof typeof marks, from: number, to: number): void => {
    if (to > from) ranges.push(marks[look].range(from, to));
  };
  for (const visible of visibleRanges) {
    let { language, next } = languageAt(found, state.doc.lineAt(visible.from).from);
    for (let { from: at, number } = state.doc.lineAt(visible.from); at <= visible.to; number++) {
      const line = state.doc.line(number);
      const fence = found[next];
      if (fence?.at === line.from) {
        language = pass(language, fence);
        next++;
        add("word-note", line.from, line.to);
      } else if (language === null) {
        if (/^ {0,3}#{1,6}\s/u.test(line.text)) add("word-heading", line.from, line.to);
      } else if (isYaml(language)) {
        let from = line.from;
        for (const { text, look } of splitLine(line.text)) {
          if (look !== null) add(look, from, from + text.length);
          from += text.length;
        }
      }
      at = line.to + 1;
      if (number === state.doc.lines) break;
    }
  }
  return Decoration.set(ranges);
};

class Highlighter {
  decorations: DecorationSet;
  constructor(view: EditorView) {
    this.decorations = highlightVisible(view);
  }
  update({ docChanged, viewportChanged, view }: ViewUpdate): void {
    if (docChanged || viewportChanged) this.decorations = highlightVisible(view);
  }
}

/** True if an offset is in a block rather than in prose. */
export const isInBlock = (state: EditorState, offset: number): boolean =>
  languageAt(state.field(fences), offset).language !== null;

/** The marks of comments, for the key that comments lines out. */
const commentTokens = (state: EditorState, offset: number) => {
  const { language } = languageAt(state.field(fences), offset);
  const tokens = language === null ? { block: { open: "<!--", close: "-->" } } : { line: "#" };
  return [{ commentTokens: tokens }];
};

/** Highlights headings, and keys, texts and comments of the document's blocks, line by line. */
export const highlightLines: Extension = [
  fences,
  ViewPlugin.fromClass(Highlighter, { decorations: ({ decorations }) => decorations }),
  EditorState.languageData.of(commentTokens),
];
