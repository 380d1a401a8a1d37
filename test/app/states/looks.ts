import type { Locator, Page } from "playwright-core";
import { axeFindingsInBothThemes } from "../../web/axe.ts";
import { sideways } from "../../web/browser.ts";

/** What was looked at since a state began, for who follows the walk. */
export const seen = { addresses: new Set<string>(), looks: 0, opened: 0 };

/** What is wrong with the page as it stands, in both themes. */
export const wrong = async (page: Page, where: string): Promise<readonly string[]> => {
  const found = (await axeFindingsInBothThemes(page)).map((finding) => `${where}, ${finding}`);
  seen.looks += 2;
  return [...found, ...(await scrollsSideways(page, where))];
};

export const scrollsSideways = async (page: Page, where: string): Promise<readonly string[]> => {
  const beyond = await sideways(page);
  return beyond > 0 ? [`${where}: scrolls ${beyond} pixels sideways`] : [];
};

/** What lies over a page is within its window, and what does not fit is scrolled to within it. */
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

/** Controls and words that something else lies over, each with what does. */
export const covered = (page: Page, where: string): Promise<readonly string[]> =>
  page.evaluate((where) => {
    const found: string[] = [];
    const before = window.scrollY;
    for (const one of document.querySelectorAll<HTMLElement>(
      "main :is(a[href], button, h1, h2, h3, dt, dd, th, td, p)",
    )) {
      const { width, height } = one.getBoundingClientRect();
      if (width <= 1 || height <= 1 || !one.checkVisibility({ visibilityProperty: true })) continue;
      one.scrollIntoView({ block: "center", inline: "center" });
      const at = one.getBoundingClientRect();
      const hit = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
      if (hit === null || one.contains(hit) || hit.contains(one)) continue;
      found.push(`${where}: ${hit.outerHTML.slice(0, 120)} lies over ${one.outerHTML.slice(0, 120)}`);
    }
    window.scrollTo(0, before);
    return found;
  }, where);
