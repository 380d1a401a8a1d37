/** Memoizes by a string key. Constructing `Intl` objects is slow, and forms need them on every keystroke. */
export const memoizeByKey = <Made>(make: (of: string) => Made): ((of: string) => Made) => {
  const made = new Map<string, Made>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known;
    const one = make(of);
    made.set(of, one);
    return one;
  };
};
