import { expect, test } from "vitest";
import { cases, seed } from "../chance.ts";
import { fuzz } from "./fuzz.ts";

test("absurd documents are read fast and without a crash", { timeout: 600_000 }, async () => {
  const { documents, read, linked, broken } = await fuzz(seed, cases(200, 6_000));
  expect(broken.slice(0, 3)).toEqual([]);
  // Not just noise: most are YAML, and many are specifications.
  expect(read).toBeGreaterThan(documents / 2);
  expect(linked).toBeGreaterThan(documents / 5);
});
