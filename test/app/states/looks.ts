import type { Locator, Page } from "playwright-core";
import { axeFindingsInBothThemes } from "../../web/axe.ts";
import { sideways } from "../../web/browser.ts";

/** Pages checked since the state began, for tests that follow the walk. */
export const seen = { addresses: new Set<string>(), looks: 0, opened: 0 };

/** Accessibility findings of the page in both themes; `within` as in `axeFindingsInBothThemes`. */
export const wrong = async (page: Page, where: string, within?: string): Promise<readonly string[]> => {
  const found = (await axeFindingsInBothThemes(page, within)).map((finding) => `${where}, ${finding}`);
  seen.looks += 2;
  return [...found, ...(await scrollsSideways(page, where))];
};

export const scrollsSideways = async (page: Page, where: string): Promise<readonly string[]> => {
  const beyond = await sideways(page);
  return beyond > 0 ? [`${where}: scrolls ${beyond} pixels sideways`] : [];
};

/** Finds overlays that exceed the window, and content that cannot be scrolled into view. */
export const beyondWindow = async (over: Locator, where: string): Promise<readonly string[]> => {
  const beyond = await over.evaluate((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const out = Math.max(-left, -top, right - innerWidth, bottom - innerHeight);
    const { overflowY } = getComputedStyle(one);
    const cut = overflowY === "auto" || overflowY === "scroll" ? 0 : one.scrollHeight - one.clientHeight;
    return { out: Math.ceil(out - 0.5), cut, wide: one.scrollWidth - one.clientWidth };
  });
  return [
    ...(beyond.out > 0 ? [`${where}: ${beyond.out} pixels of it lie beyond the window`] : []),
    ...(beyond.cut > 1 ? [`${where}: ${beyond.cut} pixels of it cannot be scrolled to`] : []),
    ...(beyond.wide > 1 ? [`${where}: it scrolls ${beyond.wide} pixels sideways`] : []),
  ];
};

/** Finds text drawn over other text. */
export const overlaps = (page: Page, where: string): Promise<readonly string[]> =>
  page.evaluate((where) => {
    interface Box {
      readonly words: string;
      readonly text: Node;
      /** The element with which the text scrolls; text fixed to the window covers scrolled text legitimately. */
      readonly plane: Element | null;
      readonly left: number;
      readonly right: number;
      readonly top: number;
      readonly bottom: number;
    }
    /** Limits the box to the visible part within its containers. */
    const clipped = ({ left, right, top, bottom }: DOMRect, from: Element, text: Node): Box => {
      let box: Box = { words: text.nodeValue?.trim() ?? "", text, plane: null, left, right, top, bottom };
      for (let one: Element | null = from; one !== null; one = one.parentElement) {
        const { overflow, position } = getComputedStyle(one);
        if (position === "sticky" || position === "fixed") box = { ...box, plane: box.plane ?? one };
        if (overflow === "visible") continue;
        const frame = one.getBoundingClientRect();
        box = {
          ...box,
          left: Math.max(box.left, frame.left),
          right: Math.min(box.right, frame.right),
          top: Math.max(box.top, frame.top),
          bottom: Math.min(box.bottom, frame.bottom),
        };
      }
      return box;
    };
    const boxes: Box[] = [];
    const texts = document.createTreeWalker(document.querySelector("main") ?? document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      const within = text.parentElement;
      const words = text.nodeValue?.trim() ?? "";
      // The browser has not laid out what it skips far below the window, so that it has no place yet.
      const laidOut = { visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true };
      if (words === "" || !within?.checkVisibility(laidOut)) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const rect of range.getClientRects()) boxes.push(clipped(rect, within, text));
    }
    const shown = boxes.filter(({ left, right, top, bottom }) => right - left > 3 && bottom - top > 3);
    return shown.flatMap((one, at) =>
      shown.slice(at + 1).flatMap((other) => {
        if (one.text === other.text || one.plane !== other.plane) return [];
        const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
        const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
        return wide > 3 && high > 5 ? [`${where}: “${one.words}” and “${other.words}” lie over each other`] : [];
      }),
    );
  }, where);
