import { IconButton, type IconButtonProps } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { Popup } from "../../ui/overlay/popup.tsx";

interface ToolChoiceProps extends Omit<IconButtonProps, "small"> {
  /** The popup in which somebody chooses. */
  readonly popup: Popup<HTMLButtonElement>;
  /** Takes the choice back; absent if there is none. */
  readonly clear?: { readonly label: string; readonly act: () => void } | undefined;
}

/** A tool of a list that names what was chosen, with a cross that takes it back, as filters have. */
export const ToolChoice = ({ popup, clear, ...button }: ToolChoiceProps) => (
  <div className={clear === undefined ? "tool-choice" : "tool-choice on"}>
    <IconButton small {...button} {...popup.control} />
    {clear !== undefined && (
      <button
        type="button"
        className="chip-clear"
        aria-label={clear.label}
        onClick={() => {
          clear.act();
          popup.anchor.current?.focus();
        }}
      >
        <Icon name="close" size={13} />
      </button>
    )}
  </div>
);
