import { type RefObject, useEffect, useEffectEvent } from "react";
import type { RowSelection } from "./list-row.tsx";

const BOX = "input[data-select]";

/** Dragging from the box of a row selects the rows over which the pointer goes, as Shift does. */
export const useBoxDrag = (region: RefObject<HTMLElement | null>, { selected, select }: RowSelection): void => {
  const begin = useEffectEvent((id: string) => {
    if (!selected.has(id)) select(id, false);
  });
  const extend = useEffectEvent((id: string) => select(id, true));
  useEffect(() => {
    const { current } = region;
    if (!current) return;
    const press = (event: MouseEvent) => {
      const box = event.target instanceof Element ? event.target.closest<HTMLElement>(BOX) : null;
      if (box === null || event.button !== 0 || event.shiftKey) return;
      // No text is selected on the way.
      event.preventDefault();
      box.focus({ preventScroll: true });
      const from = box.dataset.select ?? "";
      let isDragged = false;
      const end = new AbortController();
      const { signal } = end;
      const go = ({ target }: MouseEvent) => {
        const row = target instanceof Element ? target.closest("tbody tr") : null;
        const id = row?.querySelector<HTMLElement>(BOX)?.dataset.select;
        if (id === undefined || (id === from && !isDragged)) return;
        if (!isDragged) begin(from);
        isDragged = true;
        extend(id);
      };
      current.addEventListener("mouseover", go, { signal });
      window.addEventListener("mouseup", () => end.abort(), { signal });
      window.addEventListener("blur", () => end.abort(), { signal });
    };
    current.addEventListener("mousedown", press);
    return () => current.removeEventListener("mousedown", press);
  }, [region]);
};
