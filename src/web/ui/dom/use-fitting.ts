import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** The width inside the padding of an element. */
const contentWidth = (element: HTMLElement): number => {
  const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(element);
  return (
    element.getBoundingClientRect().width - Number.parseFloat(paddingInlineStart) - Number.parseFloat(paddingInlineEnd)
  );
};

/** The width that a line can have which is as wide as its content, up to that of its container. */
export const roomInContainer = (row: HTMLElement): number => {
  const { marginInlineStart, marginInlineEnd, paddingInlineStart, paddingInlineEnd } = getComputedStyle(row);
  return [marginInlineStart, marginInlineEnd, paddingInlineStart, paddingInlineEnd].reduce(
    (room, edge) => room - Number.parseFloat(edge),
    contentWidth(row.parentElement ?? row),
  );
};

interface Fitting {
  readonly ref: RefObject<HTMLDivElement | null>;
  /** The names of the parts that fit. */
  readonly fitting: ReadonlySet<string>;
}

interface FittingOptions {
  /** True if it is not one line. */
  readonly isOff?: boolean;
  readonly roomOf?: (row: HTMLElement) => number;
  /** A part that stays at any width: the others leave it the room, and alone it may shrink. */
  readonly kept?: string | undefined;
}

/**
 * The parts, marked with `data-fit`, that fit into a line beside its other content, so that it stays one line: the first
 * ones, and narrower ones after them. All are rendered once to be measured, before painting.
 */
export const useFitting = (
  names: readonly string[],
  { isOff = false, roomOf = contentWidth, kept }: FittingOptions = {},
): Fitting => {
  const ref = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(names.join("\n"));
  const widths = useRef(new Map<string, number>());
  // Each render can change the parts.
  useLayoutEffect(() => {
    const row = ref.current;
    if (row === null || isOff) return;
    const measure = () => {
      // Panels of the parts are in a layer of their own.
      const parts = [...row.children].filter((part) => !part.hasAttribute("popover"));
      const gap = Number.parseFloat(getComputedStyle(row).columnGap) || 0;
      let left = roomOf(row) + gap;
      for (const part of parts) {
        const name = part.getAttribute("data-fit") ?? "";
        const { width } = part.getBoundingClientRect();
        if (names.includes(name)) widths.current.set(name, width);
        else left -= width + gap;
      }
      const widthOf = (name: string) => (widths.current.get(name) ?? 0) + gap;
      if (kept !== undefined) left -= widthOf(kept);
      const fitting = names.filter((name) => {
        if (name === kept) return true;
        const needed = widthOf(name);
        if (needed > left) return false;
        left -= needed;
        return true;
      });
      setShown(fitting.join("\n"));
    };
    measure();
    const watch = new ResizeObserver(measure);
    for (const one of [row, row.parentElement, ...row.children]) if (one !== null) watch.observe(one);
    return () => watch.disconnect();
  });
  return { ref, fitting: new Set(isOff ? names : shown.split("\n")) };
};
