import type { Page } from "playwright-core";
import type { PersonAccountJson } from "../../../src/core/wire/accounts/people.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { ScreenJson } from "../../../src/core/wire/screens.ts";
import { pages } from "../../../src/web/routing/platform-pages.ts";
import { round } from "../../turns.ts";
import { atRest, complaints, shifted, small, type Visit, visit } from "../../web/browser.ts";
import type { ApiClient } from "../program.ts";
import { scrollsSideways, seen, wrong } from "./looks.ts";

/** A desktop and a phone. */
export const sizes: readonly Visit[] = [{ width: 1440 }, { width: 390 }];

export const applicationOf = async (somebody: ApiClient): Promise<Application> =>
  (await somebody.get("/_/application")).body as Application;

export const personOf = async (somebody: ApiClient, id: string): Promise<PersonAccountJson> =>
  (await somebody.get(`/_/people/${id}`)).body as PersonAccountJson;

/** Grants a person all roles, or revokes all except administrator. */
export const hold = async (by: ApiClient, id: string, all: boolean): Promise<void> => {
  const { roles: held, grantable } = await personOf(by, id);
  for (const role of grantable)
    if (role !== "administrator" && held.includes(role) !== all)
      await by.post(`/_/people/${id}/${all ? "grant" : "take"}`, { role });
};

/** A record of a screen's entity; an unused id if there is none. */
const someRecord = async (somebody: ApiClient, { entities }: Application, screen: ScreenJson): Promise<string> => {
  const calls = screen.kind === "tiles" ? undefined : entities[screen.entity]?.calls;
  const found = calls === undefined ? [] : (await somebody.get(`${calls}?limit=1`)).list().items;
  return found[0]?.id ?? "00000000-0000-7000-8000-000000000000";
};

/** The addresses of all screens, with each layout of a list, and of the platform's pages. */
export const addressesFor = async (somebody: ApiClient): Promise<readonly string[]> => {
  const application = await applicationOf(somebody);
  const addresses: string[] = [];
  for (const screen of application.screens) {
    const id = screen.path.includes("{") ? await someRecord(somebody, application, screen) : "";
    const path = screen.path.replace(/\{.*?\}/u, id);
    if (screen.kind !== "list" || screen.layouts.length < 2) addresses.push(path);
    else addresses.push(...screen.layouts.map(({ kind }) => `${path}?layout=${kind}`));
  }
  const own = Object.keys(pages).map((path) => path.replace("{id}", application.person?.id ?? ""));
  return [...addresses, ...own, "/nowhere"];
};

/** True for pages of the platform. */
export const isOwn = (address: string): boolean => /^\/(?:workbench|sign-in|nowhere)/u.test(address);

const cookieOf = (somebody: ApiClient, url: string) => {
  const [name = "", value = ""] = somebody.cookie().split("=");
  return { name, value, url };
};

/** An address on a page of one size. */
export interface Look {
  readonly page: Page;
  readonly address: string;
  /** The address and size, for messages. */
  readonly where: string;
  /** True at one size for each address; the sizes alternate, and in the next run they are swapped. */
  readonly isTurn: boolean;
}

interface Walk {
  readonly url: string;
  readonly somebody: ApiClient | null;
  readonly addresses: readonly string[];
  readonly look: (at: Look) => Promise<readonly string[]>;
  /** Runs before each navigation. */
  readonly before?: (page: Page) => Promise<unknown>;
  readonly at?: readonly Visit[];
  /** Visits each address only at the size whose turn it is. */
  readonly takesTurns?: boolean;
}

/** Visits every address at all sizes in parallel and returns all findings. */
export const walk = async ({
  url,
  somebody,
  addresses,
  look,
  before,
  at = sizes,
  takesTurns = false,
}: Walk): Promise<readonly string[]> => {
  const found = await Promise.all(
    at.map(async (size, nth) => {
      const page = await visit(url, { ...size, path: "/healthz" });
      if (somebody) await page.context().addCookies([cookieOf(somebody, url)]);
      await before?.(page);
      const text: string[] = [];
      for (const [index, address] of addresses.entries()) {
        const isTurn = (index + nth + round) % at.length === 0;
        if (takesTurns && !isTurn) continue;
        const where = `${address} at ${size.width}`;
        seen.addresses.add(address);
        text.push(...(await look({ page, address, where, isTurn }).catch((thrown) => [`${where}: ${thrown}`])));
      }
      const complained = complaints(page).map((words) => `At ${size.width} the console says: ${words}`);
      await page.context().close();
      return [...text, ...complained];
    }),
  );
  return found.flat();
};

/** Navigates within the application like its links do, in the light theme. */
export const go = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState({}, "", to);
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  }, address);

/** Opens the application at a page with few requests. */
export const opened = async (page: Page): Promise<void> => {
  await page.goto(`${new URL(page.url()).origin}/nowhere`);
  await page.getByRole("main").waitFor();
};

/** The layout shift of a visit at which a page visibly moves while it loads. */
const MOST_SHIFT = 0.05;

/** Loads the address from outside and measures layout shifts, touch targets and scrolling; by default, axe looks too. */
export const measured = async ({ page, address, where }: Look, withAxe = true): Promise<readonly string[]> => {
  const opened = async (): Promise<number> => {
    await page.goto(new URL(address, page.url()).href);
    await atRest(page);
    return shifted(page);
  };
  // On a busy machine, related changes can take two frames, so a shift is measured twice.
  const first = await opened();
  const moved = first >= MOST_SHIFT ? Math.min(first, await opened()) : first;
  const missed = page.viewportSize()?.width === 390 ? await small(page) : [];
  return [
    ...(moved >= MOST_SHIFT ? [`${where}: ${moved} of it moved as it came`] : []),
    ...missed.map((one) => `${where}: a thumb misses ${one}`),
    ...(await (withAxe ? wrong : scrollsSideways)(page, where)),
  ];
};

/** Navigates to an address and returns the findings once the page is at rest. */
export const gone = async ({ page, address, where }: Look): Promise<readonly string[]> => {
  await go(page, address);
  await atRest(page);
  return wrong(page, where);
};
