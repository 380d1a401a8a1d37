import type Big from "big.js";

/**
 * Compares plain values: primitives, arrays, maps and sets in order, and objects by key. Identical references are equal
 * at once. Other values (functions, regular expressions) are equal only to themselves.
 */
export const deepEqual = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const kind: unknown = Object.getPrototypeOf(a);
  if (kind !== Object.getPrototypeOf(b)) return false;
  if (kind === Array.prototype) return sameList(a as readonly unknown[], b as readonly unknown[]);
  if (kind === Map.prototype) return sameMap(a as Keyable, b as Keyable);
  if (kind === Set.prototype) return sameInOrder(a as Iterable<unknown> & Sized, b as Iterable<unknown> & Sized);
  if (kind === Object.prototype) return sameRecord(a as Keyed, b as Keyed);
  return isDecimal(a) && isDecimal(b) && sameNumber(a, b);
};

/** Recognised by its members, because the first script of a page does not load big.js. */
const isDecimal = (value: object): value is Big =>
  "s" in value && "e" in value && "c" in value && Array.isArray(value.c);

interface Sized {
  readonly size: number;
}

type Keyable = ReadonlyMap<unknown, unknown>;

type Keyed = Readonly<Record<string, unknown>>;

const sameList = (a: readonly unknown[], b: readonly unknown[]): boolean => {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
  return true;
};

const sameInOrder = (a: Iterable<unknown> & Sized, b: Iterable<unknown> & Sized): boolean => {
  if (a.size !== b.size) return false;
  const others = b[Symbol.iterator]();
  for (const element of a) if (!deepEqual(element, others.next().value)) return false;
  return true;
};

/** Entries are looked up by key, because those of an iterator are arrays, which all have to be made. */
const sameMap = (a: Keyable, b: Keyable): boolean => {
  if (a.size !== b.size) return false;
  const others = b.keys();
  for (const key of a.keys()) {
    const other: unknown = others.next().value;
    if (!deepEqual(key, other) || !deepEqual(a.get(key), b.get(other))) return false;
  }
  return true;
};

const sameNumber = (a: Big, b: Big): boolean => a.s === b.s && a.e === b.e && sameList(a.c, b.c);

const sameRecord = (a: Keyed, b: Keyed): boolean => {
  let count = 0;
  for (const key in a) {
    count++;
    if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
  }
  for (const _ in b) count--;
  return count === 0;
};

/** Compares objects whose members are compared by identity. */
export const shallowEqual = (a: object, b: object): boolean => {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.is((a as Keyed)[key], (b as Keyed)[key]));
};
