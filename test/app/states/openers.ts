import type { Locator, Page } from "playwright-core";
import { atRest } from "../../web/browser.ts";
import { seen } from "./looks.ts";

/*
 * Opens everything that a page can open: controls with a popup, controls whose name ends in "…", and recursively their
 * contents. Similar overlays are checked once.
 */

const overlays = "dialog[open], [popover]:popover-open";

/** All overlays, and the controls that opened them, which can look different meanwhile. */
export const overlaysAndOpeners = `${overlays}, [aria-expanded=true]`;

/** The topmost overlay: a dialog, menu or panel. */
export const over = (page: Page): Locator => page.locator(overlays).last();

/** The controls of a page and its frame. */
export const controls = (page: Page): Locator => page.locator("[aria-haspopup]:visible, main button:visible");

/** The controls pressed and overlays seen on a page. */
export interface Known {
  readonly pressed: Set<string>;
  readonly looks: Set<string>;
}

export const nothingKnown = (): Known => ({ pressed: new Set(), looks: new Set() });

interface Opener {
  /** Identifies similar controls, without values of records. */
  readonly kind: string;
  /** The accessible name. */
  readonly name: string;
  readonly at: number;
}

const openersAmong = (controls: Locator): Promise<readonly Opener[]> =>
  controls.evaluateAll((all) =>
    all.flatMap((one, at) => {
      const words = one.textContent.replaceAll(/\d+/gu, "").trim();
      const name = one.ariaLabel ?? words;
      if (!one.hasAttribute("aria-haspopup") && !name.endsWith("…")) return [];
      const place = one.closest("main, dialog, [popover]")?.tagName ?? "frame";
      // A label can contain the record's name, so the icon identifies the control.
      const shown = one.ariaLabel === null ? words : (one.querySelector("svg")?.innerHTML ?? "");
      return [{ kind: [place, one.className, one.ariaHasPopup, shown].join(" "), name, at }];
    }),
  );

/** Controls that open something, one of each kind. */
const unknown = async (controls: Locator, { pressed }: Known, on: string): Promise<readonly Opener[]> =>
  (await openersAmong(controls)).filter(({ kind }) => {
    // The frame is equal on all pages.
    const key = kind.startsWith("frame") ? kind : `${on} ${kind}`;
    if (pressed.has(key)) return false;
    pressed.add(key);
    return true;
  });

/** The distinct kinds of elements in an overlay. */
const lookOf = (one: Locator): Promise<string> =>
  one.evaluate((root) => {
    const kinds = [root, ...root.querySelectorAll("*")].map(
      (element) => `${element.tagName} ${element.getAttribute("class")} ${element.getAttributeNames().join()}`,
    );
    return [...new Set(kinds)].sort().join("\n");
  });

/** Closes everything that is open. A dialog that is still being prepared can miss a key. */
export const shut = async (page: Page): Promise<void> => {
  const top = over(page);
  for (let times = 0; times < 20 && (await top.count()) > 0; times++) {
    await page.keyboard.press("Escape");
    if (times >= 3) await top.waitFor({ state: "hidden", timeout: 200 }).catch(() => undefined);
  }
  await top.waitFor({ state: "hidden" });
};

/** Presses a control by keyboard; a refused one opens an explanation. */
const press = async (page: Page, control: Locator): Promise<void> => {
  await control.focus();
  await page.keyboard.press("Enter");
};

/** Checks an overlay that has just opened, unless a similar one was checked before. */
export const see = async (
  page: Page,
  known: Known,
  look: () => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  await over(page).waitFor();
  await atRest(page);
  seen.opened += 1;
  const form = await lookOf(over(page));
  if (known.looks.has(form)) return [];
  known.looks.add(form);
  return look();
};

/** Opens everything from these controls, recursively. */
export const openAll = async (
  page: Page,
  outside: Locator,
  on: string,
  known: Known,
  lookOver: (what: string) => Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const found: string[] = [];
  const inside = over(page).locator("[aria-haspopup]:visible, button:visible");
  for (const { name, at } of await unknown(outside, known, on)) {
    const open = async () => {
      await press(page, outside.nth(at));
      await over(page).waitFor();
    };
    await open();
    found.push(...(await lookOver(name)));
    const within = await unknown(inside, known, on);
    for (const [turn, inner] of within.entries()) {
      if (turn > 0) await open();
      const first = await over(page).elementHandle();
      await press(page, inside.nth(inner.at));
      // It replaces its container or opens over it.
      await page.waitForFunction(
        (before) => [...document.querySelectorAll("dialog[open], [popover]:popover-open")].at(-1) !== before,
        first,
      );
      found.push(...(await lookOver(`${name}, ${inner.name}`)));
      await shut(page);
    }
    await shut(page);
  }
  return found;
};
