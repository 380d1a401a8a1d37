/** How deep JSON may be nested. Records and their parts need four levels, a field of the type `json` a few more. */
const DEEPEST = 100;

/** The most values that JSON may hold, counting each list and object. */
export const MOST_VALUES = 100_000;

/** The most values from a client that is not signed in: parsing them takes a few milliseconds. */
export const FEW_VALUES = 10_000;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\,[]{}'].map((sign) =>
  sign.charCodeAt(0),
);

/**
 * Counts the values in JSON without parsing it, in 3 ms for a megabyte; undefined where it is nested too deep. Parsing a
 * megabyte of brackets takes sixty times as long, and memory with it.
 */
export const countValues = (json: Uint8Array): number | undefined => {
  let depth = 0;
  let values = 0;
  const { length } = json;
  for (let at = 0; at < length; at++) {
    const sign = json[at];
    if (sign === QUOTE) {
      for (at++; at < length && json[at] !== QUOTE; at++) if (json[at] === BACKSLASH) at++;
    } else if (sign === COMMA) values++;
    else if (sign === OPEN_LIST || sign === OPEN_OBJECT) {
      values++;
      depth++;
      if (depth > DEEPEST) return undefined;
    } else if (sign === CLOSE_LIST || sign === CLOSE_OBJECT) depth--;
  }
  return values;
};

/** True if JSON is so deep or wide that nobody may send it. */
export const isTooComplex = (json: Uint8Array): boolean => (countValues(json) ?? Infinity) > MOST_VALUES;
