/**
 * Functions that give the element of a list with the smallest or the greatest value. They are written out:
 * `rates.last(r, r.day)` is `rates.one(r, r.day >= rates.map(r, r.day).max())`.
 */
export const listEnds = {
  first: {
    about:
      "The element with the smallest or earliest (`first`), or the greatest or latest value. Missing if there is none, or if several have it.",
    bodyType: "ranked",
    returns: "any",
    sign: "<=",
    extreme: "min",
  },
  last: {
    about:
      "The element with the smallest or earliest (`first`), or the greatest or latest value. Missing if there is none, or if several have it.",
    bodyType: "ranked",
    returns: "any",
    sign: ">=",
    extreme: "max",
  },
} as const;

export type ListEnd = keyof typeof listEnds;

export const isListEnd = (name: string): name is ListEnd => Object.hasOwn(listEnds, name);
