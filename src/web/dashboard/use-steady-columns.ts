import { type RefObject, useLayoutEffect, useRef } from "react";

/** Columns as wide as their values: those of short values and of buttons. */
const NARROW = ".short, .tile-acts";

interface Kept {
  /** Widths of another width of the tile say nothing. */
  readonly of: number;
  readonly widths: readonly number[];
}

/** The larger ones of these widths and of those before, if the tile has the same width and as many columns. */
const keepLargest = ({ of, widths: before }: Kept, now: number, widths: readonly number[]): Kept =>
  of === now && before.length === widths.length
    ? { of, widths: widths.map((width, at) => Math.max(width, before[at] ?? 0)) }
    : { of: now, widths };

/** Lets the columns of a tile become no narrower when a row goes: the values and buttons of others would move sideways. */
export const useSteadyColumns = (): RefObject<HTMLTableElement | null> => {
  const ref = useRef<HTMLTableElement>(null);
  const kept = useRef<Kept>({ of: 0, widths: [] });
  // Each render can change the rows.
  useLayoutEffect(() => {
    const table = ref.current;
    const row = table?.tBodies[0]?.rows[0];
    if (!table || !row) return;
    const cells = [...row.cells];
    const apply = (widthOf: (at: number) => string) => {
      for (const [at, cell] of cells.entries()) if (cell.matches(NARROW)) cell.style.minInlineSize = widthOf(at);
    };
    const { offsetWidth } = table;
    // Their own widths: in the whole width, the columns share the room that is left, and what is kept would grow each time.
    apply(() => "");
    table.style.inlineSize = "0";
    const own = cells.map((cell) => cell.getBoundingClientRect().width);
    table.style.inlineSize = "";
    kept.current = keepLargest(kept.current, offsetWidth, own);
    apply((at) => `${kept.current.widths[at] ?? 0}px`);
  });
  return ref;
};

/** The counterpart for rows of two lines, whose buttons share a column (`--acts`). */
export const useSteadyActs = (): RefObject<HTMLUListElement | null> => {
  const ref = useRef<HTMLUListElement>(null);
  const kept = useRef<Kept>({ of: 0, widths: [] });
  useLayoutEffect(() => {
    const list = ref.current;
    if (!list) return;
    const acts = [...list.querySelectorAll<HTMLElement>(":scope > li > .tile-actions")];
    // Including the margins of the buttons.
    const edges = acts.map((group) => {
      const { marginInlineStart, marginInlineEnd } = getComputedStyle(group);
      return group.offsetWidth + Number.parseFloat(marginInlineStart) + Number.parseFloat(marginInlineEnd);
    });
    kept.current = keepLargest(kept.current, list.offsetWidth, [Math.max(0, ...edges)]);
    list.style.setProperty("--acts", `${kept.current.widths[0] ?? 0}px`);
  });
  return ref;
};
