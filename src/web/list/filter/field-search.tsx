import { type KeyboardEvent, useEffect, useId, useState } from "react";
import type { FieldJson } from "../../../core/wire/entities.ts";
import { isComposing } from "../../app/keyboard.ts";
import { searchLabels } from "../../field/control/reference-candidates.ts";
import { useWords } from "../../i18n/words.tsx";
import { OptionButton } from "../../ui/control/option-button.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import { Icon } from "../../ui/icon.tsx";
import { focusFirst, type Popup } from "../../ui/overlay/popup.tsx";

interface FieldSearchProps {
  readonly fields: readonly FieldJson[];
  readonly popup: Popup;
  readonly onAdd: (name: string) => void;
}

/** Finds a field by a part of its name, following the ARIA combobox pattern with a list. */
const FieldSearch = ({ fields, popup, onAdd }: FieldSearchProps) => {
  const { say } = useWords();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
  // The panel opens before this code is loaded.
  useEffect(() => focusFirst(popup.panel.current), [popup.panel]);
  const found = searchLabels(fields, typed);
  const active = found[Math.min(at, found.length - 1)];
  const optionId = ({ name }: FieldJson) => `${listId}-${name}`;
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
      if (active) onAdd(active.name);
    }
  };
  return (
    <>
      <div className="box">
        <Icon name="search" />
        <SearchInput
          role="combobox"
          aria-label={say("list.filter.add")}
          aria-expanded={found.length > 0}
          aria-controls={found.length > 0 ? listId : undefined}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(active)}
          placeholder={say("reference.search")}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={handleKey}
        />
      </div>
      {found.length > 0 ? (
        <div id={listId} role="listbox" aria-label={say("list.filter.add")} className="filter-fields">
          {found.map((field) => (
            <OptionButton
              key={field.name}
              id={optionId(field)}
              className="option"
              isActive={field === active}
              onChoose={() => onAdd(field.name)}
            >
              <bdi className="cut">{field.label}</bdi>
            </OptionButton>
          ))}
        </div>
      ) : (
        <p className="option-none">{say("reference.none", { typed })}</p>
      )}
    </>
  );
};

export default FieldSearch;
