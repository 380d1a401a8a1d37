import { type ComponentProps, type KeyboardEvent, type RefObject, useId, useRef, useState } from "react";
import type { ReferenceJson } from "../../../core/wire/records.ts";
import { isComposing } from "../../app/keyboard.ts";
import { PEOPLE } from "../../format/names.ts";
import { useWords } from "../../i18n/words.tsx";
import { usePopup } from "../../ui/overlay/popup.tsx";
import { useReadFailureWords } from "../../ui/page/problem-note.tsx";
import { Listbox } from "./listbox.tsx";
import { partialNameAt, withName } from "./mention.ts";
import { useCandidates } from "./use-candidates.ts";

interface AreaProps extends Omit<ComponentProps<"textarea">, "onChange" | "value"> {
  readonly area?: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** True if people mentioned in it are notified. */
  readonly mentions: boolean;
}

/** A multi-line text input. If mentions notify, typing @ opens a list of people that follows the input. */
export const MentionArea = ({ area, text, onText, mentions, onKeyDown, onBlur, ...more }: AreaProps) => {
  const { say } = useWords();
  const own = useRef<HTMLTextAreaElement>(null);
  const box = area ?? own;
  const [mention, setMention] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const popup = usePopup<HTMLDivElement>();
  const listId = useId();
  const { found, readable, isFetching, failure } = useCandidates(PEOPLE, mention ?? "", mentions && mention !== null);
  const failureWords = useReadFailureWords();
  // Names only: somebody whose room or number contains the words is not meant.
  const named = found.filter(({ foundBy }) => foundBy === undefined);
  const offered = mention === null || !readable ? [] : named.slice(0, MOST_OFFERED);
  const active = popup.open ? (offered[Math.min(at, offered.length - 1)] ?? null) : null;
  const optionId = (one: ReferenceJson) => `${listId}-${one.id}`;

  const follow = () => {
    const name = mentions && box.current ? partialNameAt(box.current.value, box.current.selectionStart) : null;
    setMention(name);
    setAt(0);
    if (name === null) popup.close();
    else popup.show();
  };
  const choose = ({ label }: ReferenceJson) => {
    const caret = box.current?.selectionStart ?? text.length;
    const named = withName(text, caret, label);
    onText(named.text);
    setMention(null);
    popup.close();
    requestAnimationFrame(() => {
      box.current?.focus();
      box.current?.setSelectionRange(named.caret, named.caret);
    });
  };
  const handleKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isComposing(event)) return;
    if (active === null) return onKeyDown?.(event);
    if (event.key === "ArrowDown" || event.key === "ArrowUp")
      setAt(Math.max(0, Math.min(offered.length - 1, at + (event.key === "ArrowDown" ? 1 : -1))));
    else if (event.key === "Enter" || event.key === "Tab") choose(active);
    else if (event.key === "Escape") {
      setMention(null);
      popup.close();
    } else return onKeyDown?.(event);
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="mention" ref={popup.anchor}>
      <textarea
        {...more}
        ref={box}
        // Input determines its own direction; the placeholder follows the page.
        dir={text === "" ? undefined : "auto"}
        value={text}
        aria-autocomplete={mentions ? "list" : undefined}
        aria-controls={popup.open ? popup.id : undefined}
        aria-activedescendant={active ? optionId(active) : undefined}
        onChange={(event) => {
          onText(event.currentTarget.value);
          follow();
        }}
        onKeyDown={handleKey}
        onBlur={(event) => {
          popup.close();
          setMention(null);
          onBlur?.(event);
        }}
      />
      <Listbox
        popup={popup}
        label={say("mention.people")}
        entity={PEOPLE}
        offered={offered}
        optionId={optionId}
        active={active}
        onChoose={choose}
        isSearching={isFetching && failure === null}
        none={
          failure
            ? failureWords(failure)
            : say(isFetching ? "reference.searching" : "reference.none", { typed: mention ?? "" })
        }
      />
    </div>
  );
};

const MOST_OFFERED = 6;
