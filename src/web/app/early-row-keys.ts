import { useEffect, useLayoutEffect } from "react";
import { useClient } from "./app-context.tsx";
import { readStroke } from "./keyboard.ts";

/** The keys of rows: they move, select, and open what a row offers. */
const ROW_KEYS: ReadonlySet<string> = new Set([
  "ArrowDown",
  "ArrowUp",
  "ArrowLeft",
  "ArrowRight",
  "Home",
  "End",
  "a",
  "e",
  "x",
  "X",
  ".",
]);

/** Milliseconds after which nobody expects a key to be obeyed any more. */
const LASTING = 2000;

const isRecent = ({ timeStamp }: Event): boolean => performance.now() - timeStamp < LASTING;

const hasRow = (): boolean => document.querySelector("#main [data-row]") !== null;

/** Keeps the keys of rows that are pressed on a page before it has any, also before its own code is loaded. */
export const useKeepEarlyRowKeys = (): void => {
  const { earlyKeys, navigation } = useClient();
  useLayoutEffect(() => {
    const keep = (event: KeyboardEvent) => {
      if (!ROW_KEYS.has(readStroke(event) ?? "") || hasRow()) return;
      const { visit } = navigation.get();
      earlyKeys.set([...earlyKeys.get().filter((one) => isRecent(one.event)), { visit, event }]);
    };
    window.addEventListener("keydown", keep);
    return () => window.removeEventListener("keydown", keep);
  }, [earlyKeys, navigation]);
};

/** Presses the keys that were kept on this page, in their order, once there are rows. */
export const usePressEarlyRowKeys = (hasRows: boolean): void => {
  const { earlyKeys, navigation } = useClient();
  useEffect(() => {
    if (!hasRows) return;
    const { visit } = navigation.get();
    const kept = earlyKeys.get().filter((one) => one.visit === visit);
    earlyKeys.set([]);
    return pressAgain(kept.map(({ event }) => event));
  }, [hasRows, earlyKeys, navigation]);
};

/** Presses keys again, one a frame: each one acts on what the one before has done. Returns the function that ends this. */
const pressAgain = (pressed: readonly KeyboardEvent[]): (() => void) => {
  const left = [...pressed];
  let frame = 0;
  const next = () => {
    const [first] = left;
    const focused = document.activeElement ?? document.body;
    // The focus in a menu or in the navigation says that its reader has gone there meanwhile.
    const isElsewhere = focused !== document.body && focused.closest("#main") === null;
    if (first === undefined || isElsewhere || !isRecent(first)) return;
    if (hasRow()) {
      left.shift();
      const { key, shiftKey } = first;
      focused.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
    }
    frame = requestAnimationFrame(next);
  };
  frame = requestAnimationFrame(next);
  return () => cancelAnimationFrame(frame);
};
