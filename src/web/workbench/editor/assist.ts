import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeCompletion,
  completionStatus,
  moveCompletionSelection,
  pickedCompletion,
  snippet,
  startCompletion,
} from "@codemirror/autocomplete";
import { redo, undo } from "@codemirror/commands";
import { codeFolding, foldCode, foldGutter, foldKeymap, foldService, unfoldCode } from "@codemirror/language";
import { EditorState, type Extension, Prec, StateEffect, type StateEffectType, StateField } from "@codemirror/state";
import { type Command, type EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import type { CompletionItem } from "../../../core/editor/complete.ts";
import type { Hover } from "../../../core/editor/editor.ts";
import type { Fold } from "../../../core/editor/outline.ts";
import type { Source, Span } from "../../../core/source-text.ts";
import { drawExplanation } from "./draw-explanation.ts";
import type { EditorAnswers, EditorQuestions, QuestionKind, Use } from "./editor-answers.ts";

/** Things that the editor does at the cursor, each with a key and an entry of its menu. */
export interface EditorActions {
  complete(): void;
  explain(): void;
  goToDefinition(): void;
  showUses(): void;
  rename(): void;
  showFixes(): void;
  format(): void;
  goToName(): void;
  fold(): void;
  unfold(): void;
  undo(): void;
  redo(): void;
  focus(): void;
}

/** Everything that the text editor needs from its page. */
export interface Assistance {
  readonly file: string;
  readonly readOnly: boolean;
  /** Asks about the text of the whole draft. */
  ask<K extends QuestionKind>(kind: K, about: EditorQuestions[K]): Promise<EditorAnswers[K]>;
  /** Shows a place, which can be in another file. */
  show(span: Span): void;
  showUses(name: string, uses: readonly Use[]): void;
  rename(name: string, offset: number): void;
  goToName(): void;
  /** Takes over changed files. */
  change(sources: readonly Source[]): void;
  /** The text of a link to a place in the language reference. */
  nameReference(id: string): string;
  /** Words of the editor’s own controls, by the English ones. */
  readonly phrases: Readonly<Record<string, string>>;
  /** Says that there is nothing to do here. */
  sayNothing(why: "name" | "fix" | "format"): void;
}

/** So early after these characters, values or fields are offered although nothing is typed yet. */
const OPENING = /(?:[:{[,]\s|[{[.])$/u;

const toCompletion = ({ label, kind, detail, insert }: CompletionItem): Completion => {
  const template = snippet(insert);
  return {
    label,
    type: kind,
    detail,
    apply: insert.includes("${") ? (view, completion, from, to) => template(view, completion, from, to) : insert,
  };
};

/** Folds move with the text until the next ones arrive. */
const setFolds: StateEffectType<readonly Fold[]> = StateEffect.define<readonly Fold[]>();
const folds = StateField.define<readonly Fold[]>({
  create: () => [],
  update: (before, { changes, docChanged, effects, newDoc }) => {
    const fresh = effects.find((effect) => effect.is(setFolds));
    if (fresh !== undefined) return fresh.value;
    if (!docChanged) return before;
    return before
      .map(({ start, end }) => ({ start: changes.mapPos(start, 1), end: changes.mapPos(end, -1) }))
      .filter(({ start, end }) => start < end && end <= newDoc.length);
  },
});

const findFoldIn = (state: EditorState, lineStart: number, lineEnd: number) => {
  const found = state.field(folds).find(({ start }) => start >= lineStart && start <= lineEnd);
  return found !== undefined && found.end > lineEnd && found.end <= state.doc.length
    ? { from: lineEnd, to: found.end }
    : null;
};

/** Shows the folds of a text, unless it has changed meanwhile. */
export const showFolds = (view: EditorView, text: string, found: readonly Fold[]): void => {
  if (view.state.doc.length === text.length) view.dispatch({ effects: setFolds.of(found) });
};

/** The explanation that a key opened. Any other change closes it. */
const setExplanation = StateEffect.define<Tooltip | null>();
const explanation = StateField.define<Tooltip | null>({
  create: () => null,
  update: (before, { effects, docChanged, selection }) => {
    const fresh = effects.find((effect) => effect.is(setExplanation));
    if (fresh !== undefined) return fresh.value;
    return docChanged || selection !== undefined ? null : before;
  },
  provide: (field) => showTooltip.from(field),
});

const toTooltip = ({ span, lines, reference }: Hover, nameReference: Assistance["nameReference"]): Tooltip => ({
  pos: span.start,
  end: span.end,
  above: true,
  create: () => ({
    dom: drawExplanation(
      lines,
      reference && {
        href: `/_/docs/language${reference.heading === "" ? "" : `#${reference.heading}`}`,
        text: nameReference(reference.id),
      },
    ),
  }),
});

/** The actions of an editor. Answers that arrive after the text has changed are ignored. */
export const createActions = (view: EditorView, on: () => Assistance, wants: CompletionPurpose): EditorActions => {
  const ask = <K extends QuestionKind>(
    kind: K,
    about: EditorQuestions[K],
    use: (answer: EditorAnswers[K]) => void,
  ): void => {
    const { doc } = view.state;
    on()
      .ask(kind, about)
      .then((answer) => {
        if (view.state.doc.eq(doc)) use(answer);
      })
      // A thread that failed is started again by the next question.
      .catch(() => undefined);
  };
  const place = () => ({ file: on().file, offset: view.state.selection.main.head });
  return {
    complete: () => {
      view.focus();
      startCompletion(view);
    },
    explain: () =>
      ask("hover", place(), (hover) => {
        if (hover === undefined) on().sayNothing("name");
        else view.dispatch({ effects: setExplanation.of(toTooltip(hover, on().nameReference)) });
      }),
    goToDefinition: () =>
      ask("definition", place(), (span) => {
        if (span === undefined) on().sayNothing("name");
        else on().show(span);
      }),
    showUses: () => {
      const at = place();
      ask("name", at, (found) => {
        if (found === undefined) on().sayNothing("name");
        else ask("uses", at, (uses) => on().showUses(found.name, uses));
      });
    },
    rename: () => {
      const at = place();
      ask("name", at, (found) => {
        if (found === undefined) on().sayNothing("name");
        else on().rename(found.name, at.offset);
      });
    },
    showFixes: () => {
      wants.fixes = true;
      view.focus();
      startCompletion(view);
    },
    format: () =>
      ask("format", {}, (sources) => {
        const changed = sources.some(({ file, text }) => file === on().file && text !== view.state.doc.toString());
        if (changed) on().change(sources);
        else on().sayNothing("format");
      }),
    goToName: () => on().goToName(),
    fold: () => void foldCode(view),
    unfold: () => void unfoldCode(view),
    undo: () => void undo(view),
    redo: () => void redo(view),
    focus: () => view.focus(),
  };
};

/** The purpose of the next list of completions. */
export interface CompletionPurpose {
  fixes: boolean;
  /** Enter accepts the selected item, because its beginning was typed or the list was asked for. */
  isAccepting: boolean;
}

const offerFixes = async ({ pos }: CompletionContext, on: () => Assistance): Promise<CompletionResult | null> => {
  const found = await on().ask("fixes", { file: on().file, offset: pos });
  if (found.length === 0) on().sayNothing("fix");
  return found.length === 0
    ? null
    : {
        from: pos,
        filter: false,
        options: found.map(({ label, sources }) => ({
          label,
          type: "fix",
          apply: (view, completion) => {
            view.dispatch({ annotations: pickedCompletion.of(completion) });
            closeCompletion(view);
            on().change(sources);
          },
        })),
      };
};

const offerCompletions = async (
  { pos, explicit, state }: CompletionContext,
  on: () => Assistance,
  wants: CompletionPurpose,
): Promise<CompletionResult | null> => {
  if (on().readOnly) return null;
  const line = state.doc.lineAt(pos);
  const { from, items } = await on().ask("complete", { file: on().file, offset: pos });
  const typed = state.sliceDoc(from, pos);
  const isOpening = OPENING.test(line.text.slice(0, pos - line.from));
  if (!explicit && typed === "" && !isOpening) return null;
  // A word that is complete needs no list in the way of the next key.
  if (!explicit && items.some(({ label }) => label === typed)) return null;
  wants.isAccepting = explicit || typed !== "";
  return items.length === 0 ? null : { from, options: items.map(toCompletion), filter: false };
};

/** Completion, explanations, folds and the keys of a document, answered by the editor of `core` in its thread. */
export const assist = (
  on: () => Assistance,
  wants: CompletionPurpose,
  actions: () => EditorActions | null,
): Extension => {
  const run =
    (action: (all: EditorActions) => void): Command =>
    () => {
      const all = actions();
      if (all !== null) action(all);
      return true;
    };
  return [
    EditorState.phrases.of(on().phrases),
    // A place that a snippet has several times is filled in everywhere at once.
    EditorState.allowMultipleSelections.of(true),
    folds,
    explanation,
    foldService.of(findFoldIn),
    codeFolding(),
    // Its marks are drawn again when the folds of the text arrive.
    foldGutter({ foldingChanged: ({ startState, state }) => startState.field(folds) !== state.field(folds) }),
    autocompletion({
      override: [
        (context) => {
          if (!wants.fixes) return offerCompletions(context, on, wants);
          wants.fixes = false;
          wants.isAccepting = true;
          return offerFixes(context, on);
        },
      ],
      defaultKeymap: false,
      icons: false,
      tooltipClass: () => "completions",
    }),
    Prec.highest(
      keymap.of([
        { key: "Ctrl-Space", run: run((all) => all.complete()) },
        { key: "Escape", run: closeCompletion },
        { key: "ArrowDown", run: moveCompletionSelection(true) },
        { key: "ArrowUp", run: moveCompletionSelection(false) },
        { key: "PageDown", run: moveCompletionSelection(true, "page") },
        { key: "PageUp", run: moveCompletionSelection(false, "page") },
        {
          key: "Enter",
          run: (view) => {
            if (wants.isAccepting) return acceptCompletion(view);
            if (completionStatus(view.state) !== null) closeCompletion(view);
            return false;
          },
        },
        { key: "Tab", run: acceptCompletion },
      ]),
    ),
    keymap.of([
      { key: "F1", run: run((all) => all.explain()), preventDefault: true },
      { key: "F12", run: run((all) => all.goToDefinition()), preventDefault: true },
      { key: "Shift-F12", run: run((all) => all.showUses()), preventDefault: true },
      { key: "F2", run: run((all) => all.rename()), preventDefault: true },
      { key: "Mod-.", run: run((all) => all.showFixes()), preventDefault: true },
      { key: "Shift-Alt-f", run: run((all) => all.format()), preventDefault: true },
      { key: "Mod-Shift-o", run: run((all) => all.goToName()), preventDefault: true },
      {
        key: "Escape",
        run: (view) => {
          if (view.state.field(explanation) === null) return false;
          view.dispatch({ effects: setExplanation.of(null) });
          return true;
        },
      },
      ...foldKeymap,
    ]),
    hoverTooltip(
      async (view, pos) => {
        const { doc } = view.state;
        const hover = await on()
          .ask("hover", { file: on().file, offset: pos })
          .catch(() => undefined);
        return hover === undefined || !view.state.doc.eq(doc) ? null : toTooltip(hover, on().nameReference);
      },
      { hideOnChange: true },
    ),
  ];
};
