/** Margin in pixels beside an element brought into view. */
const MARGIN = 16;

/** The nearest ancestor that scrolls horizontally. */
const findScroller = (element: Element): Element | null => {
  for (let box = element.parentElement; box; box = box.parentElement)
    if (box.scrollWidth > box.clientWidth + 1 && /auto|scroll/u.test(getComputedStyle(box).overflowX)) return box;
  return null;
};

/**
 * Scrolls focused elements completely into view horizontally: browsers are content with any visible part, which may be
 * unreadable.
 */
export const revealFocused = (page: Document): void =>
  page.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element) || !target.matches(":focus-visible")) return;
    const scroller = findScroller(target);
    if (!scroller) return;
    const [value, all] = [target.getBoundingClientRect(), scroller.getBoundingClientRect()];
    if (value.width > all.width - 2 * MARGIN) return;
    const [before, after] = [value.left - all.left - MARGIN, value.right - all.right + MARGIN];
    if (before < 0) scroller.scrollBy({ left: before });
    else if (after > 0) scroller.scrollBy({ left: after });
  });
