import { useCallback, useRef, useState } from "react";
import { isOneOfSeveral } from "./selection/one-of-several.ts";

interface OpenedMenu {
  readonly id: string;
  readonly anchor: HTMLElement | DOMRect;
  /** The position of a menu of all selected rows. */
  readonly ofAll: DOMRect | null;
}

/** The menu of a row, or of all selected rows if the pointer is at one of several: its own button opens that of the row. */
export const useRowMenu = (selected: ReadonlySet<string>) => {
  const [menu, setMenu] = useState<OpenedMenu | null>(null);
  const latest = useRef(selected);
  latest.current = selected;
  const openMenu = useCallback((id: string, anchor: HTMLElement | DOMRect) => {
    const ofAll = !(anchor instanceof HTMLElement) && isOneOfSeveral(latest.current, id);
    setMenu({ id, anchor, ofAll: ofAll ? anchor : null });
  }, []);
  const closeMenu = useCallback(() => setMenu(null), []);
  return { menu, openMenu, closeMenu };
};
