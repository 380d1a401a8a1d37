import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * The pages of the documentation as data: headings, links, tables and fences.
 *
 * A fence whose info string ends in braces is an example, and a test compiles it:
 *
 *   ````markdown {whole=repairs}      a complete document, called repairs from here on
 *   ```yaml {point=3}                 a block of point 3 in an otherwise silent document
 *   ```yaml {point=5 on=repairs}      a block added to point 5 of a complete document
 *   ```yaml {point=5 and}             compiled together with the following fence
 *   ```cel {on=repairs of=Repair}     conditions, one per line, on a record of an entity
 *   ```cel {true}                     conditions that hold for every record
 *   … finds=DEAD_END,UNUSED_ROLE*2    has exactly these findings; without it, only open points
 */

const root = fileURLToPath(new URL("../..", import.meta.url));

export const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
export const isThere = (path: string): boolean => existsSync(join(root, path));

/** Files of a folder with an extension, as paths from the root. */
export const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => `${folder}/${name}`);

/** All pages of the documentation. */
export const pages: readonly string[] = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  ...filesIn("docs", ".md"),
  ...filesIn("docs/how-to", ".md"),
  ...filesIn("docs/decisions", ".md"),
];

/** The lines of a page outside its fences, and the fences; fences begin and end at the margin. */
const partsOf = (text: string): { readonly prose: string; readonly fences: readonly Fence[] } => {
  const prose: string[] = [];
  const fences: Fence[] = [];
  let open: { mark: string; info: string; lines: string[]; line: number } | undefined;
  for (const [i, line] of text.split("\n").entries()) {
    const mark = /^(`{3,})(.*)$/u.exec(line);
    if (open !== undefined) {
      if (mark?.[1] === open.mark && mark[2] === "") {
        const [, language = "", words] = /^(\S*)\s*(?:\{(.*)\})?$/u.exec(open.info.trim()) ?? [];
        fences.push({
          language,
          text: open.lines.join("\n"),
          line: open.line,
          marks: words === undefined ? undefined : marksOf(words),
        });
        open = undefined;
      } else open.lines.push(line);
    } else if (mark !== null) open = { mark: mark[1] ?? "", info: mark[2] ?? "", lines: [], line: i + 1 };
    else prose.push(line);
  }
  if (open !== undefined) throw new Error(`line ${open.line}: a fence that is never closed`);
  return { prose: prose.join("\n"), fences };
};

const marksOf = (words: string): Readonly<Record<string, string>> =>
  Object.fromEntries(words.split(/\s+/u).map((item) => [item.split("=")[0], item.split("=")[1] ?? ""]));

/** The text of a page outside its fences. */
export const proseOf = (text: string): string => partsOf(text).prose;

export interface Fence {
  readonly language: string;
  readonly text: string;
  readonly line: number;
  /** The words in braces: `point=3` gives `point: "3"`, `and` gives `and: ""`. Undefined without braces. */
  readonly marks: Readonly<Record<string, string>> | undefined;
}

export const fencesOf = (text: string): readonly Fence[] => partsOf(text).fences;

export interface Heading {
  readonly depth: number;
  readonly text: string;
  /** The anchor of the heading, as GitHub generates it. */
  readonly anchor: string;
}

export const headingsOf = (text: string): readonly Heading[] =>
  [...proseOf(text).matchAll(/^(#{1,6}) (.+)$/gmu)].map(([, marks = "", words = ""]) => {
    const plain = words.replace(/\[([^\]]*)\]\([^)]*\)/gu, "$1").replaceAll("`", "");
    const anchor = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/gu, "-");
    return { depth: marks.length, text: plain, anchor };
  });

/** The targets of links and pictures. */
export const linksOf = (text: string): readonly string[] =>
  [
    ...proseOf(text)
      .replace(/`[^`]*`/gu, "")
      .matchAll(/\]\(([^)\s]+)\)/gu),
  ].map(([, address = ""]) => address);

const cellsOf = (line: string): readonly string[] =>
  line
    .replace(/^\|\s*|\s*\|$/gu, "")
    .split(/\s*(?<!\\)\|\s*/u)
    .map((cell) => cell.replaceAll("\\|", "|").trim());

const begins = (name: string) => `<!-- table: ${name} -->`;
const ends = "<!-- end -->";

/** The position of a checked table between `<!-- table: name -->` and `<!-- end -->`. */
const markedTable = (text: string, name: string): { readonly from: number; readonly to: number } => {
  const from = text.indexOf(begins(name));
  const to = text.indexOf(ends, from);
  if (from < 0 || to < 0) throw new Error(`there is no table “${name}”`);
  return { from: from + begins(name).length, to };
};

/** The rows of a checked table without its header and code marks. */
export const rowsOf = (text: string, name: string): readonly (readonly string[])[] => {
  const { from, to } = markedTable(text, name);
  return text
    .slice(from, to)
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => cellsOf(line).map((cell) => cell.replace(/^`+ ?| ?`+$/gu, "")));
};

const escaped = (cell: string): string => cell.replaceAll("|", "\\|");

/** The page with one of its tables replaced by the expected one. */
export const withTable = (
  text: string,
  name: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const { from, to } = markedTable(text, name);
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(" | ")} |`;
  const table = [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
  return `${text.slice(0, from)}\n${table}\n${text.slice(to)}`;
};
