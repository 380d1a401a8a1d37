import { createUsedMap } from "./used-map.ts";

/** More than any document has of patterns, calendars or currencies. A process can run many documents. */
const MOST = 1_000;

/**
 * Memoizes a function of a text. It forgets texts that were not used lately, so a process that compiles many documents
 * does not grow. A forgotten result is computed again: do not rely on its identity.
 */
export const memoizeByKey = <T extends object | string | number>(make: (key: string) => T): ((key: string) => T) => {
  const results = createUsedMap<T>(MOST);
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = make(key);
    results.set(key, result);
    return result;
  };
};
