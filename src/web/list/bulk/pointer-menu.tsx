import { useEffect, useRef } from "react";
import type { FieldJson } from "../../../core/wire/entities.ts";
import { useWords } from "../../i18n/words.tsx";
import { Menu, type MenuItem } from "../../ui/overlay/menu.tsx";
import { usePopup } from "../../ui/overlay/popup.tsx";
import { FieldMenu } from "./field-menu.tsx";

interface PointerMenuProps {
  readonly at: DOMRect;
  readonly title: string;
  readonly items: (edit: () => void) => readonly MenuItem[];
  readonly fields: readonly FieldJson[];
  readonly onEdit: (field: FieldJson) => void;
  readonly onClose: () => void;
}

/** The offers of the bar beside the pointer. The fields to edit are offered in the same place. */
export const PointerMenu = ({ at, title, items, fields, onEdit, onClose }: PointerMenuProps) => {
  const { say } = useWords();
  const popup = usePopup<HTMLElement>();
  const editing = usePopup<HTMLElement>();
  const place = useRef<HTMLSpanElement>(null);
  const [onlyField, another] = fields;
  const edit = () => {
    if (onlyField !== undefined && another === undefined) return onEdit(onlyField);
    editing.anchor.current = place.current;
    editing.show();
  };
  const { show, anchor } = popup;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a press at another row moves it
  useEffect(() => {
    anchor.current = place.current;
    show();
  }, [show, anchor, at]);
  const wasOpen = useRef(false);
  const { panel } = popup;
  const { panel: fieldPanel } = editing;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the panels change with it
  useEffect(() => {
    const isOpen = [panel, fieldPanel].some(({ current }) => current?.matches(":popover-open"));
    if (wasOpen.current && !isOpen) onClose();
    wasOpen.current = isOpen;
  }, [popup.open, editing.open, panel, fieldPanel, onClose]);
  return (
    <>
      <span ref={place} className="menu-place" style={{ left: at.left, top: at.top }} />
      <Menu popup={popup} side="start" label={title} items={items(edit)}>
        <p className="menu-title cut">{title}</p>
      </Menu>
      <FieldMenu popup={editing} label={say("bulk.edit.field")} fields={fields} onChoose={onEdit} asks />
    </>
  );
};
