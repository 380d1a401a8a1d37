import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { sizeOfJson } from "../../../src/core/wire/json-bounds.ts";
import { getNetwork } from "../../../src/server/limits/network.ts";
import { type EndTurn, TooManyRequests, Turns } from "../../../src/server/limits/turns.ts";
import fc from "../../chance.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("the size of JSON", () => {
  test.each([
    ["1", [0, 0, 0]],
    ["{}", [1, 1, 0]],
    ['{"a":1}', [1, 1, 1]],
    ['{"a":1,"b":[1,2,3]}', [2, 5, 2]],
    ['"a,b:[c]\\",{"', [0, 0, 0]],
    ['{"\\\\":[{},{}],"x":"]"}', [3, 6, 2]],
    [`${"[".repeat(101)}${"]".repeat(101)}`, [101, 101, 0]],
    ["[".repeat(101), [101, 101, 0]],
    [`${"[{}],".repeat(200)}1`, [2, 600, 0]],
  ])("is estimated without parsing it: %j", (json, size) => {
    const { depth, values, names } = sizeOfJson(bytes(json));
    expect([depth, values, names]).toEqual(size);
  });

  test("is never less than the parsed size", () => {
    const within = (value: unknown): { readonly values: number; readonly names: number } => {
      if (typeof value !== "object" || value === null) return { values: 1, names: 0 };
      const inner = Object.values(value).map(within);
      return {
        values: inner.reduce((sum, one) => sum + one.values, 1),
        names: inner.reduce((sum, one) => sum + one.names, Array.isArray(value) ? 0 : inner.length),
      };
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const counted = sizeOfJson(bytes(JSON.stringify(value)));
        const found = within(value);
        // The first value of each list and object has no comma before it.
        expect(2 * counted.values + 1).toBeGreaterThanOrEqual(found.values);
        expect(counted.names).toBe(found.names);
      }),
    );
  });
});

test.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0002::9", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
])("the network of %s is %s", (address, network) => {
  expect(getNetwork(address)).toBe(network);
});

describe("taking turns", () => {
  /** True if the promise is still pending. */
  const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
    const none = Symbol("none");
    return (await Promise.race([promise.catch(() => undefined), nextTurn(none)])) === none;
  };
  const begin = (turns: Turns, client: string, isLong: boolean, count: number) =>
    Array.from({ length: count }, async () => turns.begin(client, isLong));

  test("allows four requests per client, and two for long ones; other clients have their own", async () => {
    const turns = new Turns();
    const long = begin(turns, "mia", true, 8);
    expect(await Promise.all(long.map(isPending))).toEqual([false, false, true, true, true, true, true, true]);
    // Requests in a client's own queue do not delay its short requests.
    const short = begin(turns, "mia", false, 3);
    expect(await Promise.all(short.map(isPending))).toEqual([false, false, true]);
    const others = begin(turns, "ben", true, 3);
    expect(await Promise.all(others.map(isPending))).toEqual([false, false, true]);
    // Long requests of all clients together are limited to four.
    expect(await Promise.all(begin(turns, "cem", true, 1).map(isPending))).toEqual([true]);
    expect(await Promise.all(begin(turns, "cem", false, 1).map(isPending))).toEqual([false]);
    (await short[0])?.();
    expect(await Promise.all(short.map(isPending))).toEqual([false, false, false]);
  });

  test("alternates between clients, however many requests wait", async () => {
    const turns = new Turns();
    const order: string[] = [];
    const ends: EndTurn[] = [];
    const ask = (client: string) =>
      Promise.resolve(turns.begin(client, true)).then((end) => {
        order.push(client);
        ends.push(end);
      });
    const all = [..."aaaaaaaabbcc"].map(ask);
    for (let i = 0; i < all.length; i++) {
      while (ends.length === 0) await Promise.resolve();
      ends.shift()?.();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
    await Promise.all(all);
    expect(order.join("").slice(0, 8)).toMatch(/^aabb(?:ac|ca)/);
    expect(order.indexOf("c")).toBeLessThan(6);
  });

  test("refuses all waiting requests when turns can’t be given", async () => {
    const turns = new Turns();
    const [first, ...others] = begin(turns, "mia", false, 9);
    turns.failAll(new Error("away"));
    const outcomes = await Promise.allSettled([...others, ...begin(turns, "ben", false, 1)]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array(3).fill("fulfilled"),
      ...Array(5).fill("rejected"),
      "fulfilled",
    ]);
    (await first)?.();
    expect(await isPending(Promise.resolve(turns.begin("mia", false)))).toBe(false);
  });

  test("refuses the excess of one client only", async () => {
    const turns = new Turns();
    const all = begin(turns, "mia", false, 505);
    await expect(all.at(-1)).rejects.toThrow(TooManyRequests);
    expect(await isPending(Promise.resolve(turns.begin("ben", false)))).toBe(false);
    for (const one of all.slice(0, 504)) (await one)();
    expect(await isPending(Promise.resolve(turns.begin("mia", false)))).toBe(false);
  });
});
