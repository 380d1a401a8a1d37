import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Finding } from "../../../core/findings.ts";
import { haveSameText, type Source, type Span } from "../../../core/source-text.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { useKeys } from "../../app/app-context.tsx";
import type { EditorSelection } from "../draft/draft-session.ts";
import type { CheckedText } from "../editor/editor-answers.ts";
import { findingFrom } from "./findings-pane.tsx";
import { firstError } from "./first-error.ts";

type ChooseFinding = (found: readonly Finding[], sources: readonly Source[]) => Finding | undefined;

const NO_FILE: SourceJson = { file: "", text: "" };

interface EditorPlaceProps {
  readonly files: readonly SourceJson[];
  /** The newest text, which can be one key ahead of `files`. */
  readonly getFiles: () => readonly SourceJson[];
  readonly checked: CheckedText;
  /** The findings of the checked text. */
  readonly found: readonly Finding[];
  /** The clause that the address names. */
  readonly linked: string | null;
  /** Shows the text where one pane is visible at a time. */
  readonly onText: () => void;
}

export type TextPlace = ReturnType<typeof useEditorPlace>;

/** The open file, the selection and the cursor of the text, with the keys that move them. */
export const useEditorPlace = ({ files, getFiles, checked, found, linked, onText }: EditorPlaceProps) => {
  const { clauses } = checked;
  const [name, setName] = useState(files[0]?.file ?? "");
  const [selection, setSelection] = useState<EditorSelection | null>(null);
  const file = files.find((source) => source.file === name) ?? files[0] ?? NO_FILE;
  const cursor = useRef({ file: file.file, start: 0 });

  const shown = useRef<string | null>(null);
  useEffect(() => {
    const span = clauses.find(({ id }) => id === linked)?.span;
    // Only once for each linked clause: later edits must not scroll back to it.
    if (!span || shown.current === linked) return;
    shown.current = linked;
    setName(span.file);
    setSelection({ from: span.start, to: span.end, quiet: true });
  }, [linked, clauses]);

  const select = useCallback(
    (from: number, to = from) => {
      setSelection({ from, to });
      onText();
    },
    [onText],
  );
  const leadTo = useCallback(
    (span: Span) => {
      setName(span.file);
      select(span.start, span.end);
    },
    [select],
  );
  /** A move to a finding, which waits for the check of the text that it is about. */
  const waiting = useRef<{ readonly files: readonly SourceJson[]; readonly choose: ChooseFinding } | null>(null);
  const latest = useRef({ checked, found });
  latest.current = { checked, found };
  const moveOn = useCallback(() => {
    if (waiting.current === null) return;
    const { files, choose } = waiting.current;
    const { checked, found } = latest.current;
    const isTypedSince = !haveSameText(files, getFiles());
    if (!isTypedSince && !haveSameText(files, checked.sources)) return;
    waiting.current = null;
    const next = isTypedSince ? undefined : choose(found, checked.sources);
    if (next) leadTo(next.span);
  }, [getFiles, leadTo]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a check, or a key, ends the waiting
  useEffect(moveOn, [moveOn, checked, files]);
  /** Goes to a finding of the text as it is now. While its author types, the last check is about an earlier one. */
  const goToFinding = useCallback(
    (choose: ChooseFinding) => {
      waiting.current = { files: getFiles(), choose };
      moveOn();
    },
    [getFiles, moveOn],
  );
  /** Goes to the finding after the cursor, or before it. */
  const step = useCallback(
    (direction: 1 | -1) => {
      goToFinding((found, sources) => findingFrom(found, sources, cursor.current, direction));
      return true;
    },
    [goToFinding],
  );
  const goToFirstError = useCallback(() => goToFinding(firstError), [goToFinding]);
  useKeys(
    useMemo(
      () => ({
        F8: ({ shiftKey }) => void step(shiftKey ? -1 : 1),
        e: (event) => {
          // The letter itself is not meant for the text.
          event.preventDefault();
          select(cursor.current.start);
        },
      }),
      [step, select],
    ),
  );
  const saveCursor = useCallback(
    (start: number) => {
      cursor.current = { file: file.file, start };
    },
    [file.file],
  );
  return { file, openFile: setName, selection, setSelection, select, leadTo, step, goToFirstError, saveCursor };
};
