import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const folder = new URL("../../../src/web/", import.meta.url);

/** Names of sheets with a `:has()` rule on elements of any kind. */
const asking = (sheet: string): readonly string[] =>
  [...sheet.replaceAll(/\/\*.*?\*\//gsu, "").matchAll(/(?:^|[\s,>+~]):has\([^{]*/gmu)].map(([rule]) => rule.trim());

test("no rule depends on all elements, since each new row would restyle the page", () => {
  expect(asking(".a:has(.b) > .c, :is(.d:has(> e)) f {}")).toEqual([]);
  expect(asking("/* :has(a) */ a, :has(> .b) ~ * {}")).toHaveLength(1);
  const sheets = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".css"));
  expect(sheets.length).toBeGreaterThan(20);
  expect(sheets.flatMap((name) => asking(readFileSync(new URL(name, folder), "utf8")))).toEqual([]);
});
