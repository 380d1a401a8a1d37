import { readdirSync, readFileSync } from "node:fs";
import Big from "big.js";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { NodeReceiver, toNodes } from "../../src/core/util/transferable.ts";

const through = <T extends object>(value: T): T => {
  const receiver = new NodeReceiver();
  const nodes = toNodes(value);
  for (let from = 0; from < nodes.length; from += 100) receiver.add(structuredClone(nodes.slice(from, from + 100)));
  return receiver.value as T;
};

/** The first difference between two values, including objects shared in one and separate in the other. */
const difference = (one: unknown, other: unknown): string | undefined => {
  const [partners, partnersBack] = [new Map<object, object>(), new Map<object, object>()];
  const differs = (a: unknown, b: unknown, at: string): string | undefined => {
    if (typeof a !== "object" || a === null || typeof b !== "object" || b === null)
      return Object.is(a, b) ? undefined : at;
    if (a instanceof Big || b instanceof Big)
      return a instanceof Big && b instanceof Big && a.toFixed() === b.toFixed() ? undefined : at;
    if (partners.has(a) || partnersBack.has(b))
      return partners.get(a) === b && partnersBack.get(b) === a ? undefined : `${at}, shared otherwise`;
    partners.set(a, b);
    partnersBack.set(b, a);
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return at;
    const entriesOf = (of: object) => (of instanceof Map || of instanceof Set ? [...of].entries() : Object.entries(of));
    const [entries, otherEntries] = [[...entriesOf(a)], [...entriesOf(b)]];
    if (entries.length !== otherEntries.length) return at;
    for (const [i, [key, value]] of entries.entries()) {
      const found = key === otherEntries[i]?.[0] ? differs(value, otherEntries[i]?.[1], `${at}.${key}`) : at;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return differs(one, other, "");
};

describe("a value for another thread", () => {
  const folder = new URL("../../examples/", import.meta.url);
  test.each(readdirSync(folder).filter((file) => file.endsWith(".md") && file !== "README.md"))(
    "is the compiled document that it was: %s",
    (file) => {
      const compiled = compile({ file, text: readFileSync(new URL(file, folder), "utf8") });
      expect(difference(through(compiled), compiled)).toBeUndefined();
    },
  );

  test("keeps exact numbers in objects, lists and maps, and shared parts", () => {
    const shared = { price: new Big("0.1") };
    const value = {
      one: shared,
      other: [shared, new Big("12345678901234567890.5")],
      by: new Map<string, unknown>([["rate", new Big("-3")]]),
      names: new Set(["a", "b"]),
      none: undefined,
      itself: null as unknown,
    };
    value.itself = value;
    expect(difference(through(value), value)).toBeUndefined();
    expect(through(value).one.price.plus("0.2").toFixed()).toBe("0.3");
  });

  test("keeps a member with the name of the prototype", () => {
    const value = { of: JSON.parse('{"__proto__":{"a":1},"b":2}') as object };
    const { of } = through(value);
    expect(Object.entries(of)).toEqual(Object.entries(value.of));
    expect(Object.getPrototypeOf(of)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(of, "__proto__")).toEqual(
      Object.getOwnPropertyDescriptor(value.of, "__proto__"),
    );
  });

  test("can’t be a function, a class instance or an object without a prototype", () => {
    expect(() => toNodes({ go: () => 1 })).toThrow(TypeError);
    expect(() => toNodes({ at: new Date(0) })).toThrow(TypeError);
    expect(() => toNodes({ of: Object.create(null) })).toThrow(TypeError);
  });
});
