import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { RuleObject } from "axe-core";
import type { Page } from "playwright-core";
import { interfaceTexts as en } from "./interface-texts.ts";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Rules that depend on colours, and so on the theme. */
const ofColour: readonly string[] = ["color-contrast", "link-in-text-block"];

type Rules = "all" | "of colour" | "of all else";

/** The default rules of axe, and the target size of WCAG 2.2. */
const rulesOf = (which: Rules): RuleObject => ({
  "target-size": { enabled: true },
  ...(which === "of all else" && Object.fromEntries(ofColour.map((id) => [id, { enabled: false }]))),
});

interface Asked {
  /** One line for each element with a violation. */
  readonly findings: readonly string[];
  /** True if a rule read a colour property; for rules on colours, it is not observed. */
  readonly readColour: boolean;
}

const ask = async (page: Page, which: Rules, within?: string): Promise<Asked> => {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(source);
  return page.evaluate(
    async ({ options, observed, within }) => {
      const usual = window.getComputedStyle;
      let readColour = false;
      const note = (property: string | symbol) => {
        readColour ||= /color|background|shadow|fill|stroke/iu.test(String(property));
      };
      if (observed)
        window.getComputedStyle = (of, pseudo) => {
          const style = usual(of, pseudo);
          return new Proxy(style, {
            get: (_, property) => {
              note(property);
              if (property !== "getPropertyValue") return Reflect.get(style, property);
              return (name: string) => {
                note(name);
                return style.getPropertyValue(name);
              };
            },
          });
        };
      try {
        const { axe } = window as unknown as { readonly axe: typeof import("axe-core") };
        const root = {
          include: within === undefined ? [document] : [...document.querySelectorAll(within)],
          // A note that fades away is no longer read.
          exclude: [...document.querySelectorAll(".toast.leaving")],
        };
        const { violations } = await axe.run(root, options);
        // An element fixed to the bottom covers content, which is measured where it can be scrolled to.
        const before = window.scrollY;
        for (const found of violations) {
          if (found.id !== "target-size") continue;
          const small: typeof found.nodes = [];
          for (const node of found.nodes) {
            const one = document.querySelector(String(node.target[0]));
            one?.scrollIntoView({ block: "center" });
            const again = one && (await axe.run(one, { runOnly: ["target-size"] }));
            if (again?.violations.length !== 0) small.push(node);
          }
          found.nodes = small;
        }
        window.scrollTo(0, before);
        const findings = violations.flatMap(({ id, nodes }) =>
          nodes.map(({ html, failureSummary }) => `${id}: ${html} (${failureSummary?.replaceAll("\n", " ")})`),
        );
        return { findings, readColour };
      } finally {
        window.getComputedStyle = usual;
      }
    },
    {
      options: {
        resultTypes: ["violations" as const],
        // By default axe also parses a copy of all style sheets, for a rule that is off.
        preload: { assets: ["media"] },
        ...(which === "of colour" ? { runOnly: [...ofColour] } : { rules: rulesOf(which) }),
      },
      observed: which === "of all else",
      within,
    },
  );
};

/** Violations of WCAG 2.2 AA and best practices found by axe. */
export const axeFindings = async (page: Page): Promise<readonly string[]> => (await ask(page, "all")).findings;

/** The rendered elements and their positions, without the theme control, whose label changes. */
const drawn = (page: Page): Promise<string> =>
  page.evaluate(
    (turns: readonly string[]) =>
      [...document.body.querySelectorAll("*")]
        .filter((one) => {
          const control = one.closest("button");
          return !control || !turns.includes((control.ariaLabel ?? control.textContent).trim());
        })
        .map((one) => {
          const { x, y, width, height } = one.getBoundingClientRect();
          const words = [...one.childNodes].map((child) => (child instanceof Text ? child.data : ""));
          return `${(one.cloneNode(false) as Element).outerHTML} ${words.join()} ${[x, y, width, height].join()}`;
        })
        .join("\n"),
    [en["theme.light"], en["theme.dark"]],
  );

/**
 * One look in this many observes which rules read colours. Observation takes a run of axe of its own, and its result
 * depends on the version of axe and on the kinds of elements, of which the first looks of each process meet most.
 */
const OBSERVED_EACH = 25;
let looks = 0;

/**
 * Violations in both themes. All rules run in the light theme, and rules on colours in the dark theme too. The other rules
 * run in the dark theme if the themes differ in more than colours. That they read no colours is observed now and then, and
 * is a finding otherwise.
 *
 * `within` is a selector of overlays, for a page that was looked at before: only these elements are looked at, because the
 * page behind an overlay is as it was without one.
 */
export const axeFindingsInBothThemes = async (page: Page, within?: string): Promise<readonly string[]> => {
  const found: string[] = [];
  const look = async (which: Rules, theme: string, among?: string): Promise<boolean> => {
    const { findings, readColour } = await ask(page, which, among);
    for (const finding of findings) found.push(`${theme}: ${finding}`);
    return readColour;
  };
  await page.emulateMedia({ colorScheme: "light" });
  const byDay = await drawn(page);
  await look("all", "light", within);
  looks += 1;
  if (looks % OBSERVED_EACH === 1 && (await look("of all else", "light", within)))
    found.push("a rule that is not known to be on colours reads one: it has to run in both themes");
  await page.emulateMedia({ colorScheme: "dark" });
  if ((await drawn(page)) !== byDay) await look("of all else", "dark", within);
  await look("of colour", "dark", within);
  await page.emulateMedia({ colorScheme: "light" });
  return found;
};
