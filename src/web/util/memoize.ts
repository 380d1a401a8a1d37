/** Memoizes by a string key. Constructing `Intl` objects is slow, and forms need them on every keystroke. */
export const memoizeByKey = <Made>(make: (of: string) => Made): ((of: string) => Made) => {
  const values = new Map<string, Made>();
  return (of) => {
    const known = values.get(of);
    if (known !== undefined) return known;
    const one = make(of);
    values.set(of, one);
    return one;
  };
};
