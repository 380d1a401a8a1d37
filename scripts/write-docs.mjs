// Writes the documentation as pages that the program serves (`src/server/pages/docs.ts`), to dist/docs. Part of the build.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { micromark } from "micromark";
import { readReference, slug } from "./language-reference.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const from = join(root, "docs");
const to = join(root, "dist", "docs");

/** Pages in the order of their importance to readers; then how-to pages and decisions. Evidence is for developers. */
const first = [
  "tutorial",
  "features",
  "language",
  "errors",
  "refusals",
  "command-line",
  "operation",
  "growing",
  "platform-calls",
];

const stem = (path) => path.replace(/\.md$/u, "");

const order = (name) => {
  const at = first.indexOf(name);
  if (at >= 0) return at;
  return name.startsWith("how-to/") ? 20 : name.startsWith("decisions/") ? 40 : 30;
};

const entities = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };
const plain = (html) =>
  html
    .replace(/<[^>]*>/gu, " ")
    .replace(/&(?:amp|lt|gt|quot);/gu, (one) => entities[one])
    .replace(/\s+/gu, " ")
    .trim();

const inline = (text) => micromark(text).replace(/^<p>|<\/p>$/gu, "");

const cells = (line) =>
  line
    .trim()
    .replace(/^\||\|$/gu, "")
    .split(/(?<!\\)\|/u)
    .map((cell) => inline(cell.trim().replaceAll("\\|", "|")));

/** A table: the one construct of our pages that CommonMark does not have. */
const table = ([head, , ...rows]) => {
  const row = (tag) => (line) =>
    `<tr>${cells(line)
      .map((cell) => `<${tag}>${cell}</${tag}>`)
      .join("")}</tr>`;
  return `<div class="table" tabindex="0"><table><thead>${row("th")(head)}</thead><tbody>${rows.map(row("td")).join("\n")}</tbody></table></div>\n`;
};

const isFence = (line) => /^\s*(?:`{3,}|~{3,})/u.exec(line)?.[0].trim();

/** Markdown to HTML: tables by ourselves, everything else by micromark, which escapes HTML. */
const toHtml = (text) => {
  let html = "";
  let block = [];
  let fence;
  const flush = () => {
    // Code that is wider than the page can be scrolled by keyboard.
    html += micromark(block.join("\n")).replaceAll("<pre>", '<pre tabindex="0">');
    block = [];
  };
  const lines = text.split("\n").filter((line) => !/^<!--.*-->$/u.test(line));
  for (let at = 0; at < lines.length; at++) {
    const mark = isFence(lines[at]);
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && lines[at].trim() === mark) fence = undefined;
    if (fence !== undefined || !lines[at].startsWith("|") || !/^\|[\s:|-]+$/u.test(lines[at + 1] ?? "")) {
      block.push(lines[at]);
      continue;
    }
    flush();
    let end = at;
    while (lines[end]?.startsWith("|")) end += 1;
    html += table(lines.slice(at, end));
    at = end - 1;
  }
  flush();
  return html;
};

const files = readdirSync(from, { recursive: true })
  .map((path) => path.split("\\").join("/"))
  .filter((path) => path.endsWith(".md") && !path.startsWith("evidence/"));
const known = new Set(files.map(stem));

/** Links between pages stay within the program; files of the repository have no page, so only their words remain. */
const withLinks = (html, page) =>
  html
    .replace(/<a href="([^"#]*)(#[^"]*)?">([\s\S]*?)<\/a>/gu, (whole, path, part = "", words) => {
      if (path === "" || /^https?:/u.test(path)) return whole;
      const target = stem(posix.join(posix.dirname(page), path));
      return known.has(target) ? `<a href="/_/docs/${target}${part}">${words}</a>` : words;
    })
    .replace(/<img src="([^"]*)"/gu, (_, path) => `<img src="/_/docs/${posix.join(posix.dirname(page), path)}"`);

rmSync(to, { recursive: true, force: true });
const pages = files
  .map((file) => {
    const name = stem(file);
    const sections = [];
    const html = withLinks(toHtml(readFileSync(join(from, file), "utf8")), file).replace(
      /<h([1-6])>([\s\S]*?)<\/h\1>/gu,
      (_, level, words) => {
        const id = slug(plain(words));
        sections.push({ level: Number(level), id, title: plain(words) });
        return `<h${level} id="${id}">${words}</h${level}>`;
      },
    );
    const texts = html.split(/<h[1-6] id="[^"]*">[\s\S]*?<\/h[1-6]>/u).slice(1);
    mkdirSync(dirname(join(to, name)), { recursive: true });
    writeFileSync(join(to, `${name}.html`), html);
    return {
      name,
      title: sections[0]?.title ?? name,
      sections: sections.map((one, at) => ({ ...one, text: plain(texts[at] ?? "") })),
    };
  })
  .sort((a, b) => order(a.name) - order(b.name) || (a.name < b.name ? -1 : 1));
writeFileSync(join(to, "index.json"), JSON.stringify(pages));
writeFileSync(
  join(to, "reference.json"),
  JSON.stringify(readReference(readFileSync(join(from, "language.md"), "utf8"))),
);
mkdirSync(join(to, "images"), { recursive: true });
for (const image of readdirSync(join(from, "images")))
  copyFileSync(join(from, "images", image), join(to, "images", image));
copyFileSync(join(root, "src", "server", "pages", "docs.css"), join(to, "style.css"));
