import { type KeyboardEvent, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { usePhone } from "../../app/app-context.tsx";
import { isComposing } from "../../app/keyboard.ts";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../../ui/control/button.tsx";
import { OptionButton } from "../../ui/control/option-button.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useReadFailureWords } from "../../ui/page/problem-note.tsx";
import type { PaletteEntry, PaletteGroup } from "./palette-entry.ts";
import { usePaletteGroups } from "./use-palette-groups.ts";
import "./palette.css";

/** Keys that were pressed while the palette's code loaded. */
export interface EarlyKeys {
  readonly typed: string;
  /** True if Enter was the last of them. */
  readonly entered: boolean;
}

/** Finds records, screens and commands of the page by name. */
const Palette = ({ typedAhead, onClose }: { typedAhead: () => EarlyKeys; onClose: () => void }) => {
  const { say } = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  /** The id of the entry that was chosen with the arrow keys or the pointer; null for the first one. */
  const [chosen, setChosen] = useState<string | null>(null);
  const [entered, setEntered] = useState(false);
  const listId = useId();
  const { groups, busy, failure, isFirstKnown } = usePaletteGroups(typed);
  const failureWords = useReadFailureWords();
  const phone = usePhone();
  const all = groups.flatMap(({ entries }) => entries);
  const active = all.find(({ id }) => id === chosen) ?? all[0] ?? null;

  // Before the next key: text typed ahead must precede it.
  useLayoutEffect(() => {
    const opened = dialog.current;
    const returnTo = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    opened?.showModal();
    const early = typedAhead();
    setTyped(early.typed);
    setEntered(early.entered);
    return () => {
      opened?.close();
      if (returnTo?.isConnected) returnTo.focus({ preventScroll: true });
    };
  }, [typedAhead]);
  const optionId = ({ id }: PaletteEntry) => `${listId} ${id}`.replaceAll(" ", "-");
  const id = active ? optionId(active) : undefined;
  useEffect(() => {
    if (id !== undefined) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);

  const run = useCallback(
    (entry: PaletteEntry) => {
      onClose();
      // Restore the focus before the command moves it.
      setTimeout(entry.run);
    },
    [onClose],
  );
  const handleKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      setEntered(false);
      const at = active === null ? -1 : all.indexOf(active);
      setChosen(all[(at + by + all.length) % all.length]?.id ?? null);
    } else if (event.key === "Enter") {
      event.preventDefault();
      setEntered(true);
    }
  };
  // Enter waits for the records: before them, the first entry could be another one than is meant.
  useEffect(() => {
    if (!entered || (chosen === null && !isFirstKnown)) return;
    setEntered(false);
    if (active !== null) run(active);
  }, [entered, chosen, isFirstKnown, active, run]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: clicking outside is an alternative to Escape
    <dialog
      ref={dialog}
      className="dialog palette"
      aria-label={say("palette.title")}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div className="palette-box">
        <Icon name="search" size={18} />
        <SearchInput
          role="combobox"
          aria-label={say("palette.title")}
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={id}
          placeholder={say("palette.placeholder")}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setChosen(null);
            setEntered(false);
          }}
          onKeyDown={handleKey}
        />
        <kbd className="from-tablet">Esc</kbd>
        {phone && <IconButton icon="close" label={say("close")} small onClick={onClose} />}
      </div>
      <div id={listId} role="listbox" aria-label={say("palette.title")} className="palette-list" aria-busy={busy}>
        <PaletteGroups
          groups={groups}
          active={active}
          optionId={optionId}
          onPoint={({ id }) => setChosen(id)}
          onRun={run}
        />
        {all.length === 0 && failure === null && (
          <p className="option-none">{busy ? say("reference.searching") : say("reference.none", { typed })}</p>
        )}
      </div>
      {failure !== null && (
        <p className="palette-failure" role="status">
          <Icon name="alert" /> {failureWords(failure)}
        </p>
      )}
      <p className="palette-foot from-tablet" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> {say("palette.keys.choose")} <kbd>↵</kbd> {say("palette.keys.open")}
      </p>
    </dialog>
  );
};

interface PaletteGroupsProps {
  readonly groups: readonly PaletteGroup[];
  readonly active: PaletteEntry | null;
  readonly optionId: (entry: PaletteEntry) => string;
  readonly onPoint: (entry: PaletteEntry) => void;
  readonly onRun: (entry: PaletteEntry) => void;
}

const PaletteGroups = ({ groups, active, optionId, onPoint, onRun }: PaletteGroupsProps) =>
  groups.map(({ title, entries }) => (
    // biome-ignore lint/a11y/useSemanticElements: a group of options
    <div key={title} role="group" aria-label={title}>
      <p className="palette-title" aria-hidden="true">
        {title}
      </p>
      {entries.map((entry) => (
        <OptionButton
          key={entry.id}
          id={optionId(entry)}
          className={entry.isKeyed ? "palette-entry keyed" : "palette-entry"}
          isActive={entry === active}
          isRefused={entry.refused !== undefined}
          onPoint={() => onPoint(entry)}
          onChoose={() => onRun(entry)}
        >
          <Icon name={entry.refused ? "lock" : entry.icon} />
          <span className="menu-words">
            <bdi className="cut">{entry.label}</bdi>
            {entry.foundBy && <bdi className="menu-why cut">{entry.foundBy}</bdi>}
            {entry.refused && <span className="menu-why">{entry.refused.because}</span>}
          </span>
          {entry.note && <span className="menu-note">{entry.note}</span>}
        </OptionButton>
      ))}
    </div>
  ));

export default Palette;
