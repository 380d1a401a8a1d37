import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from "playwright-core";
import { expect } from "vitest";
import type { Application } from "../../src/core/wire/application.ts";
import { afterEveryFile, afterEveryTest } from "../ends.ts";

/*
 * A person at a real Chromium with the real program:
 *
 *   const page = await visit(program.url, { width: 390, theme: "dark" });
 *   await page.getByRole("button", { name: "Save" }).click();
 *
 * Unexpected console messages fail a test that checks `complaints`. A violation of the content security policy fails
 * every test.
 */

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // No spare process for the next page: each visitor gets a process of their own anyway, and the page opens with a
  // tenth less work. The pages of one visitor share theirs.
  "--renderer-process-limit=1",
  // Applications on other ports are the same site anyway, and a page of another site would end the process of a visitor.
  "--disable-site-isolation-trials",
];

/** One browser for all test files of this process. */
let browser: Promise<Browser> | undefined;
const theBrowser = (): Promise<Browser> => {
  browser ??= chromium.launch({ executablePath: process.env.NINEFOLD_BROWSER || "/usr/bin/chromium", args });
  return browser;
};

/** Milliseconds between looks for an element. */
const PAUSES = [20, 50, 100];

type Retry = (this: Frames, progress: unknown, action: unknown) => Promise<unknown>;
interface Frames {
  retryWithProgressAndBackoff: Retry;
  retryWithProgressAndTimeouts(progress: unknown, pauses: readonly number[], action: unknown): Promise<unknown>;
}
interface Contexts {
  rawEvaluateHandle(script: string): Promise<unknown>;
}
interface Internal {
  readonly _connection?: {
    readonly toImpl?: (page: Page) => { mainFrame(): Frames & { utilityContext?(): Promise<Contexts> } };
  };
}

let isQuick = false;
/**
 * Looks for elements each 100 milliseconds. Playwright looks only each 500 after the first 300, and has no option for it:
 * creating and editing a record took 2.3 s instead of 1.9. If an update renames its methods, tests are only slower.
 */
const lookOften = (page: Page): void => {
  if (isQuick) return;
  isQuick = true;
  const frame = (page as unknown as Internal)._connection?.toImpl?.(page).mainFrame();
  if (frame?.retryWithProgressAndTimeouts === undefined) return;
  const frames: Frames = Object.getPrototypeOf(frame);
  frames.retryWithProgressAndBackoff = function (progress, action) {
    return this.retryWithProgressAndTimeouts(progress, PAUSES, action);
  };
};

/** The elements that can have a role without naming it, for the roles that tests look for most. */
const elementsOf: Readonly<Record<string, string>> = {
  button: "button, input, summary",
  cell: "td",
  checkbox: "input",
  combobox: "input, select",
  dialog: "dialog",
  heading: "h1, h2, h3, h4, h5, h6",
  link: "a, area",
  main: "main",
  navigation: "nav",
  radio: "input",
  region: "section",
  row: "tr",
  searchbox: "input",
  spinbutton: "input",
  table: "table",
  textbox: "input, textarea",
};
const candidatesOf = Object.fromEntries(
  Object.entries(elementsOf).map(([role, elements]) => [role, `${elements}, [role]`]),
);

/** Playwright’s loop over all elements in its search for a role. */
const OVER_ALL = /root\.querySelectorAll\("\*"\)(?=\) \{\s*match\(element\))/u;

let isNarrow = false;
/**
 * Looks for a role only among elements that can have it. Playwright computes the role of every element, at each look: an
 * eighth of what a page of a list computed. If an update changes its script, tests are only slower.
 */
const lookNarrowly = async (page: Page): Promise<void> => {
  if (isNarrow) return;
  isNarrow = true;
  const context = await (page as unknown as Internal)._connection?.toImpl?.(page).mainFrame().utilityContext?.();
  if (context?.rawEvaluateHandle === undefined) return;
  const contexts: Contexts = Object.getPrototypeOf(context);
  const evaluate = contexts.rawEvaluateHandle;
  contexts.rawEvaluateHandle = function (script) {
    const among = `root.querySelectorAll((${JSON.stringify(candidatesOf)})[options.role] ?? "*")`;
    return evaluate.call(this, script.replace(OVER_ALL, among));
  };
};

/** Timeout in milliseconds, long because a busy machine is not a defect of the page. */
const PATIENCE = 60_000;

/** A browser context with its data: cookies, storage, cache. */
interface Visitor {
  readonly context: BrowserContext;
  /** The options of the context: only a visit with equal ones can use it again. */
  readonly options: string;
  /** An empty page. It keeps the process of the other pages alive, with the scripts that are compiled there. */
  readonly empty: Page;
  /** The origins that can have stored data. */
  readonly origins: Set<string>;
}

const opened = new Set<Visitor>();
/** Violations of the content security policy by pages of this test. Any of them fails it. */
let violations: string[] = [];
/** Visitors of earlier tests, without data: their next page takes three quarters of the work of a first one. */
let free: Visitor[] = [];
/** How many of them to keep for the next file: each has a process. */
const MOST_FREE = 4;

/** True if a test has installed a clock, which stays with the context: it may stand still. */
const hasOwnClock = (empty: Page): Promise<boolean> => empty.evaluate(() => "isFake" in Date);

/** Deletes what a test left in a context, except compiled scripts. */
const forget = async ({ context, empty, origins }: Visitor): Promise<void> => {
  for (const page of context.pages()) if (page !== empty) await page.close();
  await context.setOffline(false);
  await context.clearCookies();
  const devtools = await context.newCDPSession(empty);
  const storageTypes = "cookies,local_storage,indexeddb,service_workers,cache_storage";
  for (const origin of origins) await devtools.send("Storage.clearDataForOrigin", { origin, storageTypes });
  // The next visit loads each file anew, as a first one does.
  await devtools.send("Network.clearBrowserCache");
  await devtools.detach();
  origins.clear();
};

afterEveryTest(async ({ name, hasFailed }) => {
  for (const visitor of opened) {
    const { context, empty } = visitor;
    const isClosed = empty.isClosed();
    if (hasFailed)
      for (const page of context.pages())
        if (page !== empty) console.log(`“${name}” failed at this page:\n${await report(page)}`);
    const isReset =
      !hasFailed &&
      !isClosed &&
      !(await hasOwnClock(empty)) &&
      (await forget(visitor).then(
        () => true,
        () => false,
      ));
    if (isReset) free.push(visitor);
    else await context.close();
  }
  opened.clear();
  const found = violations;
  violations = [];
  if (found.length > 0) throw new Error(`“${name}” violated the content security policy:\n${found.join("\n")}`);
});
afterEveryFile(async () => {
  // The first ones have waited longest.
  const tooMany = free.splice(0, Math.max(0, free.length - MOST_FREE));
  await Promise.all(tooMany.map(({ context }) => context.close()));
});

/** Sample people of the lending desk, one of each kind. */
export const keeper = "Jonas Weber";
export const member = "Lukas Brandt";
export const administrator = "Amara Okafor";

export interface Visit {
  /** 1440 by default; below 768 it is a phone. */
  readonly width?: number;
  /** 900 by default, 844 for a phone. */
  readonly height?: number;
  readonly theme?: "light" | "dark";
  /** The language of the browser, `en-GB` by default. */
  readonly locale?: string;
  readonly path?: string;
}

/** The last events of each page: its console, failed requests and responses, and navigations. */
const events = new WeakMap<Page, string[]>();
const MOST_EVENTS = 40;
/** For a page that no longer responds. */
const REPORT_PATIENCE = 5_000;

/** Describes a page so that a failure explains itself: its address, content, focus and last events. */
const report = async (page: Page): Promise<string> => {
  const patience = { timeout: REPORT_PATIENCE };
  const content = page.locator("body").ariaSnapshot(patience);
  const focus = page.locator(":focus").ariaSnapshot(patience);
  const found = await Promise.allSettled([content, focus]);
  const [shown, focused] = found.map((one) => (one.status === "fulfilled" ? one.value : `unknown: ${one.reason}`));
  const waits = [...(asking.get(page) ?? [])].map((request) => `waits for ${request.method()} ${request.url()}`);
  return [page.url(), shown, `focus: ${focused}`, ...(events.get(page) ?? []), ...waits].join("\n");
};

const complained = new WeakMap<Page, string[]>();
const asking = new WeakMap<Page, Set<Request>>();
const hearing = new WeakSet<Page>();

/** The page's errors. */
export const complaints = (page: Page): readonly string[] => complained.get(page) ?? [];

export const visit = async (url: string, how: Visit = {}): Promise<Page> => {
  const page = await fresh(how);
  await page.goto(url + (how.path ?? "/"));
  return page;
};

/** Opens a page with this cookie, `name=value`. */
export const visitWith = async (url: string, cookie: string, how: Visit = {}): Promise<Page> => {
  const page = await fresh(how);
  const [name = "", value = ""] = cookie.split("=");
  await page.context().addCookies([{ name, value, url }]);
  await page.goto(url + (how.path ?? "/"));
  return page;
};

const visitorWith = async (options: BrowserContextOptions): Promise<Visitor> => {
  const key = JSON.stringify(options);
  const known = free.find((one) => one.options === key);
  if (known !== undefined) {
    free = free.filter((one) => one !== known);
    return known;
  }
  const context = await (await theBrowser()).newContext(options);
  context.setDefaultTimeout(PATIENCE);
  // Of every page, also of those that a page opens.
  context.on("console", (message) => {
    const { url, lineNumber } = message.location();
    if (message.text().includes("Content Security Policy"))
      violations.push(`${message.page()?.url()}: ${message.text()} (${url}:${lineNumber})`);
  });
  return { context, options: key, empty: await context.newPage(), origins: new Set() };
};

const fresh = async ({
  width = 1440,
  height = width < 768 ? 844 : 900,
  theme = "light",
  locale = "en-GB",
}: Visit): Promise<Page> => {
  const phone = width < 768;
  const options: BrowserContextOptions = {
    viewport: { width, height },
    colorScheme: theme,
    hasTouch: phone,
    isMobile: phone,
    reducedMotion: "reduce",
    locale,
    timezoneId: "Europe/Berlin",
  };
  const visitor = await visitorWith(options);
  opened.add(visitor);
  const page = await visitor.context.newPage();
  lookOften(page);
  await lookNarrowly(page);
  const said: string[] = [];
  complained.set(page, said);
  const asked = new Set<Request>();
  asking.set(page, asked);
  // The page always waits for changes; that request does not count as pending.
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) hearing.delete(page);
    if (!request.url().includes("/_/changes")) asked.add(request);
    // The page has a position in the change feed and waits for later changes.
    else if (request.url().includes("?after=")) hearing.add(page);
  });
  page.on("requestfinished", (request) => asked.delete(request));
  const log: string[] = [];
  events.set(page, log);
  const note = (event: string) => {
    log.push(`${new Date().toISOString().slice(11, 23)} ${event.slice(0, 300)}`);
    if (log.length > MOST_EVENTS) log.shift();
  };
  page.on("requestfailed", (request) => {
    asked.delete(request);
    note(`${request.method()} ${request.url()} failed: ${request.failure()?.errorText}`);
  });
  page.on("response", (response) => {
    const isWrite = response.request().method() !== "GET";
    if (isWrite || response.status() >= 400)
      note(`${response.request().method()} ${response.url()} answered ${response.status()}`);
  });
  page.on("framenavigated", (frame) => {
    note(`shows ${frame.url()}`);
    if (frame.url().startsWith("http")) visitor.origins.add(new URL(frame.url()).origin);
  });
  page.on("crash", () => note("crashed"));
  page.on("pageerror", (error) => {
    said.push(error.message);
    note(`error: ${error.stack ?? error.message}`);
  });
  page.on("console", (message) => {
    note(`${message.type()}: ${message.text()}`);
    // Chromium logs every unsuccessful response; only the page's reaction counts.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) said.push(message.text());
  });
  await page.addInitScript(complainIfHidden);
  return page;
};

/**
 * Complains if a page that is shown disappears while a part of it is loaded, with the focus: that part needs a boundary of
 * its own. React hides what it has drawn by a style with this priority.
 */
const complainIfHidden = (): void =>
  new MutationObserver((changes) => {
    for (const { target } of changes)
      if (target instanceof HTMLElement && target.style.getPropertyPriority("display") === "important")
        if (target.querySelector("h1") !== null) console.error("The page disappeared while a part of it was loaded.");
  }).observe(document, { attributes: true, attributeFilter: ["style"], subtree: true });

/**
 * Opens a page as a sample person; `path` defaults to the loans. The test signs in by a request, which saves two page
 * loads; the sign-in page has tests of its own.
 */
export const visitAs = async (url: string, name: string, { path = "/loans", ...more }: Visit = {}): Promise<Page> => {
  const page = await fresh(more);
  const { request } = page.context();
  const { signIn } = (await (await request.get(`${url}/_/application`)).json()) as Application;
  const person = signIn.demonstration?.find((one) => one.name === name);
  const session = await request.post(`${url}/_/session`, { data: { demonstration: person?.token } });
  if (!session.ok()) throw new Error(`signing in as ${name} answered ${session.status()}: ${await session.text()}`);
  await page.goto(url + path);
  return page;
};

/** Writes that a page makes by itself: a visit, and what its act or its reading has marked as read. */
const besides: ReadonlySet<string> = new Set(["/_/visits", "/_/notifications/read"]);

/** The writes of a page from now on: `POST /api/loans/1/return`. */
export const writesOf = (page: Page): readonly string[] => {
  const written: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== "GET" && !besides.has(pathname)) written.push(`${request.method()} ${pathname}`);
  });
  return written;
};

/** Waits until the page listens, so that it receives all later changes. */
export const listening = (page: Page): Promise<void> =>
  expect.poll(() => hearing.has(page), { timeout: PATIENCE }).toBe(true);

/** Waits until the page has an answer, or none, to each request except the one for changes; also while time stands still. */
export const answered = (page: Page): Promise<void> =>
  expect.poll(() => asking.get(page)?.size ?? 0, { timeout: PATIENCE }).toBe(0);

/** Waits until the page is at rest: no requests and nothing busy for two frames. */
export const atRest = async (page: Page): Promise<void> => {
  await page.getByRole("main").waitFor();
  for (let still = 0; still < 2; ) {
    const busy = await page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      return document.querySelector("[aria-busy=true], .skeleton") !== null;
    });
    still = busy || (asking.get(page)?.size ?? 0) > 0 ? 0 : still + 1;
  }
};

/** The width in pixels by which the page scrolls horizontally. */
export const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** The layout shift of the visit as the browser sums it up (CLS). */
export const shifted = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        const add = (entries: PerformanceEntryList) => {
          for (const entry of entries as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
            if (!entry.hadRecentInput) sum += entry.value;
        };
        const observer = new PerformanceObserver((list) => add(list.getEntries()));
        observer.observe({ type: "layout-shift", buffered: true });
        setTimeout(() => {
          add(observer.takeRecords());
          resolve(sum);
        }, 50);
      }),
  );

/** Touch targets that are too small, including their hit area: less than 44 pixels wide or high, of which two can be a border. */
export const small = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => {
    const reach = 20;
    const missed: string[] = [];
    const before = window.scrollY;
    for (const one of document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary")) {
      const { width, height } = one.getBoundingClientRect();
      // Skips elements for screen readers, which have no size, and links within text.
      if (width <= 1 || height <= 1 || !one.checkVisibility({ visibilityProperty: true })) continue;
      if (one.matches(":is(p, li > span) > a, .skip")) continue;
      one.scrollIntoView({ block: "center", inline: "center" });
      const label =
        one instanceof HTMLInputElement ? [...(one.labels ?? [])].find((words) => words.contains(one)) : null;
      const at = (label ?? one).getBoundingClientRect();
      const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
      const takes = (dx: number, dy: number) => {
        const hit = document.elementFromPoint(x + dx, y + dy);
        return hit !== null && (one.contains(hit) || label?.contains(hit) === true);
      };
      if (!takes(0, 0)) continue;
      if (takes(-reach, 0) && takes(reach, 0) && takes(0, -reach) && takes(0, reach)) continue;
      missed.push(`${Math.round(width)} × ${Math.round(height)}: ${one.outerHTML.slice(0, 160)}`);
    }
    window.scrollTo(0, before);
    return missed;
  });

/** The focused element as a screen reader reads it. Of `main`, without its content, which has every button of the page. */
export const focused = async (page: Page): Promise<string> => {
  const holder = page.locator(":focus");
  if ((await holder.count()) === 0) return "the page";
  const snapshot = (await holder.ariaSnapshot()).trim();
  return snapshot.startsWith("- main") ? "- main" : snapshot;
};

/** Presses a key until the sought element has focus; the number of presses does not matter. */
export const pressUntil = async (page: Page, key: string, looked: RegExp, most = 40): Promise<void> => {
  const passed: string[] = [];
  const end = Date.now() + PATIENCE;
  for (let times = 0; times < most; ) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (looked.test(now)) return;
    passed.push(now);
    // A page still rendering has nothing to focus yet.
    if (now === "the page" && Date.now() < end) await page.waitForTimeout(50);
    else times++;
  }
  expect.fail(`${key} did not reach ${looked}; it went through:\n${passed.join("\n")}`);
};

/** The clause that the first "Why?" of a message names; by keyboard, and back to the "Why?". */
export const namedByWhy = async (page: Page, message: Locator): Promise<string | null> => {
  await message.getByRole("button", { name: "Why?" }).first().focus();
  await page.keyboard.press("Enter");
  const panel = page.locator(".popup.why:popover-open");
  await panel.waitFor();
  const asked = panel.getByRole("button", { name: "Show sources" });
  if ((await asked.count()) > 0) await asked.press("Enter");
  const clause = panel.locator(".why-foot .clause");
  const named = await clause.textContent();
  await page.keyboard.press("Escape");
  await clause.waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toContain('button "Why?"');
  return named;
};

/** Starts a composition in the focused field, as an input method does; the next insertion ends it. */
export const compose = async (page: Page, text: string): Promise<void> => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  await devtools.detach();
};

/** Presses Enter during a composition, as an input method does; returns true if the page received the key. */
export const enterWhileComposing = async (page: Page): Promise<boolean> => {
  const told = page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        addEventListener("keydown", ({ isComposing }) => resolve(isComposing), { once: true, capture: true });
        document.documentElement.dataset.listens = "";
      }),
  );
  await page.locator("html[data-listens]").waitFor({ state: "attached" });
  const devtools = await page.context().newCDPSession(page);
  const key = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 };
  await devtools.send("Input.dispatchKeyEvent", { type: "rawKeyDown", ...key });
  await devtools.send("Input.dispatchKeyEvent", { type: "keyUp", ...key });
  await devtools.detach();
  await page.evaluate(() => delete document.documentElement.dataset.listens);
  return told;
};

/**
 * Types a line below one of an editor. The editor has the focus before its text is scrolled and clicked: CodeMirror restores
 * its scroll position when it gets the focus, so that a click in the same frame as scrolling would meet another line.
 */
export const writeBelow = async (editor: Locator, line: string, text: string): Promise<void> => {
  await editor.focus();
  await editor.getByText(line).first().click();
  const { keyboard } = editor.page();
  await keyboard.press("End");
  await keyboard.press("Enter");
  await keyboard.type(text);
};
