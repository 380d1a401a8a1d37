import { type RefObject, useLayoutEffect, useRef } from "react";

/** Columns of short values and of buttons, which are never cut off. */
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

/** Divides this room among columns that want these widths: where it is too little, the widest ones get less. */
const divideRoom = (wanted: readonly number[], room: number): ReadonlyMap<number, number> => {
  const given = new Map<number, number>();
  let left = Math.floor(room);
  for (const [at, want] of [...wanted.entries()].toSorted(([, one], [, other]) => one - other)) {
    const width = Math.max(0, Math.min(Math.ceil(want), Math.floor(left / (wanted.length - given.size))));
    given.set(at, width);
    left -= width;
  }
  return given;
};

/**
 * Gives the columns of a tile the room of their values, so that no text is cut off while another column has room to spare.
 * They become no narrower when a row goes: the values and buttons of others would move sideways.
 */
export const useSteadyColumns = (): RefObject<HTMLTableElement | null> => {
  const ref = useRef<HTMLTableElement>(null);
  const kept = useRef<Kept>({ of: 0, widths: [] });
  // Each render can change the rows.
  useLayoutEffect(() => {
    const table = ref.current;
    const row = table?.tBodies[0]?.rows[0];
    if (!table || !row) return;
    const cells = [...row.cells];
    const { offsetWidth } = table;
    // Without what they share of the room that is left: what is kept would grow each time.
    for (const cell of cells) cell.style.minInlineSize = "";
    table.classList.add("measured");
    const own = cells.map((cell) => cell.getBoundingClientRect().width);
    table.classList.remove("measured");
    kept.current = keepLargest(kept.current, offsetWidth, own);
    const { widths } = kept.current;
    const isText = (at: number): boolean => cells[at]?.matches(NARROW) === false;
    const texts = widths.filter((_, at) => isText(at));
    const room = widths.reduce((left, width, at) => (isText(at) ? left : left - width), offsetWidth);
    const given = divideRoom(texts, room);
    let text = 0;
    for (const [at, cell] of cells.entries())
      cell.style.minInlineSize = `${isText(at) ? (given.get(text++) ?? 0) : (widths[at] ?? 0)}px`;
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
