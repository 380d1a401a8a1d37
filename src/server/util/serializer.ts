/** Runs work after all work that was passed to it earlier, whether that failed or not. */
export type Serialize = <T>(work: () => Promise<T>) => Promise<T>;

export const createSerializer = (): Serialize => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
};
