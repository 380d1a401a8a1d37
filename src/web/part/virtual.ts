import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useState } from "react";
import { usePrinting } from "./context.tsx";

/** Fewer rows than this are all there: a page of them, and what the browser's own search sees is then the whole. */
const worthwhile = 60;

/** On paper all of them stand, up to what anybody would print. */
const printed = 2_000;

/** Which of many rows of one height are drawn, and how much room the others take above and below. */
export const useVirtualRows = (
  count: number,
  height: number,
  list: RefObject<HTMLElement | null>,
): { readonly from: number; readonly to: number; readonly above: number; readonly below: number } => {
  const [offset, setOffset] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: where the list begins may change with what stands above it
  useLayoutEffect(() => {
    const top = list.current?.getBoundingClientRect().top;
    if (top !== undefined) setOffset(top + window.scrollY);
  }, [list, count]);
  const enabled = count > (usePrinting() ? printed : worthwhile);
  const virtual = useWindowVirtualizer({
    count: enabled ? count : 0,
    estimateSize: () => height,
    overscan: 15,
    scrollMargin: offset,
    enabled,
  });
  if (!enabled) return { from: 0, to: count, above: 0, below: 0 };
  const drawn = virtual.getVirtualItems();
  const [first, last] = [drawn[0], drawn.at(-1)];
  if (!first || !last) return { from: 0, to: Math.min(count, worthwhile), above: 0, below: 0 };
  return {
    from: first.index,
    to: last.index + 1,
    above: first.start - offset,
    below: virtual.getTotalSize() - (last.end - offset),
  };
};
