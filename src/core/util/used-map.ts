/**
 * A map of recently used entries: `forgetUnused()` drops those that were neither read nor set since the previous call.
 * So it never holds more entries than two rounds use. With a maximum, a round ends when that many entries were used.
 */
export interface UsedMap<T> {
  readonly get: (key: string) => T | undefined;
  readonly set: (key: string, value: T) => void;
  readonly forgetUnused: () => void;
}

export const createUsedMap = <T>(most = Number.POSITIVE_INFINITY): UsedMap<T> => {
  let used = new Map<string, T>();
  let before: ReadonlyMap<string, T> = new Map();
  const forgetUnused = () => {
    before = used;
    used = new Map();
  };
  const set = (key: string, value: T) => {
    if (used.size >= most) forgetUnused();
    used.set(key, value);
  };
  const get = (key: string) => {
    const now = used.get(key);
    if (now !== undefined) return now;
    const old = before.get(key);
    if (old !== undefined) set(key, old);
    return old;
  };
  return { get, set, forgetUnused };
};
