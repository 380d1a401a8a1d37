import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { filesIn, headingsOf, isThere, linksOf, pages, proseOf, textOf } from "./pages.ts";

describe("links", () => {
  test.each(pages)("in %s have targets", (page) => {
    const lost = linksOf(textOf(page)).filter((link) => {
      if (/^https:\/\//u.test(link)) return false;
      const [path = "", anchor] = link.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      if (!isThere(file)) return true;
      return anchor !== undefined && !headingsOf(textOf(file)).some((heading) => heading.anchor === anchor);
    });
    expect(lost).toEqual([]);
  });

  test("to other sites are limited to a list", () => {
    const hosts = pages.flatMap((page) =>
      linksOf(textOf(page)).flatMap((link) => /^https?:\/\/([^/]+)/u.exec(link)?.[1] ?? []),
    );
    const known = ["keepachangelog.com", "semver.org", "nodejs.org", "www.postgresql.org", "www.rfc-editor.org"];
    expect(hosts.filter((host) => !known.includes(host))).toEqual([]);
  });
});

test("every decision is in the index, once", () => {
  const index = linksOf(textOf("docs/decisions/README.md"));
  const decisions = filesIn("docs/decisions", ".md").filter((path) => !path.endsWith("/README.md"));
  expect(index.toSorted()).toEqual(decisions.map((path) => path.replace("docs/decisions/", "")).toSorted());
});

test("every page of the documentation can be reached from the README", () => {
  const reached = new Set<string>();
  const follow = (page: string) => {
    if (reached.has(page)) return;
    reached.add(page);
    for (const link of linksOf(textOf(page))) {
      const path = join(dirname(page), link.split("#")[0] ?? "");
      if (path.endsWith(".md") && isThere(path)) follow(path);
    }
  };
  follow("README.md");
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});

/**
 * Forbidden on every page: details of the author's machine, shouting, and praise. A password that is easy to guess is
 * no praise.
 */
const forbidden: readonly RegExp[] = [
  /(?:^|[\s"'`(])\/(?:work|home|Users|tmp|root)\//u,
  /\bregistry\.[a-z]/u,
  /\blocalhost:\d+\/(?!api|_)/u,
  /[\p{L})]!(?:\s|$)/u,
  /\b(?:blazing|seamless|powerful|effortless|cutting-edge|world-class|revolutionary|simply|just works|easy(?! to guess)|easily)\b/iu,
];

test.each(pages)("%s is in plain English and does not mention the machine on which it was written", (page) => {
  const lines = proseOf(textOf(page)).split("\n");
  expect(lines.filter((line) => forbidden.some((pattern) => pattern.test(line)))).toEqual([]);
});

test("forbidden words are found", () => {
  const slash = "/";
  for (const bad of [`See ${slash}work/main.`, "It works!", "A powerful platform.", `registry${"."}example`])
    expect(
      forbidden.some((pattern) => pattern.test(bad)),
      bad,
    ).toBe(true);
  expect(forbidden.some((pattern) => pattern.test("`!a` is the opposite of a; a != b. It goes /home."))).toBe(false);
});
