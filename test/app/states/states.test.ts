import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grantableRoles } from "../../../src/core/derive/client/app-manifest.ts";
import type { LinkJson, PeopleJson } from "../../../src/core/wire/accounts/people.ts";
import { round, thirdOfDay } from "../../turns.ts";
import { atRest } from "../../web/browser.ts";
import { type ApiClient, compiled, example, type Program, serveText, startProgram } from "../program.ts";
import { beyondWindow, overlaps, scrollsSideways, seen, wrong } from "./looks.ts";
import { changedMeanwhile } from "./meanwhile.ts";
import { controls, type Known, nothingKnown, openAll, over, overlaysAndOpeners, see, shut } from "./openers.ts";
import {
  addressesFor,
  applicationOf,
  go,
  gone,
  hold,
  isOwn,
  type Look,
  measured,
  opened,
  personOf,
  sizes,
  walk,
} from "./walk.ts";

/*
 * Every address in every state, on a desktop and a phone, in both themes: no findings of any axe rule, no horizontal
 * scrolling, no layout shift, no small touch targets.
 *
 * The addresses come from the running application, so new screens of the example and new pages of the platform are
 * covered automatically.
 */

/**
 * The examples to test in every state (`npm run states`); by default one, without the slow states that rarely differ.
 */
const asked = process.env.STATES?.split(",");
const all = asked !== undefined;

/** In an ordinary run, states that differ little from the loaded one are checked at one size per address. */
const takesTurns = !all;

/** The states that an ordinary run checks; a whole run has two of them each day. */
const ordinary = ["something open", "loaded", "refused", "signed out", "broken", "empty"] as const;
const due = thirdOfDay(ordinary);
const isDue = (state: (typeof ordinary)[number]): boolean => all || due.includes(state);

/** A third of some addresses: twice each, so that both sizes have their turn (`walk`). */
const thirdOf = (addresses: readonly string[]): readonly string[] =>
  all ? addresses : addresses.filter((_, i) => (i + Math.floor(round / 2)) % 3 === 0);
const first = "leave-desk";

/** Folder for the summary of each example. */
const folder = process.env.STATES_INTO;

/** An example without roles for everybody: a person without granted roles sees nothing. */
const textOf = (name: string): string => {
  const text = readFileSync(example(name), "utf8");
  const granted = text.replace(/^( {2}[a-z_]+: +)(?:\{ members: signed in \}|signed in)/mu, "$1granted");
  if (granted === text && /^roles:/mu.test(text)) throw new Error(`nobody holds a role of ${name} by signing in`);
  return granted;
};

/** Requests of a screen, without those for the application and the files of the page, which every page needs. */
const calls = /\/(?:api|_)\/(?!application|changes|assets)/u;

const fault = {
  status: 500,
  contentType: "application/problem+json",
  body: JSON.stringify({
    status: 500,
    code: "INTERNAL",
    title: "Internal error",
    detail: "A fault of ours.",
    reference: "f4ult",
  }),
};

describe.each(asked ?? [first])("%s", (name) => {
  const text = textOf(name);
  let program: Program;
  let author: ApiClient;
  let addresses: readonly string[];
  /** The platform's pages are equal for all documents, so one example with data and one without cover them. */
  let screens: readonly string[];
  beforeAll(async () => {
    program = await startProgram({ text });
    author = await program.signInAs("administrator");
    await hold(author, (await applicationOf(author)).person?.id ?? "", true);
    addresses = await addressesFor(author);
    const document = addresses.filter((one) => !isOwn(one));
    screens = name === first || document.length === 0 ? addresses : document;
    expect(addresses.length).toBeGreaterThan(5);
  });
  afterAll(() => program.stop());

  /** Another person with every role except administrator; invited if the sample has nobody else. */
  const another = async (): Promise<{ readonly somebody: ApiClient; readonly id: string }> => {
    const { signIn } = await applicationOf(author);
    const shown = signIn.demonstration?.find(({ roles }) => !roles.includes("administrator"));
    const somebody = shown ? await program.signInAs(shown.roles[0] ?? null) : await guest();
    const id = (await applicationOf(somebody)).person?.id ?? "";
    await hold(author, id, true);
    return { somebody, id };
  };
  let invited: Promise<ApiClient> | undefined;
  const guest = () => {
    invited ??= (async () => {
      const person = { name: "Grace Okoro", email: "grace@example.com", roles: [] };
      const { link } = (await author.post("/_/people", person)).body as LinkJson;
      const visitor = program.visitor();
      await visitor.post("/_/password", { token: link.split("=")[1], password: "ten characters" });
      return visitor;
    })();
    return invited;
  };

  /** The result of each state. */
  const summary: Record<string, unknown> = {};

  /** One state of every address: the findings and the number of checks. */
  const state = (what: string, runs: boolean, walked: () => Promise<readonly string[]>): void =>
    test.runIf(runs)(what, { timeout: all ? 3_600_000 : 300_000 }, async ({ annotate }) => {
      Object.assign(seen, { addresses: new Set(), looks: 0, opened: 0 });
      const since = performance.now();
      const found = await walked();
      const seconds = Math.round((performance.now() - since) / 1000);
      const { looks, opened } = seen;
      summary[what] = { addresses: seen.addresses.size, looks, opened, findings: found.length, seconds };
      if (folder !== undefined) writeFileSync(join(folder, `${name}.json`), JSON.stringify(summary));
      await annotate(`${seen.addresses.size} addresses, ${opened} things opened, ${looks} looks of axe, ${seconds} s`);
      expect(found).toEqual([]);
    });

  // Sizes differ in what moves, scrolls and is too small, rarely in what axe finds.
  state("loaded", isDue("loaded"), () => {
    const look = (at: Look) => measured(at, all || at.isTurn);
    return walk({ url: program.url, somebody: author, addresses: thirdOf(addresses), look });
  });

  state("at 320, the narrowest that must lose nothing, nothing scrolls sideways", all, () => {
    const look = async ({ page, address, where }: Look) => {
      await go(page, address);
      await atRest(page);
      return scrollsSideways(page, where);
    };
    return walk({ url: program.url, somebody: author, addresses, look, before: opened, at: [{ width: 320 }] });
  });

  state("nobody is signed in, by every way in", isDue("signed out") && name === first, () => {
    const ways = ["", "#first=none", "#password=none", "#sign-up=none", "#failed=none"].map((one) => `/sign-in${one}`);
    return walk({ url: program.url, somebody: null, addresses: ways, look: (at) => measured(at) });
  });

  // The bar itself is tested in ../accounts/people-browser.test.ts.
  state("looking as somebody else", all, async () => {
    const people = ((await author.get("/_/people")).body as PeopleJson).items;
    const other =
      people.find(({ roles, active }) => active && !roles.includes("administrator"))?.id ?? (await another()).id;
    const looking = await program.signInAs("administrator");
    await looking.post("/_/look", { person: other });
    const look = async (at: Look) => {
      const found = await gone(at);
      await expect.poll(() => at.page.getByRole("complementary", { name: "Viewing as someone else" }).count()).toBe(1);
      return found;
    };
    return walk({ url: program.url, somebody: looking, addresses: screens, look, before: opened });
  });

  state("still loading", all, () => {
    const held = async (page: Page) => {
      await page.route(calls, () => undefined);
      await opened(page);
    };
    const look = async ({ page, address, where }: Look) => {
      await go(page, address);
      // A loading indicator appears only after a delay; a page without requests has none.
      await page
        .locator("main [aria-busy=true], main .skeleton")
        .first()
        .waitFor({ timeout: 1_000 })
        .catch(() => undefined);
      return wrong(page, where);
    };
    return walk({ url: program.url, somebody: author, addresses: screens, look, before: held });
  });

  state("broken", isDue("broken"), () => {
    const failing = async (page: Page) => {
      await page.route(calls, (route) => route.fulfill(fault));
      await opened(page);
    };
    return walk({ url: program.url, somebody: author, addresses: screens, look: gone, before: failing, takesTurns });
  });

  state("offline", all, () => {
    const cut = async (page: Page) => {
      await opened(page);
      await page.route(calls, (route) => route.abort("internetdisconnected"));
    };
    const look = async ({ page, address, where }: Look) => {
      await go(page, address);
      await page.waitForTimeout(300);
      return wrong(page, where);
    };
    return walk({ url: program.url, somebody: author, addresses: screens, look, before: cut });
  });

  state("refused: every role was taken away while the page was open", isDue("refused"), async () => {
    const { somebody: other, id } = await another();
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
      if (open === sizes.length) withdraw();
      await withdrawn;
    };
    return walk({ url: program.url, somebody: other, addresses: screens, look: gone, before: whileOpen, takesTurns });
  });

  state("empty", isDue("empty"), async () => {
    const fresh = await serveText(text);
    const url = await fresh.listen();
    const somebody = await fresh.person("Ada Ambler", grantableRoles(compiled(text).model));
    const found = await walk({
      url,
      somebody,
      addresses: await addressesFor(somebody),
      look: gone,
      before: opened,
      takesTurns,
    });
    await fresh.stop();
    return found;
  });

  /** Opens everything on every page, one after another; `lookAt` returns the findings of each. */
  const somethingOpen = (
    lookAt: (page: Page, where: string, within?: string) => Promise<readonly string[]>,
    more: Pick<Parameters<typeof walk>[0], "url" | "somebody" | "addresses" | "at">,
  ) => {
    const seen = new Map<Page, Known>();
    const look = async ({ page, address, where }: Look) => {
      const known = seen.get(page) ?? nothingKnown();
      const found: string[] = [];
      const lookOver = (what: string) =>
        see(page, known, async () => [
          ...(await lookAt(page, `${where}, ${what}`, overlaysAndOpeners)),
          ...(await beyondWindow(over(page), `${where}, ${what}`)),
        ]);
      await go(page, address);
      await atRest(page);
      if (!seen.has(page)) {
        for (const key of ["Control+k", "?"]) {
          await page.keyboard.press(key);
          found.push(...(await lookOver(key)));
          if (all && key === "Control+k") {
            await page.keyboard.type("e");
            found.push(...(await lookOver("what a letter finds")));
          }
          await shut(page);
        }
        seen.set(page, known);
      }
      found.push(...(await openAll(page, controls(page), address, known, lookOver)));
      // The browser renders an open select itself, outside the page.
      for (const box of address.endsWith("/new") ? await page.locator("input[role=combobox]").all() : []) {
        await box.click();
        found.push(...(await lookOver("a search")));
        await shut(page);
      }
      const save = page.getByRole("button", { name: /^(Create|Save as) / });
      if (address.endsWith("/new") && (await save.count()) === 1) {
        await save.click();
        await page.getByRole("alert").first().waitFor();
        found.push(...(await lookAt(page, `${where}, not saved`)));
      }
      return found;
    };
    return walk({ ...more, look, before: opened, takesTurns });
  };

  state("something open over it, or a form that is refused", isDue("something open"), () =>
    somethingOpen(wrong, { url: program.url, somebody: author, addresses: thirdOf(addresses) }),
  );

  state("on its side, with something open over it", all, () =>
    somethingOpen(scrollsSideways, {
      url: program.url,
      somebody: author,
      addresses,
      at: [{ width: 844, height: 390 }],
    }),
  );

  state("the session ended while it was open", all, () => {
    const look = async ({ page, address, where }: Look) => {
      await opened(page);
      const stored = await page.context().cookies();
      await page.context().clearCookies();
      await go(page, address);
      await over(page).waitFor();
      const found = [...(await wrong(page, where)), ...(await beyondWindow(over(page), where))];
      await page.context().addCookies(stored);
      return found;
    };
    return walk({ url: program.url, somebody: author, addresses: screens.slice(0, 1), look, before: opened });
  });

  state("rows are selected", all, async () => {
    const { screens } = await applicationOf(author);
    const isList = (address: string) =>
      screens.some(({ kind, path }) => kind === "list" && address.split("?")[0] === path);
    const look = async ({ page, address, where }: Look) => {
      await go(page, address);
      await atRest(page);
      const selecting = page.getByRole("button", { name: "Select", exact: true });
      if (await selecting.isVisible()) await selecting.click();
      const boxes = page.locator("main [data-select]");
      if ((await boxes.count()) === 0) return [];
      for (const box of (await boxes.all()).slice(0, 3)) await box.check({ force: true });
      const bar = page.getByRole("region", { name: "Actions for the selected rows" });
      await bar.waitFor();
      await atRest(page);
      const known = nothingKnown();
      const lookOver = (what: string) => see(page, known, () => wrong(page, `${where}, ${what}`));
      const found = await wrong(page, where);
      return [...found, ...(await openAll(page, bar.locator("button:visible"), address, known, lookOver))];
    };
    return walk({ url: program.url, somebody: author, addresses: addresses.filter(isList), look, before: opened });
  });

  state("what it shows is changed by somebody else", all, async () => {
    const application = await applicationOf(author);
    const look = changedMeanwhile(application, (await another()).somebody);
    return walk({ url: program.url, somebody: author, addresses: screens, look, before: opened });
  });

  state("right to left", all && name === first, async () => {
    const mirrored = await startProgram({ text: text.replace(/^locale: .*$/mu, "locale: ar") });
    const somebody = await mirrored.signInAs("administrator");
    await hold(somebody, (await applicationOf(somebody)).person?.id ?? "", true);
    const all = await addressesFor(somebody);
    const drawn = async ({ page, address, where }: Look) => {
      await go(page, address);
      await atRest(page);
      const against = await page.evaluate(() => document.dir !== "rtl");
      return [
        ...(against ? [`${where}: is drawn from left to right`] : []),
        ...(await scrollsSideways(page, where)),
        ...(await overlaps(page, where)),
      ];
    };
    const { url } = mirrored;
    const found = [
      ...(await walk({ url, somebody, addresses: all, look: drawn, before: opened })),
      ...(await somethingOpen(scrollsSideways, { url, somebody, addresses: all })),
    ];
    await mirrored.stop();
    return found;
  });
});
