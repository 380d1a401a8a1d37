import { EditorView } from "@codemirror/view";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { useWords } from "../../i18n/words.tsx";
import { Button, IconButton } from "../../ui/control/button.tsx";
import { CheckBox } from "../../ui/control/check-box.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import { findInText, nextMatch } from "./find-in-text.ts";
import "../editor/text-bars.css";

/** Finds and replaces words in the text of the editor. Every replacement can be undone in the editor. */
export const FindBar = ({
  editor,
  text,
  begin,
  readOnly,
  onClose,
}: {
  readonly editor: EditorView;
  readonly text: string;
  /** The words to begin with; a new object takes the focus again. */
  readonly begin: { readonly words: string };
  readonly readOnly: boolean;
  readonly onClose: () => void;
}) => {
  const { say } = useWords();
  const [words, setWords] = useState(begin.words);
  const [isWhole, setWhole] = useState(false);
  const [isExact, setExact] = useState(false);
  const [instead, setInstead] = useState("");
  const [selected, setSelected] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const matches = useMemo(() => findInText(text, { words, isWhole, isExact }), [text, words, isWhole, isExact]);
  useEffect(() => {
    if (begin.words !== "") setWords(begin.words);
    input.current?.focus();
    input.current?.select();
  }, [begin]);

  /** The matches in the text of the editor, which can be some keys ahead of the one that is shown. */
  const findNow = () => findInText(editor.state.doc.toString(), { words, isWhole, isExact });
  const step = (direction: 1 | -1): void => {
    const among = findNow();
    const match = among[nextMatch(among, editor.state.selection.main, direction)];
    setSelected(match?.from ?? -1);
    if (match === undefined) return;
    editor.dispatch({
      selection: { anchor: match.from, head: match.to },
      effects: EditorView.scrollIntoView(match.from, { y: "center" }),
    });
  };
  const replace = (): void => {
    const { from, to } = editor.state.selection.main;
    const isMatch = findNow().some((match) => match.from === from && match.to === to);
    if (!isMatch) {
      step(1);
      return;
    }
    editor.dispatch({ changes: { from, to, insert: instead }, selection: { anchor: from + instead.length } });
    step(1);
  };
  const replaceAll = (): void => {
    editor.dispatch({ changes: findNow().map(({ from, to }) => ({ from, to, insert: instead })) });
    setSelected(-1);
  };
  const onKeyDown = (event: KeyboardEvent, onEnter: () => void): void => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    onEnter();
  };
  const onEscape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onClose();
  };
  const number = matches.findIndex(({ from }) => from === selected) + 1;
  const count = matches.length;
  return (
    <search className="find-bar" aria-label={say("find.title")} onKeyDown={onEscape}>
      <div className="find-row">
        <span className="box">
          <SearchInput
            ref={input}
            aria-label={say("find.words")}
            placeholder={say("find.words")}
            value={words}
            spellCheck={false}
            onChange={(event) => {
              setWords(event.currentTarget.value);
              setSelected(-1);
            }}
            onKeyDown={(event) => onKeyDown(event, () => step(event.shiftKey ? -1 : 1))}
          />
        </span>
        <span className="find-count" role="status">
          {words !== "" && (number > 0 ? say("find.number", { number, count }) : say("find.count", { count }))}
        </span>
        <IconButton small icon="up" label={say("find.previous")} onClick={() => step(-1)} />
        <IconButton small icon="down" label={say("find.next")} onClick={() => step(1)} />
        <IconButton small icon="close" label={say("close")} onClick={onClose} />
      </div>
      {!readOnly && (
        <div className="find-row">
          <span className="box">
            <SearchInput
              aria-label={say("find.instead")}
              placeholder={say("find.instead")}
              value={instead}
              spellCheck={false}
              onChange={(event) => setInstead(event.currentTarget.value)}
              onKeyDown={(event) => onKeyDown(event, replace)}
            />
          </span>
          <Button small aria-disabled={count === 0} onClick={() => count > 0 && replace()}>
            {say("find.replace")}
          </Button>
          <Button small aria-disabled={count === 0} onClick={() => count > 0 && replaceAll()}>
            {say("find.replace.all")}
          </Button>
        </div>
      )}
      <div className="find-row">
        <CheckBox checked={isWhole} onTurn={setWhole}>
          {say("find.whole")}
        </CheckBox>
        <CheckBox checked={isExact} onTurn={setExact}>
          {say("find.exact")}
        </CheckBox>
      </div>
    </search>
  );
};
