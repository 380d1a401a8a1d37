import { type RefObject, useLayoutEffect, useRef, useState } from "react";

const gap = 8;

/**
 * The fields whose chips fit into the line beside the other ones, so that the line keeps its height: the first ones, and
 * narrower ones after them. All are rendered once to be measured, before painting.
 */
export const useFittingChips = (
  names: readonly string[],
  isOff: boolean,
): { readonly ref: RefObject<HTMLDivElement | null>; readonly fitting: ReadonlySet<string> } => {
  const ref = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(names.join());
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
      const fitting = names.filter((name) => {
        const needed = (widths.current.get(name) ?? 0) + gap;
        if (needed > left) return false;
        left -= needed;
        return true;
      });
      setShown(fitting.join());
    };
    measure();
    const watch = new ResizeObserver(measure);
    for (const one of [row, ...row.children]) watch.observe(one);
    return () => watch.disconnect();
  });
  return { ref, fitting: new Set(isOff ? names : shown.split(",")) };
};
