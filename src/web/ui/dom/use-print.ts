import { useCallback, useEffect } from "react";
import { useClient } from "../../app/app-context.tsx";

/** Frames without a request until everything is taken to be loaded: a group asks for its next page after the last came. */
const IDLE_FRAMES = 6;

/** Maximum wait in milliseconds. */
const PATIENCE = 30_000;

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Prints the page after its groups have loaded the rows that are not on the screen. */
export const usePrint = () => {
  const { queries, printing } = useClient();
  return useCallback(async () => {
    if (printing.get()) return;
    printing.set(true);
    try {
      const start = performance.now();
      for (let idle = 0; idle < IDLE_FRAMES && performance.now() - start < PATIENCE; ) {
        await nextFrame();
        idle = queries.isFetching() === 0 ? idle + 1 : 0;
      }
      window.print();
    } finally {
      printing.set(false);
    }
  }, [queries, printing]);
};

/** The browser’s own shortcut would print before the rows are there. */
export const usePrintShortcut = (): void => {
  const print = usePrint();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "p")
        return;
      event.preventDefault();
      void print();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [print]);
};
