/** Makes something once for each of the words that it is made from: what `Intl` makes takes long, and forms ask for it with each key. */
export const kept = <Made>(make: (of: string) => Made): ((of: string) => Made) => {
  const made = new Map<string, Made>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known;
    const one = make(of);
    made.set(of, one);
    return one;
  };
};
