import { type RefObject, useEffect } from "react";

const steps: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * Makes the links in an element one stop of the Tab key, such as the columns of a chart. Arrow keys move between them, Home
 * and End to the first and the last one.
 */
export const useArrowStops = (region: RefObject<HTMLElement | null>): void => {
  // Any drawing can bring other links.
  useEffect(() => {
    const links = linksIn(region.current);
    const stop = links.find(({ tabIndex }) => tabIndex === 0 && links.some((one) => one.tabIndex < 0)) ?? links[0];
    for (const link of links) link.tabIndex = link === stop ? 0 : -1;
  });
  useEffect(() => {
    const { current } = region;
    const move = (event: KeyboardEvent) => {
      const links = linksIn(current);
      const goal = findGoal(links, event.key);
      if (goal === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      goal.focus();
    };
    const keepStop = ({ target }: FocusEvent) => {
      const links = linksIn(current);
      if (links.some((link) => link === target)) for (const link of links) link.tabIndex = link === target ? 0 : -1;
    };
    current?.addEventListener("keydown", move);
    current?.addEventListener("focusin", keepStop);
    return () => {
      current?.removeEventListener("keydown", move);
      current?.removeEventListener("focusin", keepStop);
    };
  }, [region]);
};

const linksIn = (region: HTMLElement | null): readonly (HTMLAnchorElement | SVGAElement)[] => [
  ...(region?.querySelectorAll<HTMLAnchorElement | SVGAElement>("a") ?? []),
];

/** The link that a key leads to; undefined if the focus is at none of them. The ends hold. */
const findGoal = <Link extends Element>(links: readonly Link[], key: string): Link | undefined => {
  const at = links.findIndex((link) => link === document.activeElement);
  const step = steps[key];
  if (at < 0) return undefined;
  if (key === "Home" || key === "End") return links.at(key === "Home" ? 0 : -1);
  return step === undefined ? undefined : links[Math.max(0, Math.min(links.length - 1, at + step))];
};
