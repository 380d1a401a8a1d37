/**
 * A map of recently used entries: `forgetUnused()` drops those that were neither read nor set since the previous call.
 * So it never holds more entries than two rounds use.
 */
export interface UsedMap<T> {
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T) => void;
  readonly forgetUnused: () => void;
}

export const createUsedMap = <T>(): UsedMap<T> => {
  let used = new Map<string, T>();
  let before: ReadonlyMap<string, T> = new Map();
  return {
    get: (key) => {
      const now = used.get(key);
      if (now !== undefined) return now;
      const old = before.get(key);
      if (old !== undefined) used.set(key, old);
      return old;
    },
    set: (key, value) => {
      used.set(key, value);
    },
    forgetUnused: () => {
      before = used;
      used = new Map();
    },
  };
};
