import { expect, test } from "vitest";
import { cases, seed } from "../chance.ts";
import { fuzz, SLOWEST } from "./fuzz.ts";

test("absurd documents are read fast and without a crash", { timeout: 600_000 }, () => {
  const { documents, read, linked, slowest, broken } = fuzz(seed, cases(400, 6_000));
  expect(broken.slice(0, 3)).toEqual([]);
  expect(slowest).toBeLessThan(SLOWEST);
  // Not just noise: most are YAML, and many are specifications.
  expect(read).toBeGreaterThan(documents / 2);
  expect(linked).toBeGreaterThan(documents / 5);
});
