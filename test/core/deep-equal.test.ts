import { isDeepStrictEqual } from "node:util";
import Big from "big.js";
import { describe, expect, test } from "vitest";
import { deepEqual } from "../../src/core/util/deep-equal.ts";
import { memoizeByKey } from "../../src/core/util/memoize.ts";
import { createUsedMap } from "../../src/core/util/used-map.ts";
import fc from "../chance.ts";

describe("deep equality", () => {
  test("agrees with Node", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(deepEqual(a, structuredClone(a))).toBe(true);
        expect(deepEqual(a, b)).toBe(isDeepStrictEqual(a, b));
      }),
    );
  });

  test("compares maps and sets in order and numbers by their digits", () => {
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

  test("never holds for values that are not plain", () => {
    expect(deepEqual(/a/u, /b/u)).toBe(false);
    expect(deepEqual(new Date(1), new Date(2))).toBe(false);
    const own = () => 1;
    expect([deepEqual(own, own), deepEqual(own, () => 1)]).toEqual([true, false]);
  });
});

describe("a used map", () => {
  test("keeps entries that were read or set in the last round, and forgets the others", () => {
    const known = createUsedMap<number>();
    for (let round = 0; round < 100; round++) {
      known.forgetUnused();
      known.set(`${round}`, round);
      if (round === 0) known.set("always", 1);
      expect(known.get("always")).toBe(1);
    }
    expect(known.get("99")).toBe(99);
    expect(known.get("97")).toBeUndefined();
  });

  test("with a maximum, holds at most twice as many entries", () => {
    const [known, asked] = [createUsedMap<number>(10), 100];
    for (let i = 0; i < asked; i++) known.set(`${i}`, i);
    const held = Array.from({ length: asked }, (_, i) => known.get(`${i}`)).filter((value) => value !== undefined);
    expect(held.length).toBeLessThanOrEqual(20);
    expect(held).toContain(99);
  });

  test("a memoized function computes a text again only after it was forgotten", () => {
    const calls: string[] = [];
    const upper = memoizeByKey((text) => {
      calls.push(text);
      return text.toUpperCase();
    });
    expect([upper("a"), upper("a"), upper("b")]).toEqual(["A", "A", "B"]);
    expect(calls).toEqual(["a", "b"]);
    for (let i = 0; i < 5_000; i++) upper(`${i}`);
    expect([upper("a"), calls.filter((text) => text === "a").length]).toEqual(["A", 2]);
  });

  test("keeps at most the entries of two rounds", () => {
    const known = createUsedMap<number>();
    const keys = Array.from({ length: 50 }, (_, i) => `${i}`);
    for (let round = 0; round < 5; round++) {
      known.forgetUnused();
      const missed = keys.filter((key) => known.get(key) === undefined);
      expect(missed).toEqual(round === 0 ? keys : []);
      for (const key of missed) known.set(key, 1);
    }
    for (let round = 0; round < 5; round++) {
      known.forgetUnused();
      known.set(`other ${round}`, 1);
    }
    const all = [...keys, ...Array.from({ length: 5 }, (_, round) => `other ${round}`)];
    expect(all.filter((key) => known.get(key) !== undefined)).toEqual(["other 3", "other 4"]);
  });
});
