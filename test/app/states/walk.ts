import type { Page } from "playwright-core";
import type { Application } from "../../../src/core/wire/application.ts";
import type { PersonAccountJson } from "../../../src/core/wire/people.ts";
import type { ScreenJson } from "../../../src/core/wire/screens.ts";
import { pages } from "../../../src/web/routing/platform-pages.ts";
import { seed } from "../../chance.ts";
import { atRest, complaints, shifted, small, type Visit, visit } from "../../web/browser.ts";
import type { Somebody } from "../program.ts";
import { seen, wrong } from "./looks.ts";

/** A desk and a phone. */
export const sizes: readonly Visit[] = [{ width: 1440 }, { width: 390 }];

export const applicationOf = async (somebody: Somebody): Promise<Application> =>
  (await somebody.get("/_/application")).body as Application;

export const personOf = async (somebody: Somebody, id: string): Promise<PersonAccountJson> =>
  (await somebody.get(`/_/people/${id}`)).body as PersonAccountJson;

/** Gives somebody every role that can be granted, or takes all but that of administrator. */
export const hold = async (by: Somebody, id: string, all: boolean): Promise<void> => {
  const { roles: held, grantable } = await personOf(by, id);
  for (const role of grantable)
    if (role !== "administrator" && held.includes(role) !== all)
      await by.post(`/_/people/${id}/${all ? "grant" : "take"}`, { role });
};

/** A record of a screen's entity; where there is none, an id that nothing has. */
const someRecord = async (somebody: Somebody, { entities }: Application, screen: ScreenJson): Promise<string> => {
  const calls = screen.kind === "tiles" ? undefined : entities[screen.entity]?.calls;
  const found = calls === undefined ? [] : (await somebody.get(`${calls}?limit=1`)).list().items;
  return found[0]?.id ?? "00000000-0000-7000-8000-000000000000";
};

/** The addresses of the document's screens, each layout of a list by itself, and those of the platform. */
export const addressesFor = async (somebody: Somebody): Promise<readonly string[]> => {
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

/** Whether it is one of the platform's own pages. */
export const isOwn = (address: string): boolean => /^\/(?:workbench|sign-in|nowhere)/u.test(address);

const cookieOf = (somebody: Somebody, url: string) => {
  const [name = "", value = ""] = somebody.cookie().split("=");
  return { name, value, url };
};

/** What is looked at: an address, on a page of one size that goes from one to the next. */
export interface Look {
  readonly page: Page;
  readonly address: string;
  /** The address with the size, for what is said of it. */
  readonly where: string;
}

interface Walk {
  readonly url: string;
  readonly somebody: Somebody | null;
  readonly addresses: readonly string[];
  readonly look: (at: Look) => Promise<readonly string[]>;
  /** What is done with each page before it goes anywhere. */
  readonly before?: (page: Page) => Promise<unknown>;
  readonly at?: readonly Visit[];
  /** Looks at each address at one of the sizes only, and at the next one at the next size; the day after, the other way round. */
  readonly takesTurns?: boolean;
}

/** Looks at every address, at all sizes side by side, and gives all that was found. */
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
      const said: string[] = [];
      for (const [index, address] of addresses.entries()) {
        if (takesTurns && (index + nth + seed) % at.length !== 0) continue;
        const where = `${address} at ${size.width}`;
        seen.addresses.add(address);
        said.push(...(await look({ page, address, where }).catch((thrown) => [`${where}: ${thrown}`])));
      }
      const complained = complaints(page).map((words) => `At ${size.width} the console says: ${words}`);
      await page.context().close();
      return [...said, ...complained];
    }),
  );
  return found.flat();
};

/** Goes to an address within the application, as its own links do, by day. */
export const go = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState({}, "", to);
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  }, address);

/** The application, open at a page that asks for next to nothing. */
export const opened = async (page: Page): Promise<void> => {
  await page.goto(`${new URL(page.url()).origin}/nowhere`);
  await page.getByRole("main").waitFor();
};

/** Comes from outside, and measures what moves and what a thumb can press. */
export const measured = async ({ page, address, where }: Look): Promise<readonly string[]> => {
  const opened = async (): Promise<number> => {
    await page.goto(new URL(address, page.url()).href);
    await atRest(page);
    return shifted(page);
  };
  // Where the machine is busy with something else, what belongs together may come in two frames: it is looked at once more.
  const first = await opened();
  const moved = first >= 0.1 ? Math.min(first, await opened()) : first;
  const missed = page.viewportSize()?.width === 390 ? await small(page) : [];
  return [
    ...(moved >= 0.1 ? [`${where}: ${moved} of it moved as it came`] : []),
    ...missed.map((one) => `${where}: a thumb misses ${one}`),
    ...(await wrong(page, where)),
  ];
};

/** Goes to an address within the application and sees what is wrong there once it has come to rest. */
export const gone = async ({ page, address, where }: Look): Promise<readonly string[]> => {
  await go(page, address);
  await atRest(page);
  return wrong(page, where);
};
