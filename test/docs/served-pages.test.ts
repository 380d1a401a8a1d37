import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { serveText } from "../app/program.ts";

/* The documentation as the program serves it, from the build. */

const served = await serveText("# Empty\n\n## 1. What the product does and for whom\n");
const visitor = served.visitor();

const linksIn = (html: string): readonly string[] =>
  [...html.matchAll(/(?:href|src)="(\/_\/docs[^"]*)"/gu)].map(([, link = ""]) => link);

test("has each page, and every link has a target", async () => {
  const contents = await visitor.get("/_/docs");
  expect(contents.headers.get("content-security-policy")).toContain("default-src 'none'");
  const pages = [...new Set(linksIn(contents.text))];
  const files = readdirSync(new URL("../../docs/", import.meta.url)).filter((name) => name.endsWith(".md"));
  for (const file of files) expect(pages).toContain(`/_/docs/${file.replace(/\.md$/u, "")}`);
  const checked = new Set<string>();
  for (const page of pages) {
    const { status, text } = await visitor.get(page);
    expect(status, page).toBe(200);
    for (const link of linksIn(text).map((item) => item.split("#")[0] ?? "")) {
      if (checked.has(link)) continue;
      checked.add(link);
      expect((await visitor.get(link)).status, `${page} → ${link}`).toBe(200);
    }
  }
});

test("finds the sections that contain all words, and escapes what was typed", async () => {
  expect((await visitor.get("/_/docs?search=no+overlap")).text).toContain("/_/docs/language#");
  const { text } = await visitor.get(`/_/docs?search=${encodeURIComponent("<b>zzz")}`);
  expect(text).toContain("Nothing found");
  expect(text).not.toContain("<b>zzz");
});

test("has nothing outside its folder", async () => {
  for (const path of ["nowhere", "..%2f..%2fpackage.json", "images/..%2findex.json", "index.json"])
    expect((await visitor.get(`/_/docs/${path}`)).status, path).toBe(404);
});
