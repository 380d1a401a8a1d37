/** Time in milliseconds to collect what a page asks about. */
const SOON = 10;

/** Gathers questions about single things that are asked at nearly the same moment into one call, of `most` at a time. */
export const gatherCalls = <T>(
  ask: (things: readonly string[]) => Promise<T>,
  most: number,
): ((thing: string) => Promise<T>) => {
  let together: { readonly things: Set<string>; readonly answer: Promise<T> } | null = null;
  const gather = () => {
    const things = new Set<string>();
    const answer = new Promise((resolve) => setTimeout(resolve, SOON)).then(() => {
      if (together?.things === things) together = null;
      return ask([...things]);
    });
    return { things, answer };
  };
  return (thing) => {
    together ??= gather();
    const { things, answer } = together;
    things.add(thing);
    if (things.size === most) together = null;
    return answer;
  };
};
