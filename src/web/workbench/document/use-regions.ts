import { useEffect } from "react";
import { useCommands } from "../../app/app-context.tsx";
import { readRegionStroke } from "../../app/keyboard.ts";
import { useWords } from "../../i18n/words.tsx";
import type { PaneOption } from "./pane-choice.tsx";

interface Region {
  readonly within: string;
  /** Null for the region itself, or the first control in it. */
  readonly target: string | null;
}

const BESIDE: Region = { within: ".beside-pane > section", target: null };
const TEXT: Region = { within: ".text-head, .text-pane", target: ".cm-content" };
const FINDINGS: Region = { within: ".side-pane > .found-pane", target: null };

/** The parts of the page in reading order, each with the element in it that gets the focus. */
const regions: readonly Region[] = [
  { within: ".workbench-bar", target: "[aria-current]" },
  { within: ".desk .outline", target: "a, select" },
  { within: ".desk > .pane-choice", target: "[aria-pressed=true]" },
  { within: ".desk .pane-tabs", target: "[aria-pressed=true]" },
  BESIDE,
  TEXT,
  FINDINGS,
];

const isVisible = (element: Element): boolean => element.getClientRects().length > 0;

/** The element of a region that gets the focus; undefined if the region is not shown. */
const findTarget = ({ within, target }: Region): HTMLElement | undefined => {
  for (const region of document.querySelectorAll<HTMLElement>(within)) {
    const found =
      target === null && region.hasAttribute("tabindex")
        ? region
        : region.querySelector<HTMLElement>(target ?? "input, button, a");
    if (found !== null && isVisible(found)) return found;
  }
  return undefined;
};

const moveFocus = (direction: 1 | -1): void => {
  const focused = document.activeElement;
  const at = regions.findIndex(({ within }) =>
    [...document.querySelectorAll(within)].some((region) => region.contains(focused)),
  );
  const from = at === -1 && direction === -1 ? 0 : at;
  for (let step = 1; step <= regions.length; step++) {
    const region = regions[(from + direction * step + regions.length * 2) % regions.length];
    const target = region === undefined ? undefined : findTarget(region);
    if (target === undefined) continue;
    target.focus();
    return;
  }
};

const focusPane = (pane: PaneOption["pane"]): void => {
  const region = pane === "text" ? TEXT : pane === "findings" ? FINDINGS : BESIDE;
  findTarget(region)?.focus();
};

/** Moves the focus between the parts of the page: by F6, which works in the text too, and by commands of the search. */
export const useRegions = (options: readonly PaneOption[], onChoose: (pane: PaneOption["pane"]) => void): void => {
  const { say } = useWords();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const direction = readRegionStroke(event);
      if (direction === null) return;
      event.preventDefault();
      moveFocus(direction);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  useCommands([
    ...options.map(({ pane, words }) => ({
      label: words,
      run: () => {
        onChoose(pane);
        // The pane is drawn first.
        requestAnimationFrame(() => focusPane(pane));
      },
    })),
    { label: say("keys.regions"), keys: "F6", run: () => moveFocus(1) },
  ]);
};
