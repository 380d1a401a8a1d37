import type { RefObject } from "react";

/** Arrow keys move between cards, up and down a column and across to the next non-empty one. */
export const useCardKeys = (board: RefObject<HTMLElement | null>) => {
  const cards = (column: Element) => [...column.querySelectorAll<HTMLElement>("[data-row]")];
  const go = (down: number, across: number) => (event: KeyboardEvent) => {
    const all = [...(board.current?.querySelectorAll("[data-column]") ?? [])].map(cards);
    const current = (document.activeElement as HTMLElement | null)?.closest("[data-card]")?.querySelector("[data-row]");
    const column = all.findIndex((some) => some.includes(current as HTMLElement));
    const row = column < 0 ? -1 : (all[column]?.indexOf(current as HTMLElement) ?? -1);
    let to: HTMLElement | undefined;
    if (column < 0) to = all.find((some) => some.length > 0)?.[0];
    else if (down !== 0) to = all[column]?.[row + down];
    else
      for (let at = column + across; at >= 0 && at < all.length && !to; at += across)
        to = all[at]?.[Math.min(row, (all[at]?.length ?? 1) - 1)];
    if (!to) return;
    event.preventDefault();
    to.focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const isRightToLeft = () => document.documentElement.dir === "rtl";
  return {
    ArrowDown: go(1, 0),
    ArrowUp: go(-1, 0),
    ArrowRight: (event: KeyboardEvent) => go(0, isRightToLeft() ? -1 : 1)(event),
    ArrowLeft: (event: KeyboardEvent) => go(0, isRightToLeft() ? 1 : -1)(event),
    m: (event: KeyboardEvent) => {
      const card = (document.activeElement as HTMLElement | null)?.closest("[data-card]");
      const control = card?.querySelector<HTMLElement>("[data-move]");
      if (!control) return;
      event.preventDefault();
      control.click();
    },
  };
};
