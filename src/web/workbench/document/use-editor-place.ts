import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Finding } from "../../../core/findings.ts";
import type { Clause } from "../../../core/model/clause.ts";
import type { Span } from "../../../core/source-text.ts";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { useKeys } from "../../app/app-context.tsx";
import type { EditorSelection } from "../draft/draft-session.ts";
import { findingFrom } from "./findings-pane.tsx";

const NO_FILE: SourceJson = { file: "", text: "" };

interface EditorPlaceProps {
  readonly files: readonly SourceJson[];
  readonly clauses: readonly Clause[];
  readonly found: readonly Finding[];
  /** The clause that the address names. */
  readonly linked: string | null;
  /** Shows the text where one pane is visible at a time. */
  readonly onText: () => void;
}

/** The open file, the selection and the cursor of the text, with the keys that move them. */
export const useEditorPlace = ({ files, clauses, found, linked, onText }: EditorPlaceProps) => {
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
  /** Goes to the finding after the cursor, or before it. False if there is none. */
  const step = useCallback(
    (direction: 1 | -1) => {
      const next = findingFrom(found, files, cursor.current, direction);
      if (next) leadTo(next.span);
      return next !== undefined;
    },
    [found, files, leadTo],
  );
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
  return { file, openFile: setName, selection, setSelection, select, leadTo, step, saveCursor };
};
