import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { usePhone } from "../../app/app-context.tsx";
import { isComposing } from "../../app/keyboard.ts";
import { searchLabels, toMatcher } from "../../field/control/reference-candidates.ts";
import { useWords } from "../../i18n/words.tsx";
import { OptionButton } from "../../ui/control/option-button.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import { Icon } from "../../ui/icon.tsx";

export interface PickerOption {
  readonly name: string;
  readonly label: string;
  /** Of a value, the label of its field, by which only the field is found. */
  readonly of?: string;
}

export interface PickerProps {
  /** Names the list: “Group by”. */
  readonly label: string;
  readonly options: readonly PickerOption[];
  /** All options in the order in which they are found by typing, if it is another one. */
  readonly searched?: readonly PickerOption[];
  /** The option that is in use. */
  readonly current?: string;
  readonly onChoose: (name: string) => void;
}

/** On a phone, more options than these have a search box. */
const SEARCHED_ON_PHONE = 10;

/**
 * Chooses a field from a list in a panel, or finds it by a part of its name: the ARIA combobox pattern with a list. On a
 * phone the list itself has the focus, so that no keyboard covers it.
 */
const FieldPicker = ({ label, options, searched = options, current, onChoose }: PickerProps) => {
  const { say } = useWords();
  const phone = usePhone();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      options.findIndex(({ name }) => name === current),
    ),
  );
  const listId = useId();
  const matches = toMatcher(typed);
  const found = searchLabels(
    typed === "" ? options : searched.filter(({ of }) => of === undefined || !matches(of)),
    typed,
  );
  const active = found[Math.min(at, found.length - 1)];
  const optionId = ({ name }: PickerOption) => `${listId}-${name}`;
  // The panel opens before this code is loaded. By then, the reader can be at a control of it, which keeps the focus, unless
  // it chose this list.
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const panel = place.current?.closest("[popover]");
    const { activeElement: active } = document;
    if (active !== panel && panel?.contains(active) && !active?.matches("[aria-pressed]")) return;
    place.current?.querySelector<HTMLElement>("[data-first]")?.focus({ preventScroll: true });
  }, []);
  const activate = (next: number) => {
    const place = Math.max(0, Math.min(found.length - 1, next));
    setAt(place);
    const option = found[place];
    if (option) document.getElementById(optionId(option))?.scrollIntoView({ block: "nearest" });
  };
  const handleKey = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      activate(at + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (active) onChoose(active.name);
    }
  };
  const inFocus = { "aria-activedescendant": active && optionId(active), onKeyDown: handleKey, "data-first": "" };
  return (
    <div ref={place} className="field-picker">
      {(!phone || options.length > SEARCHED_ON_PHONE) && (
        <div className="box">
          <Icon name="search" />
          <SearchInput
            role="combobox"
            aria-label={label}
            aria-expanded={found.length > 0}
            aria-controls={found.length > 0 ? listId : undefined}
            aria-autocomplete="list"
            placeholder={say("reference.search")}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              setAt(0);
            }}
            {...(phone ? { onKeyDown: handleKey } : inFocus)}
          />
        </div>
      )}
      {found.length > 0 ? (
        <div
          id={listId}
          role="listbox"
          aria-label={label}
          className="filter-fields"
          {...(phone && { tabIndex: 0, ...inFocus })}
        >
          {found.map((option) => (
            <OptionButton
              key={option.name}
              id={optionId(option)}
              className="option"
              isActive={option === active}
              onChoose={() => onChoose(option.name)}
            >
              <bdi className="cut">{option.label}</bdi>
              {option.name === current && <Icon name="check" />}
            </OptionButton>
          ))}
        </div>
      ) : (
        <p className="option-none">{say("reference.none", { typed })}</p>
      )}
    </div>
  );
};

export default FieldPicker;
