/**
 * A memory that is bounded: what was asked for lately is known still, and what was not for long is forgotten. It is two
 * generations: what is found in the older is young again, and when the younger has no room left, the older goes.
 */
export interface BoundedCache<T> {
  readonly get: (key: string) => T | undefined;
  /** `size` of it is taken of the `room` that a generation has: enough for all that is asked for at once. */
  readonly set: (key: string, value: T, size: number, room: number) => void;
}

interface Kept<T> {
  readonly value: T;
  readonly size: number;
}

export const createBoundedCache = <T>(): BoundedCache<T> => {
  let younger = new Map<string, Kept<T>>();
  let older: ReadonlyMap<string, Kept<T>> = new Map();
  let taken = 0;
  const keep = (key: string, kept: Kept<T>): void => {
    taken += kept.size - (younger.get(key)?.size ?? 0);
    younger.set(key, kept);
  };
  return {
    get: (key) => {
      const young = younger.get(key);
      if (young !== undefined) return young.value;
      const old = older.get(key);
      if (old !== undefined) keep(key, old);
      return old?.value;
    },
    set: (key, value, size, room) => {
      if (taken + size > room) {
        older = younger;
        younger = new Map();
        taken = 0;
      }
      keep(key, { value, size });
    },
  };
};
