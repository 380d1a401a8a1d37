import { expect, test } from "vitest";
import { sumDecimals } from "../../src/core/util/sum-decimals.ts";

test("decimals are added exactly, with the places of the longest", () => {
  expect(sumDecimals(["0.1", "0.2"])).toBe("0.3");
  expect(sumDecimals(["992.46", "614.04", "-0.5"])).toBe("1606.00");
  expect(sumDecimals(["-0.05", "0.01"])).toBe("-0.04");
  expect(sumDecimals(["12", "30"])).toBe("42");
});
