import { type RefObject, useEffect, useEffectEvent } from "react";
import { rememberFocus } from "../../app/return-focus.ts";
import { rowInFocus } from "./use-row-keyboard.ts";

/**
 * A row that has the focus and goes, because it was decided or no longer matches, leaves the focus to the row that takes its
 * place: the next arrow key goes on from there. `isGone`: false for a row that is only scrolled out of sight.
 */
export const useRowHandover = (region: RefObject<HTMLElement | null>, isGone: (id: string) => boolean): void => {
  const hasGone = useEffectEvent(isGone);
  useEffect(() => {
    const { current } = region;
    if (!current) return;
    let held: { readonly id: string; readonly moveOn: () => void } | null = null;
    const hold = () => {
      const id = rowInFocus()?.dataset.row;
      held = id === undefined ? null : { id, moveOn: rememberFocus(document.activeElement) };
    };
    const watch = new MutationObserver(() => {
      if (held === null || document.activeElement !== document.body || !hasGone(held.id)) return;
      const { moveOn } = held;
      held = null;
      moveOn();
    });
    current.addEventListener("focusin", hold);
    watch.observe(current, { childList: true, subtree: true });
    return () => {
      current.removeEventListener("focusin", hold);
      watch.disconnect();
    };
  }, [region]);
};
