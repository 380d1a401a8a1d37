import { type RefObject, useEffect, useEffectEvent } from "react";
import type { RowSelection } from "./list-row.tsx";

const BOX = "input[data-select]";

const ignore = (event: Event): void => {
  event.preventDefault();
  event.stopPropagation();
};

/** Dragging from the box of a row selects the rows over which the pointer goes, as Shift does. */
export const useBoxDrag = (
  region: RefObject<HTMLElement | null>,
  { selected, select }: Pick<RowSelection, "selected" | "select">,
): void => {
  const begin = useEffectEvent((id: string) => {
    // Turned twice, a selected row stays so, and is the one from which Shift selects.
    if (selected.has(id)) select(id, false);
    select(id, false);
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
        const row = target instanceof Element ? target.closest("tbody tr, li") : null;
        const id = row?.querySelector<HTMLElement>(BOX)?.dataset.select;
        if (id === undefined || (id === from && !isDragged)) return;
        if (!isDragged) begin(from);
        isDragged = true;
        extend(id);
      };
      current.addEventListener("mouseover", go, { signal });
      const release = ({ target }: MouseEvent) => {
        end.abort();
        // A drag that ends at the box where it began is a press for the browser, which would turn the box again.
        if (isDragged && target === box) window.addEventListener("click", ignore, { capture: true, once: true });
      };
      window.addEventListener("mouseup", release, { signal });
      window.addEventListener("blur", () => end.abort(), { signal });
    };
    current.addEventListener("mousedown", press);
    return () => current.removeEventListener("mousedown", press);
  }, [region]);
};
