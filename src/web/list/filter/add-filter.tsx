import { type KeyboardEvent, useId, useMemo, useState } from "react";
import type { FieldJson } from "../../../core/wire/entities.ts";
import { useKeys, useTools } from "../../app/app-context.tsx";
import { isComposing } from "../../app/keyboard.ts";
import { searchLabels } from "../../field/control/reference-candidates.ts";
import { useWords } from "../../i18n/words.tsx";
import { OptionButton } from "../../ui/control/option-button.tsx";
import { SearchInput } from "../../ui/control/search-input.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PopupPanel, usePopup } from "../../ui/overlay/popup.tsx";

interface AddFilterProps {
  /** The fields without a chip, which come first. */
  readonly fields: readonly FieldJson[];
  /** The fields with a chip, which is opened. */
  readonly chips: readonly FieldJson[];
  readonly onAdd: (name: string) => void;
  readonly onOpen: (name: string) => void;
}

/** Chooses a field to filter by: one more, or by its key any field. */
export const AddFilter = ({ fields, chips, onAdd, onOpen }: AddFilterProps) => {
  const { say } = useWords();
  const popup = usePopup();
  const { show } = popup;
  useKeys(useMemo(() => ({ f: show }), [show]));
  useTools(
    Object.fromEntries(fields.map(({ name, label }) => [say("list.filter.by", { field: label }), () => onAdd(name)])),
  );
  return (
    <>
      <button type="button" {...popup.control} className="chip-add" aria-haspopup="dialog" aria-keyshortcuts="F">
        <Icon name="plus" size={14} />
        {say("list.filter.add")}
      </button>
      <PopupPanel popup={popup} label={say("list.filter.add")} className="filter">
        <FieldSearch
          fields={[...fields, ...chips]}
          onChoose={(name) => {
            popup.close();
            if (fields.some((field) => field.name === name)) onAdd(name);
            else onOpen(name);
          }}
        />
      </PopupPanel>
    </>
  );
};

/** Finds a field by a part of its name, following the ARIA combobox pattern with a list. */
const FieldSearch = ({
  fields,
  onChoose,
}: {
  readonly fields: readonly FieldJson[];
  readonly onChoose: (name: string) => void;
}) => {
  const { say } = useWords();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const listId = useId();
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
      if (active) onChoose(active.name);
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
              onChoose={() => onChoose(field.name)}
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
