import type { ReactNode } from "react";
import type { ReferenceJson } from "../../../core/wire/records.ts";
import { Icon } from "../../ui/icon.tsx";
import { type Popup, PopupPanel } from "../../ui/popup.tsx";
import { Called } from "./record-label.tsx";

interface OptionsProps {
  readonly popup: Popup;
  readonly label: string;
  /** Of what entity the records are. */
  readonly entity: string | undefined;
  readonly offered: readonly ReferenceJson[];
  readonly optionId: (one: ReferenceJson) => string;
  readonly active: ReferenceJson | null;
  readonly isChosen?: (one: ReferenceJson) => boolean;
  readonly onChoose: (one: ReferenceJson) => void;
  /** What is said where there is nothing to choose from. */
  readonly none: ReactNode;
}

/** Records that are offered below a box while one types in it: focus stays there, and the box says which is meant. */
export const Options = ({
  popup,
  label,
  entity,
  offered,
  optionId,
  active,
  isChosen = () => false,
  onChoose,
  none,
}: OptionsProps) => (
  <PopupPanel
    popup={popup}
    // A list to choose from has something in it.
    role={offered.length > 0 ? "listbox" : "dialog"}
    label={label}
    focus="none"
    manual
    className="options"
  >
    {offered.map((one) => (
      <button
        key={one.id}
        id={optionId(one)}
        type="button"
        role="option"
        tabIndex={-1}
        className="option"
        aria-selected={one.id === active?.id}
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onChoose(one)}
      >
        <Called entity={entity} one={one} />
        {isChosen(one) && <Icon name="check" />}
      </button>
    ))}
    {offered.length === 0 && <p className="option-none">{none}</p>}
  </PopupPanel>
);
