import { type RefObject, useEffect } from "react";

const steps: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** Arrow keys move between the links in an element, or the buttons, Home and End to the first and the last one. */
export const useArrows = (region: RefObject<HTMLElement | null>, selector: "a" | "button" = "a"): void => {
  useEffect(() => {
    const { current } = region;
    const move = (event: KeyboardEvent) => {
      const goal = findGoal(stopsIn(current, selector), event.key);
      if (goal === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      goal.focus();
    };
    current?.addEventListener("keydown", move);
    return () => current?.removeEventListener("keydown", move);
  }, [region, selector]);
};

/** Makes the links in an element one stop of the Tab key, such as the columns of a chart. Arrow keys move between them. */
export const useArrowStops = (region: RefObject<HTMLElement | null>): void => {
  useArrows(region);
  // Any drawing can bring other links.
  useEffect(() => {
    const links = stopsIn(region.current, "a");
    const stop = links.find(({ tabIndex }) => tabIndex === 0 && links.some((one) => one.tabIndex < 0)) ?? links[0];
    for (const link of links) link.tabIndex = link === stop ? 0 : -1;
  });
  useEffect(() => {
    const { current } = region;
    const keepStop = ({ target }: FocusEvent) => {
      const links = stopsIn(current, "a");
      if (links.some((link) => link === target)) for (const link of links) link.tabIndex = link === target ? 0 : -1;
    };
    current?.addEventListener("focusin", keepStop);
    return () => current?.removeEventListener("focusin", keepStop);
  }, [region]);
};

type Stop = HTMLAnchorElement | SVGAElement | HTMLButtonElement;

const stopsIn = (region: HTMLElement | null, selector: "a" | "button"): readonly Stop[] => [
  ...(region?.querySelectorAll<Stop>(selector) ?? []),
];

/** The stop that a key leads to; undefined if the focus is at none of them. The ends hold. */
const findGoal = (stops: readonly Stop[], key: string): Stop | undefined => {
  const at = stops.findIndex((stop) => stop === document.activeElement);
  const step = steps[key];
  if (at < 0) return undefined;
  if (key === "Home" || key === "End") return stops.at(key === "Home" ? 0 : -1);
  return step === undefined ? undefined : stops[Math.max(0, Math.min(stops.length - 1, at + step))];
};
