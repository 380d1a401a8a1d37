import { setTimeout as sleep } from "node:timers/promises";

/** Long in milliseconds, because a machine can be busy or pause. A test that waits in vain is still found. */
const PATIENCE = 80_000;

/** Waits until something holds. `what` is its description, or a function that describes the state. */
export const waitUntil = async (
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string),
  interval = 20,
): Promise<void> => {
  for (const end = Date.now() + PATIENCE; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`Waited in vain: ${typeof what === "string" ? what : what()}`);
    await sleep(interval);
  }
};

/** A promise that is kept once the gate is opened, such as the response that a test holds back. */
export const createGate = (): { readonly opened: Promise<void>; readonly open: () => void } => {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};
