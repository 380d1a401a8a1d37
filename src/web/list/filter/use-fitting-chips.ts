import { type RefObject, useLayoutEffect, useRef, useState } from "react";

const gap = 8;

/**
 * How many of the chips of these fields fit into the line beside the other ones, so that the line keeps its height. All
 * are rendered once to be measured, before painting.
 */
export const useFittingChips = (
  names: readonly string[],
  isOff: boolean,
): { readonly ref: RefObject<HTMLDivElement | null>; readonly count: number } => {
  const ref = useRef<HTMLDivElement>(null);
  const [count, setCount] = useState(names.length);
  const widths = useRef(new Map<string, number>());
  // Each render can change the chips.
  useLayoutEffect(() => {
    const row = ref.current;
    if (row === null || isOff) return;
    const measure = () => {
      // Panels of the chips are in a layer of their own.
      const chips = [...row.children].filter((chip) => !chip.hasAttribute("popover"));
      let left = row.getBoundingClientRect().width + gap;
      for (const chip of chips) {
        const name = chip.querySelector<HTMLElement>("[data-filter]")?.dataset.filter ?? "";
        const { width } = chip.getBoundingClientRect();
        if (names.includes(name)) widths.current.set(name, width);
        else left -= width + gap;
      }
      let fitting = 0;
      for (const name of names) {
        left -= (widths.current.get(name) ?? 0) + gap;
        if (left < 0) break;
        fitting += 1;
      }
      setCount(fitting);
    };
    measure();
    const watch = new ResizeObserver(measure);
    for (const one of [row, ...row.children]) watch.observe(one);
    return () => watch.disconnect();
  });
  return { ref, count: isOff ? names.length : count };
};
