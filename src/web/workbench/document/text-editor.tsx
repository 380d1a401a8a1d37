import {
  defaultKeymap,
  history,
  historyField,
  historyKeymap,
  indentWithTab,
  isolateHistory,
  redo,
} from "@codemirror/commands";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { type RefObject, useEffect, useRef, useState } from "react";
import { findChangedRanges } from "../../../core/document/changed-range.ts";
import type { Fold } from "../../../core/editor/outline.ts";
import type { Finding } from "../../../core/findings.ts";
import type { EditorSelection } from "../draft/draft-session.ts";
import { type Assistance, assist, createActions, type EditorActions, showFolds } from "../editor/assist.ts";
import { continueList } from "../editor/continue-list.ts";
import { highlightLines } from "../editor/highlight-lines.ts";
import { typeOverSelection } from "../editor/type-over-selection.ts";
import { FindBar } from "./find-bar.tsx";
import type { LabelledFix } from "./findings-pane.tsx";
import "./text-editor.css";

interface TextEditorProps {
  readonly label: string;
  /** The id of the element that says how the keyboard leaves the editor. */
  readonly describedBy: string;
  readonly text: string;
  /** The newest text of the draft, which can be some keys ahead of `text`. */
  readonly getText: () => string;
  /** The histories of the files that were shown before, so that undo works in each after another one was open. */
  readonly histories: Map<string, unknown>;
  readonly findings: readonly Finding[];
  /** The folds of a text that was shown before, or is shown now. */
  readonly folds: { readonly text: string; readonly folds: readonly Fold[] } | null;
  readonly readOnly: boolean;
  /** A position to select and reveal; a new object does so again. */
  readonly selection: EditorSelection | null;
  /** True while the bar for finding and replacing is open. */
  readonly isFinding: boolean;
  /** Answers about names and keys at the cursor. */
  readonly assistance: Assistance;
  /** The actions of the editor, for its menu; null when it is gone. */
  readonly onActions: (actions: EditorActions | null) => void;
  /** The fixes of a finding: "Change to first_day". */
  readonly fixesOf: (finding: Finding) => readonly LabelledFix[];
  readonly onChange: (text: string) => void;
  /** The focus leaves the text. */
  readonly onLeave: () => void;
  readonly onFind: (isFinding: boolean) => void;
  /** The cursor is at a new offset. */
  readonly onCursor: (at: number) => void;
  /** Goes to the next finding, or the previous one. False if there is none. */
  readonly onStep: (direction: 1 | -1) => boolean;
}

/** Milliseconds after Esc in which Tab leaves the text. */
const TAB_LEAVES = 2_000;

/** Lets Tab leave the text for a moment. With a selection, Escape clears it too, and Tab would indent. */
const leaveWithTab = (editor: EditorView): boolean => {
  editor.setTabFocusMode(TAB_LEAVES);
  return false;
};

/** The content security policy allows only styles with this nonce. */
const nonce = (): string => document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";

const toDiagnostic = (finding: Finding, length: number, fixesOf: TextEditorProps["fixesOf"]): Diagnostic => {
  const from = Math.min(finding.span.start, length);
  const fixes = fixesOf(finding).filter(({ edit }) => edit.span.file === finding.span.file);
  return {
    from,
    to: Math.min(Math.max(finding.span.end, from), length),
    severity: finding.severity === "error" ? "error" : finding.severity === "warning" ? "warning" : "info",
    message: `${finding.message} ${finding.hint}`,
    source: finding.code,
    actions: fixes.map(({ label, edit }) => ({
      name: label,
      apply: (view) => view.dispatch({ changes: { from: edit.span.start, to: edit.span.end, insert: edit.text } }),
    })),
  };
};

/** The part of an editor's state that outlives it. */
const withHistory = { history: historyField };

/**
 * Takes over a text that the page changed, as one step of the history. Only the ranges that differ are replaced, so that the
 * cursor stays and undo takes back no more than that.
 */
const replaceText = (editor: EditorView, before: string, text: string): void => {
  const changes = findChangedRanges(before, text);
  if (changes.length > 0) editor.dispatch({ changes, annotations: isolateHistory.of("full") });
};

interface EditorOptions extends Pick<TextEditorProps, "label" | "describedBy" | "readOnly" | "onStep"> {
  /** Opens the search with the selected words. */
  readonly onFind: (words: string) => void;
}

/** Everything about an editor that does not depend on its text: keys, the syntax, lines, and what assistive technology reads. */
const createExtensions = ({ label, describedBy, readOnly, onStep, onFind }: EditorOptions): readonly Extension[] => [
  lineNumbers(),
  history(),
  drawSelection(),
  highlightActiveLine(),
  lintGutter(),
  EditorView.lineWrapping,
  EditorView.cspNonce.of(nonce()),
  EditorState.readOnly.of(readOnly),
  EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": describedBy, tabindex: "0" }),
  keymap.of([
    { key: "Escape", run: leaveWithTab },
    { key: "F8", run: () => onStep(1), shift: () => onStep(-1) },
    {
      key: "Mod-f",
      run: ({ state }) => {
        const { from, to } = state.selection.main;
        const words = state.sliceDoc(from, to);
        onFind(words.includes("\n") ? "" : words);
        return true;
      },
    },
    { key: "Enter", run: continueList },
    ...defaultKeymap,
    ...historyKeymap,
    { key: "Mod-Shift-z", run: redo, preventDefault: true },
    indentWithTab,
  ]),
  typeOverSelection,
  highlightLines,
];

/** Selects a place and scrolls to it. */
const useReveal = (view: RefObject<EditorView | null>, selection: EditorSelection | null): void =>
  useEffect(() => {
    const editor = view.current;
    if (!editor || !selection) return;
    const { length } = editor.state.doc;
    const [anchor, head] = [Math.min(selection.from, length), Math.min(selection.to, length)];
    editor.dispatch({
      selection: { anchor, head },
      effects: EditorView.scrollIntoView(anchor, { y: "center" }),
    });
    if (!selection.quiet) editor.focus();
  }, [view, selection]);

/** A text editor for one file, with findings at their places. */
const TextEditor = ({
  label,
  describedBy,
  text,
  getText,
  histories,
  findings,
  folds,
  readOnly,
  selection,
  isFinding,
  assistance,
  onActions,
  fixesOf,
  onChange,
  onLeave,
  onFind,
  onCursor,
  onStep,
}: TextEditorProps) => {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const [editor, setEditor] = useState<EditorView | null>(null);
  const [begin, setBegin] = useState({ words: "" });
  const on = useRef({ onChange, onLeave, onFind, onCursor, onStep });
  on.current = { onChange, onLeave, onFind, onCursor, onStep };
  /** The text of the editor, so that the draft that it just changed is not compared with it again. */
  const own = useRef(text);
  const help = useRef(assistance);
  help.current = assistance;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once
  useEffect(() => {
    if (host.current === null) return;
    const wants = { fixes: false, isAccepting: false };
    const find = (words: string) => {
      setBegin({ words });
      on.current.onFind(true);
    };
    let actions: EditorActions | null = null;
    const config = {
      extensions: [
        ...createExtensions({ label, describedBy, readOnly, onStep: (by) => on.current.onStep(by), onFind: find }),
        assist(
          () => help.current,
          wants,
          () => actions,
        ),
        EditorView.domEventHandlers({ blur: () => on.current.onLeave() }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) {
            own.current = update.state.doc.toString();
            on.current.onChange(own.current);
          }
          if (update.selectionSet) on.current.onCursor(update.state.selection.main.from);
        }),
      ],
    };
    const saved = histories.get(label);
    const editor = new EditorView({
      parent: host.current,
      state:
        saved === undefined
          ? EditorState.create({ ...config, doc: text })
          : EditorState.fromJSON(saved, config, withHistory),
    });
    own.current = editor.state.doc.toString();
    replaceText(editor, own.current, getText());
    view.current = editor;
    setEditor(editor);
    actions = createActions(editor, () => help.current, wants);
    onActions(actions);
    return () => {
      onActions(null);
      histories.set(label, editor.state.toJSON(withHistory));
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    if (text === own.current || view.current === null) return;
    const now = getText();
    if (now !== own.current) replaceText(view.current, own.current, now);
  }, [text, getText]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { length } = editor.state.doc;
    editor.dispatch(
      setDiagnostics(
        editor.state,
        findings.map((finding) => toDiagnostic(finding, length, fixesOf)),
      ),
    );
  }, [findings, fixesOf]);

  useEffect(() => {
    if (view.current !== null && folds !== null) showFolds(view.current, folds.text, folds.folds);
  }, [folds]);

  useReveal(view, selection);

  return (
    <div className="text-frame">
      {isFinding && editor !== null && (
        <FindBar
          editor={editor}
          text={text}
          begin={begin}
          readOnly={readOnly}
          onClose={() => {
            on.current.onFind(false);
            editor.focus();
          }}
        />
      )}
      <div className="text-editor" ref={host} />
    </div>
  );
};

export default TextEditor;
