import { isDeepStrictEqual } from "node:util";
import Big from "big.js";
import { describe, expect, test } from "vitest";
import { createBoundedCache } from "../../src/core/util/bounded-cache.ts";
import { deepEqual } from "../../src/core/util/deep-equal.ts";
import fc from "../chance.ts";

describe("two values say the same", () => {
  test("where Node finds them equal, deep down", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(deepEqual(a, structuredClone(a))).toBe(true);
        expect(deepEqual(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });

  test("maps and sets in their order, numbers by their digits", () => {
    const map = (...entries: readonly (readonly [string, number])[]) => new Map(entries);
    expect(deepEqual(map(["a", 1], ["b", 2]), map(["a", 1], ["b", 2]))).toBe(true);
    expect(deepEqual(map(["a", 1], ["b", 2]), map(["b", 2], ["a", 1]))).toBe(false);
    expect(deepEqual(map(["a", 1]), map(["a", 2]))).toBe(false);
    expect(deepEqual(new Set([1, 2]), new Set([1, 2]))).toBe(true);
    expect(deepEqual(new Set([1, 2]), new Set([1]))).toBe(false);
    expect(deepEqual(new Set(), new Map())).toBe(false);
    expect(deepEqual(new Big("1.50"), new Big("1.5"))).toBe(true);
    expect(deepEqual(new Big("1.5"), new Big("-1.5"))).toBe(false);
    expect(deepEqual({ a: undefined }, {})).toBe(false);
    expect(deepEqual({}, { a: undefined })).toBe(false);
  });

  test("of what is no plain value nothing is known", () => {
    expect(deepEqual(/a/u, /b/u)).toBe(false);
    expect(deepEqual(new Date(1), new Date(2))).toBe(false);
    const own = () => 1;
    expect([deepEqual(own, own), deepEqual(own, () => 1)]).toEqual([true, false]);
  });
});

describe("a memory", () => {
  test("knows what was asked for lately, and forgets what was not", () => {
    const known = createBoundedCache<number>();
    for (let i = 0; i < 100; i++) {
      known.set(`${i}`, i, 1, 10);
      expect(known.get("0")).toBe(0);
      expect(known.get(`${i}`)).toBe(i);
    }
    expect(known.get("40")).toBeUndefined();
  });

  test("holds no more than two generations, however large what it holds is", () => {
    const known = createBoundedCache<number>();
    for (let i = 0; i < 1_000; i++) known.set(`${i}`, i, 1 + (i % 5), 20);
    const held = Array.from({ length: 1_000 }, (_, i) => known.get(`${i}`)).filter((one) => one !== undefined);
    expect(held.length).toBeGreaterThan(3);
    expect(held.length).toBeLessThan(41);
  });

  test("keeps all of what is asked for at once", () => {
    const known = createBoundedCache<number>();
    const keys = Array.from({ length: 50 }, (_, i) => `${i}`);
    for (let round = 0; round < 5; round++) {
      const missed = keys.filter((key) => known.get(key) === undefined);
      expect(missed).toEqual(round === 0 ? keys : []);
      for (const key of missed) known.set(key, 1, 1, 50);
    }
  });
});
