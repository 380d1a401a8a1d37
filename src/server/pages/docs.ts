import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply } from "fastify";
import { findStyles } from "./spa.ts";

/** A page of the documentation, as `scripts/write-docs.mjs` writes it. */
interface DocsPage {
  /** `how-to/restrict-records`. */
  readonly name: string;
  readonly title: string;
  readonly sections: readonly DocsSection[];
}

interface DocsSection {
  readonly level: number;
  readonly id: string;
  readonly title: string;
  /** Without markup, for the search. */
  readonly text: string;
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves the documentation of this release, so that it can be read and searched without any other server. */
export const serveDocs = (app: FastifyInstance, webRoot: string): void => {
  const folder = join(webRoot, "..", "docs");
  let pages: Promise<readonly DocsPage[]> | undefined;
  const readPages = (): Promise<readonly DocsPage[]> => {
    pages ??= existsSync(join(folder, "index.json"))
      ? readFile(join(folder, "index.json"), "utf8").then((text) => JSON.parse(text) as readonly DocsPage[])
      : Promise.resolve([]);
    return pages;
  };
  const styles = findStyles(webRoot);
  const send = (
    reply: FastifyReply,
    title: string,
    all: readonly DocsPage[],
    parts: Partial<PageParts>,
  ): FastifyReply =>
    reply
      .header("content-security-policy", policy)
      .header("cache-control", "no-cache")
      .type("text/html; charset=utf-8")
      .send(renderDocs({ title, all, styles, page: null, words: "", content: "", ...parts }));

  app.get<{ Querystring: { readonly search?: string } }>("/_/docs", async (request, reply) => {
    const all = await readPages();
    const words = typeof request.query.search === "string" ? request.query.search.slice(0, LONGEST_SEARCH).trim() : "";
    return send(reply, "Documentation", all, {
      words,
      content: words === "" ? renderContents(all) : renderFound(words, searchDocs(all, words)),
    });
  });

  const answer = async (reply: FastifyReply, name: string): Promise<FastifyReply> => {
    if (name === "style.css")
      return reply.type("text/css; charset=utf-8").send(await readFile(join(folder, "style.css"), "utf8"));
    // Editors show its sentences beside the text.
    if (name === "reference.json")
      return reply.type("application/json; charset=utf-8").send(await readFile(join(folder, name), "utf8"));
    if (/^images\/[\w-]+\.png$/u.test(name) && existsSync(join(folder, name)))
      return reply.type("image/png").send(await readFile(join(folder, name)));
    const all = await readPages();
    const page = all.find((candidate) => candidate.name === name);
    if (page === undefined) return send(reply.code(404), "Page not found", all, { content: "<h1>Page not found</h1>" });
    return send(reply, page.title, all, { page, content: await readFile(join(folder, `${page.name}.html`), "utf8") });
  };
  app.get<{ Params: { readonly page: string } }>("/_/docs/:page", ({ params }, reply) => answer(reply, params.page));
  app.get<{ Params: { readonly page: string; readonly part: string } }>("/_/docs/:page/:part", ({ params }, reply) =>
    answer(reply, `${params.page}/${params.part}`),
  );
};

const LONGEST_SEARCH = 100;

/** Maximum number of sections in the results of a search. */
const MOST_FOUND = 30;

interface Found {
  readonly page: DocsPage;
  readonly section: DocsSection;
  readonly score: number;
}

/** The sections that contain all words; words in titles count more. */
const searchDocs = (pages: readonly DocsPage[], words: string): readonly Found[] => {
  const wanted = words.toLowerCase().split(/\s+/u);
  const scoreOf = (page: DocsPage, { title, text }: DocsSection): number => {
    const [head, body] = [`${page.title} ${title}`.toLowerCase(), text.toLowerCase()];
    if (!wanted.every((word) => head.includes(word) || body.includes(word))) return 0;
    return wanted.filter((word) => head.includes(word)).length * 4 + (page.name.startsWith("decisions/") ? 1 : 2);
  };
  return pages
    .flatMap((page) => page.sections.map((section) => ({ page, section, score: scoreOf(page, section) })))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_FOUND);
};

const escapeHtml = (text: string): string => text.replace(/[&"<>]/gu, (sign) => `&#${sign.charCodeAt(0)};`);

/** The beginning of a section's text that contains the first of the words. */
const excerpt = (text: string, words: string): string => {
  const at = Math.max(text.toLowerCase().indexOf(words.toLowerCase().split(/\s+/u)[0] ?? ""), 0);
  // Whole words at both ends.
  const from = at <= 60 ? 0 : text.indexOf(" ", at - 60) + 1;
  const to = text.length <= from + 200 ? text.length : text.lastIndexOf(" ", from + 200);
  return `${from > 0 ? "… " : ""}${text.slice(from, to)}${to < text.length ? " …" : ""}`;
};

const renderFound = (words: string, found: readonly Found[]): string => {
  if (found.length === 0)
    return `<h1>Nothing found</h1><p>No section contains “${escapeHtml(words)}”. Try fewer or other words.</p>`;
  const items = found.map(
    ({ page, section }) =>
      `<li><a href="/_/docs/${page.name}#${section.id}">${escapeHtml(section.title)}</a>${section.title === page.title ? "" : `<p>${escapeHtml(page.title)}</p>`}<p>${escapeHtml(excerpt(section.text, words))}</p></li>`,
  );
  return `<h1>Results for “${escapeHtml(words)}”</h1><ol class="found">${items.join("")}</ol>`;
};

/** Groups of pages, with their titles. */
const groups: readonly (readonly [title: string, has: (name: string) => boolean])[] = [
  ["Learn and look up", (name) => !name.includes("/")],
  ["How to", (name) => name.startsWith("how-to/")],
  ["Decisions", (name) => name.startsWith("decisions/")],
];

const renderContents = (pages: readonly DocsPage[]): string =>
  `<h1>Documentation</h1>${groups
    .map(([title, has]) => {
      const own = pages.filter(({ name }) => has(name) && !name.endsWith("README"));
      return `<h2>${title}</h2><ul>${own.map((page) => `<li>${renderLink(page)}</li>`).join("")}</ul>`;
    })
    .join("")}`;

const renderLink = ({ name, title }: DocsPage): string => `<a href="/_/docs/${name}">${escapeHtml(title)}</a>`;

interface PageParts {
  readonly title: string;
  readonly all: readonly DocsPage[];
  readonly styles: readonly string[];
  readonly page: DocsPage | null;
  /** The search words. */
  readonly words: string;
  readonly content: string;
}

const renderDocs = ({ title, all, styles, page, words, content }: PageParts): string => {
  const sections = page?.sections.filter(({ level }) => level === 2) ?? [];
  const within = sections.map(({ id, title: name }) => `<li><a href="#${id}">${escapeHtml(name)}</a></li>`).join("");
  const main = all.filter(({ name }) => !name.includes("/"));
  const links = main.map(
    (item) =>
      `<li${item === page ? ' class="here"' : ""}>${renderLink(item)}${item === page ? `<ul>${within}</ul>` : ""}</li>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Ninefold</title>
<link rel="icon" href="data:,">
${[...styles, "/_/docs/style.css"].map((href) => `<link rel="stylesheet" href="${href}">`).join("\n")}
</head>
<body class="docs">
<a class="skip" href="#content">Skip to content</a>
<header class="docs-head">
<a href="/">Back to the application</a>
<form action="/_/docs" role="search">
<input type="search" name="search" value="${escapeHtml(words)}" aria-label="Search the documentation" placeholder="Search the documentation">
<button type="submit">Search</button>
</form>
</header>
<div class="docs-body">
<nav aria-label="Documentation"><p><a href="/_/docs">All pages</a></p><ul>${links.join("")}</ul></nav>
<main id="content" tabindex="-1">${content}</main>
</div>
</body>
</html>
`;
};
