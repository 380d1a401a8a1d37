/** The fragment of a heading, as in the links of the pages. */
export const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- ]/gu, "")
    .replaceAll(" ", "-");

/** Markdown of a cell or a paragraph without links, whose targets are other places of the page. */
const withoutLinks = (text) => text.replace(/\[([^\]]*)\]\([^)]*\)/gu, "$1").replaceAll("\\|", "|");

const cellsOf = (line) =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/u)
    .map((cell) => withoutLinks(cell.trim()));

const bare = (cell) => cell.replace(/^`|`$/gu, "");

/**
 * The language reference as data: a sentence for each key of a construct, from its tables, and each numbered paragraph. The
 * heading above each is where it is found in the page.
 */
export const readReference = (page) => {
  const keys = {};
  const paragraphs = {};
  let heading = "";
  let table;
  const lines = page.split("\n");
  let isFence = false;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (/^(?:`{3,}|~{3,})/u.test(line)) isFence = !isFence;
    if (isFence) continue;
    const title = /^#{2,4} (.+)$/u.exec(line)?.[1];
    if (title !== undefined) heading = slug(title);
    const begun = /^<!-- table: (.+) -->$/u.exec(line)?.[1];
    if (begun !== undefined) table = begun;
    else if (line === "<!-- end -->") table = undefined;
    else if (table === "limits" && /^\| `/u.test(line)) {
      const [key, otherwise, , , about] = cellsOf(line);
      keys[table] ??= {};
      keys[table][bare(key)] = { id: "L9.2", about, otherwise, heading };
    } else if (table !== undefined && /^\| L\d/u.test(line)) {
      const [id, key, about, otherwise = ""] = cellsOf(line);
      keys[table] ??= {};
      keys[table][bare(key)] = { id, about, otherwise, heading };
    } else {
      const [, id] = /^\*\*(L\d+\.\d+)/u.exec(line) ?? [];
      if (id === undefined) continue;
      let end = at;
      while (end < lines.length && lines[end].trim() !== "") end++;
      const text = withoutLinks(lines.slice(at, end).join(" ")).replace(/^\*\*L[\d.]+ ?([^*]*)\*\* ?/u, "$1 ");
      // The first sentences are enough beside a text; the page has the rest.
      const about = text
        .trim()
        .split(/(?<=[.:]) (?=[A-Z`])/u)
        .slice(0, 2)
        .join(" ");
      paragraphs[id] = { id, about, otherwise: "", heading };
    }
  }
  return { keys, paragraphs };
};
