import type { FieldJson } from "../../../core/wire/entities.ts";
import { Menu } from "../../ui/overlay/menu.tsx";
import type { Popup } from "../../ui/overlay/popup.tsx";

interface FieldMenuProps {
  readonly popup: Popup;
  readonly label: string;
  readonly fields: readonly FieldJson[];
  readonly onChoose: (field: FieldJson) => void;
  /** True if a dialog follows. */
  readonly asks?: true;
}

/** Asks for a field that is edited in all selected rows. */
export const FieldMenu = ({ popup, label, fields, onChoose, asks }: FieldMenuProps) => (
  <Menu
    popup={popup}
    label={label}
    side="start"
    items={fields.map((field) => ({
      key: field.name,
      label: field.label,
      ...(asks && { asks }),
      act: () => onChoose(field),
    }))}
  />
);
