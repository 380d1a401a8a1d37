import { type RefObject, useLayoutEffect, useState } from "react";
import { measureLetters } from "../app/font-scale.ts";

export const LANE_HEIGHT = 24;
/** The height of a day's number. */
export const FIGURE_HEIGHT = 30;

/** Fewer lanes than the style sheet keeps room for would hide entries without need. */
const FEWEST = 3;

/**
 * How many entries fit into a day of a month, measured before painting. Weeks share the height of the page equally;
 * `first` names the one that is measured, the element of which is another one in another month.
 */
export const useLanes = (grid: RefObject<HTMLElement | null>, first: string | undefined): number => {
  const [lanes, setLanes] = useState(FEWEST);
  useLayoutEffect(() => {
    const watched = grid.current?.querySelector(`[data-on="${first}"]`)?.parentElement;
    if (!watched) return;
    const measure = () => {
      const height = watched.clientHeight / measureLetters();
      setLanes(Math.max(FEWEST, Math.floor((height - FIGURE_HEIGHT) / LANE_HEIGHT)));
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(watched);
    return () => watch.disconnect();
  }, [grid, first]);
  return lanes;
};
