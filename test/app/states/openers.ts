import type { Locator, Page } from "playwright-core";
import { atRest } from "../../web/browser.ts";
import { seen } from "./looks.ts";

/*
 * Whatever a page can open over itself is opened: what its controls say they open, what those that ask say with "…", and
 * what is opened from within that. Of what looks alike one is looked at.
 */

/** What opens over the page: a dialog, or a menu or panel beside its control. */
export const over = (page: Page): Locator => page.locator("dialog[open], [popover]:popover-open").last();

/** The controls of a page, in it and around it. */
export const controls = (page: Page): Locator => page.locator("[aria-haspopup]:visible, main button:visible");

/** What a walk of one page has pressed and seen so far. */
export interface Known {
  readonly pressed: Set<string>;
  readonly looks: Set<string>;
}

export const nothingKnown = (): Known => ({ pressed: new Set(), looks: new Set() });

interface Opener {
  /** What tells it from the others, without what differs from record to record. */
  readonly kind: string;
  /** As one would call it. */
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
      // A label may bear the record's name; what it opens shows by its icon.
      const shown = one.ariaLabel === null ? words : (one.querySelector("svg")?.innerHTML ?? "");
      return [{ kind: [place, one.className, one.ariaHasPopup, shown].join(" "), name, at }];
    }),
  );

/** Those that open something, each kind once. */
const unknown = async (controls: Locator, { pressed }: Known, on: string): Promise<readonly Opener[]> =>
  (await openersAmong(controls)).filter(({ kind }) => {
    // What stands around the page is the same on all of them.
    const key = kind.startsWith("frame") ? kind : `${on} ${kind}`;
    if (pressed.has(key)) return false;
    pressed.add(key);
    return true;
  });

/** The kinds of elements within, however many there are of each. */
const lookOf = (one: Locator): Promise<string> =>
  one.evaluate((root) => {
    const kinds = [root, ...root.querySelectorAll("*")].map(
      (element) => `${element.tagName} ${element.getAttribute("class")} ${element.getAttributeNames().join()}`,
    );
    return [...new Set(kinds)].sort().join("\n");
  });

export const shut = async (page: Page): Promise<void> => {
  const top = over(page);
  for (let times = 0; times < 4 && (await top.count()) > 0; times++) await page.keyboard.press("Escape");
  await top.waitFor({ state: "hidden" });
};

/** Presses a control as the keyboard does; one that is refused opens too, and says why. */
const press = async (page: Page, control: Locator): Promise<void> => {
  await control.focus();
  await page.keyboard.press("Enter");
};

/** Looks at what has just opened, unless it looks like what was seen before. */
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

/** Opens all that opens from these controls, and what opens from within that. */
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
      // It opens in the place of what it stands in, or over it.
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
