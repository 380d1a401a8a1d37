/** Pixels that are left beside what is brought into view. */
const beside = 16;

/** The nearest row around an element that scrolls sideways. */
const scrollerOf = (element: Element): Element | null => {
  for (let box = element.parentElement; box; box = box.parentElement)
    if (box.scrollWidth > box.clientWidth + 1 && /auto|scroll/u.test(getComputedStyle(box).overflowX)) return box;
  return null;
};

/**
 * Brings what the keyboard reaches wholly into a row that scrolls sideways: a browser is content when any part of it
 * shows, and that part may be nothing that one can read.
 */
export const revealFocused = (page: Document): void =>
  page.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element) || !target.matches(":focus-visible")) return;
    const scroller = scrollerOf(target);
    if (!scroller) return;
    const [one, all] = [target.getBoundingClientRect(), scroller.getBoundingClientRect()];
    if (one.width > all.width - 2 * beside) return;
    const [before, after] = [one.left - all.left - beside, one.right - all.right + beside];
    if (before < 0) scroller.scrollBy({ left: before });
    else if (after > 0) scroller.scrollBy({ left: after });
  });
