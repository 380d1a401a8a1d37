/** A call that waits until its requests pause. */
export interface DelayedCall {
  request(): void;
  /** Makes the call now if one was requested. */
  flush(): void;
}

/** Calls `act` when requests pause for `pause` milliseconds, and at the latest `most` milliseconds after the first one. */
export const createDelayedCall = (act: () => void, pause: number, most: number): DelayedCall => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let firstCall = 0;
  const run = (): void => {
    clearTimeout(timer);
    timer = undefined;
    act();
  };
  return {
    request: () => {
      const now = Date.now();
      if (timer === undefined) firstCall = now;
      clearTimeout(timer);
      timer = setTimeout(run, Math.max(0, Math.min(pause, firstCall + most - now)));
    },
    flush: () => {
      if (timer !== undefined) run();
    },
  };
};
