import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grantableRoles } from "../../src/core/derive/application.ts";
import type { Application } from "../../src/core/wire/application.ts";
import type { PeopleJson, PersonAccountJson } from "../../src/core/wire/people.ts";
import type { ScreenJson } from "../../src/core/wire/screens.ts";
import { pages } from "../../src/web/client/pages.ts";
import { atRest, axeFindings, complaints, shifted, sideways, small, visit } from "../web/browser.ts";
import { compiled, example, type Program, type Somebody, serveText, startProgram } from "./program.ts";

/*
 * Every address that there is, in every state that it can be in, on a desk and on a phone, by day and by night: nothing
 * that axe sees with all its rules, nothing that scrolls sideways, nothing that moves as it comes, nothing too small for
 * a thumb.
 *
 * The addresses are read from the running application: a screen that is added to the example, or a page that is added to
 * the platform, is looked at without a word here.
 */

const widths: readonly number[] = [1440, 390];
const themes = ["light", "dark"] as const;

const applicationOf = async (somebody: Somebody): Promise<Application> =>
  (await somebody.get("/_/application")).body as Application;

const personOf = async (somebody: Somebody, id: string): Promise<PersonAccountJson> =>
  (await somebody.get(`/_/people/${id}`)).body as PersonAccountJson;

/** Gives somebody every role that can be granted, or takes all but that of administrator. */
const hold = async (by: Somebody, id: string, all: boolean): Promise<void> => {
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
const addressesFor = async (somebody: Somebody): Promise<readonly string[]> => {
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
const isOwn = (address: string): boolean => /^\/(?:workbench|sign-in|nowhere)/u.test(address);

/** How often axe has looked, for who follows the walk. */
let looks = 0;

/** What is wrong with the page as it stands, in both themes. */
const wrong = async (page: Page, where: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    for (const finding of await axeFindings(page)) found.push(`${where}, ${colorScheme}: ${finding}`);
    looks += 1;
  }
  const beyond = await sideways(page);
  if (beyond > 0) found.push(`${where}: scrolls ${beyond} pixels sideways`);
  return found;
};

const cookieOf = (somebody: Somebody, url: string) => {
  const [name = "", value = ""] = somebody.cookie().split("=");
  return { name, value, url };
};

/** What is looked at: an address, on a page of one width that goes from one to the next. */
interface Look {
  readonly page: Page;
  readonly address: string;
  /** The address with the width, for what is said of it. */
  readonly where: string;
}

/** Looks at every address, at both widths at once, and gives all that was found. */
const walk = async (
  url: string,
  somebody: Somebody | null,
  addresses: readonly string[],
  look: (at: Look) => Promise<readonly string[]>,
  before: (page: Page) => Promise<unknown> = () => Promise.resolve(),
  at: readonly number[] = widths,
): Promise<readonly string[]> => {
  const found = await Promise.all(
    at.map(async (width) => {
      const page = await visit(url, { width, path: "/healthz" });
      if (somebody) await page.context().addCookies([cookieOf(somebody, url)]);
      await before(page);
      const seen: string[] = [];
      for (const address of addresses) {
        const where = `${address} at ${width}`;
        seen.push(...(await look({ page, address, where }).catch((thrown) => [`${where}: ${thrown}`])));
      }
      return [...seen, ...complaints(page).map((said) => `At ${width} the console says: ${said}`)];
    }),
  );
  return found.flat();
};

/** An example, but nobody holds a role by signing in alone: who is granted nothing sees nothing. */
const textOf = (name: string): string => {
  const text = readFileSync(example(name), "utf8");
  const granted = text.replace(/^( {2}[a-z_]+: +)(?:\{ members: signed in \}|signed in)/mu, "$1granted");
  if (granted === text) throw new Error(`nobody holds a role of ${name} by signing in`);
  return granted;
};

/** Where each of them is walked in every state; otherwise the first is, but for what takes long and seldom differs. */
const whole = process.env.STATES === "all";
const [first, ...others] = ["leave-desk", ...(whole ? ["help-desk", "purchasing", "booking", "lending"] : [])];

/** Goes to an address within the application, as its own links do, by day. */
const go = async (page: Page, address: string): Promise<void> => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.evaluate((to) => {
    history.pushState({}, "", to);
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  }, address);
};

/** The application, open at a page that asks for next to nothing. */
const opened = async (page: Page): Promise<void> => {
  await page.goto(`${new URL(page.url()).origin}/nowhere`);
  await page.getByRole("main").waitFor();
};

/** Comes from outside, and measures what moves and what a thumb can press. */
const measured = async ({ page, address, where }: Look): Promise<readonly string[]> => {
  await page.emulateMedia({ colorScheme: "light" });
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

/** What is asked of the server for a screen; the application itself, without which there is no page, is not. */
const calls = /\/(?:api|_)\/(?!application|changes)/u;

/** What opens over the page: a dialog, or a menu or panel beside its control. */
const over = (page: Page): Locator => page.locator("dialog[open], [popover]:popover-open").last();

/** The controls of a page that open something, each kind once: names differ in their record, what opens is the same. */
const openersOf = async (page: Page, known: Set<string>): Promise<readonly { kind: string; control: Locator }[]> => {
  const all = page.locator("[aria-haspopup]:visible, main button:visible");
  const kinds = await all.evaluateAll((controls) =>
    controls.map((one) => {
      const [haspopup, words] = [one.getAttribute("aria-haspopup"), one.textContent.replaceAll(/\d+/gu, "")];
      return haspopup === null && !words.endsWith("…") ? null : `${haspopup} ${one.className} ${words}`;
    }),
  );
  return kinds.flatMap((kind, at) => {
    if (kind === null || known.has(kind)) return [];
    known.add(kind);
    return [{ kind, control: all.nth(at) }];
  });
};

/** One state of every address: what is wrong in it, and by the reporter how much was looked at. */
const state = (name: string, runs: boolean, found: () => Promise<readonly string[]>): void =>
  test.runIf(runs)(name, { timeout: whole ? 900_000 : 300_000 }, async ({ annotate }) => {
    looks = 0;
    expect(await found()).toEqual([]);
    await annotate(`nothing was found in ${looks} looks of axe`);
  });

/** Goes to an address within the application and sees what is wrong there once it has come to rest. */
const gone = async ({ page, address, where }: Look): Promise<readonly string[]> => {
  await go(page, address);
  await atRest(page);
  return wrong(page, where);
};

/** The same where it never comes to rest: what is waited for is shown once it lasts. */
const goneFor =
  (lasting: number) =>
  async ({ page, address, where }: Look): Promise<readonly string[]> => {
    await go(page, address);
    await page.waitForTimeout(lasting);
    return wrong(page, where);
  };

const fault = {
  status: 500,
  contentType: "application/problem+json",
  body: JSON.stringify({
    status: 500,
    code: "INTERNAL",
    title: "Fault",
    detail: "A fault of ours.",
    reference: "f4ult",
  }),
};

describe.each([first, ...others])("%s", (name = "") => {
  const text = textOf(name);
  let program: Program;
  let author: Somebody;
  let addresses: readonly string[];
  /** Where the platform's own pages say the same whatever stands behind them, one example shows them. */
  let screens: readonly string[];
  beforeAll(async () => {
    program = await startProgram({ text });
    author = await program.signInAs("administrator");
    await hold(author, (await applicationOf(author)).person?.id ?? "", true);
    addresses = await addressesFor(author);
    screens = name === first ? addresses : addresses.filter((one) => !isOwn(one));
    expect(screens.length).toBeGreaterThan(5);
  });
  afterAll(() => program.stop());

  state("loaded", true, () => walk(program.url, author, addresses, measured));

  state("at 320, the narrowest that must lose nothing, nothing scrolls sideways", whole, () => {
    const look = async ({ page, address, where }: Look) => {
      await go(page, address);
      await atRest(page);
      const beyond = await sideways(page);
      return beyond > 0 ? [`${where}: scrolls ${beyond} pixels sideways`] : [];
    };
    return walk(program.url, author, addresses, look, opened, [320]);
  });

  state("nobody is signed in, by every way in", name === first, () => {
    const ways = ["", "#first=none", "#password=none", "#sign-up=none", "#failed=none"].map((one) => `/sign-in${one}`);
    return walk(program.url, null, ways, measured);
  });

  // The bar itself is looked at in people-browser.test.ts.
  state("looking as somebody else", whole, async () => {
    const people = ((await author.get("/_/people")).body as PeopleJson).items;
    const other = people.find(({ roles, active }) => active && !roles.includes("administrator"));
    const looking = await program.signInAs("administrator");
    await looking.post("/_/look", { person: other?.id });
    const look = async (at: Look) => {
      const found = await gone(at);
      expect(await at.page.getByRole("complementary", { name: "Looking as somebody else" }).count()).toBe(1);
      return found;
    };
    return walk(program.url, looking, screens, look, opened);
  });

  state("still loading", whole, () => {
    const held = async (page: Page) => {
      await page.route(calls, () => undefined);
      await opened(page);
    };
    return walk(program.url, author, screens, goneFor(200), held);
  });

  state("broken", true, () => {
    const failing = async (page: Page) => {
      await page.route(calls, (route) => route.fulfill(fault));
      await opened(page);
    };
    return walk(program.url, author, screens, gone, failing);
  });

  state("offline", whole, () => {
    const cut = async (page: Page) => {
      await opened(page);
      await page.route(calls, (route) => route.abort("internetdisconnected"));
    };
    return walk(program.url, author, screens, goneFor(300), cut);
  });

  state("refused: every role was taken away while the page was open", true, async () => {
    const { signIn } = await applicationOf(author);
    const shown = signIn.demonstration?.find(({ roles }) => roles.length > 0 && !roles.includes("administrator"));
    const other = await program.signInAs(shown?.roles[0] ?? null);
    const id = (await applicationOf(other)).person?.id ?? "";
    await hold(author, id, true);
    await author.post(`/_/people/${id}/grant`, { role: "administrator" });
    let open = 0;
    let withdraw = () => {};
    const withdrawn = new Promise<void>((resolve) => {
      withdraw = resolve;
    }).then(async () => {
      for (const role of (await personOf(author, id)).roles) await author.post(`/_/people/${id}/take`, { role });
    });
    const whileOpen = async (page: Page) => {
      await opened(page);
      open += 1;
      if (open === widths.length) withdraw();
      await withdrawn;
    };
    return walk(program.url, other, screens, gone, whileOpen);
  });

  state("empty", true, async () => {
    const fresh = await serveText(text);
    const url = await fresh.listen();
    const somebody = await fresh.person("Ada Ambler", grantableRoles(compiled(text).model));
    return walk(url, somebody, await addressesFor(somebody), gone, opened);
  });

  state("something open over it, or a form that is refused", true, () => {
    const seen = new Map<Page, Set<string>>();
    const look = async ({ page, address, where }: Look) => {
      const known = seen.get(page) ?? new Set();
      const found: string[] = [];
      const see = async (what: string) => {
        await over(page).waitFor();
        await atRest(page);
        found.push(...(await wrong(page, `${where}, ${what}`)));
      };
      const shut = async () => {
        for (let times = 0; times < 3 && (await over(page).count()) > 0; times++) await page.keyboard.press("Escape");
        await over(page).waitFor({ state: "hidden" });
        await page.emulateMedia({ colorScheme: "light" });
      };
      await go(page, address);
      await atRest(page);
      if (!seen.has(page))
        for (const key of ["Control+k", "?"]) {
          await page.keyboard.press(key);
          await see(key);
          await shut();
        }
      seen.set(page, known);
      for (const { kind, control } of await openersOf(page, known)) {
        // A control that is refused opens too, and says why.
        const open = async () => {
          await control.focus();
          await page.keyboard.press("Enter");
          await over(page).waitFor();
        };
        await open();
        await see(kind);
        const asking = over(page).getByRole("menuitem", { name: /…$/u });
        const names = await asking.allTextContents();
        await shut();
        for (const [at, name] of names.entries()) {
          if (known.has(name)) continue;
          known.add(name);
          await open();
          await asking.nth(at).focus();
          await page.keyboard.press("Enter");
          await page.locator("dialog[open]").waitFor();
          await see(name);
          await shut();
        }
      }
      // A select opens by the browser's own means, over which nothing can look.
      for (const box of address.endsWith("/new") ? await page.locator("input[role=combobox]").all() : []) {
        await box.click();
        await see("a search");
        await shut();
      }
      const save = page.getByRole("button", { name: "Save", exact: true });
      if (address.endsWith("/new") && (await save.count()) === 1) {
        await save.click();
        await page.getByRole("alert").first().waitFor();
        found.push(...(await wrong(page, `${where}, not saved`)));
      }
      return found;
    };
    return walk(program.url, author, addresses, look, opened);
  });
});
