/** The lines that belong to a name in a block, or the entry of a mapping in braces: `pages: { type: integer, max: 9 }`. */
export const definitionAt = (source: string, start: number): string => {
  const from = source.lastIndexOf("\n", start) + 1;
  const indent = source.slice(from, start);
  if (indent.trim() === "") {
    const [first = "", ...rest] = source.slice(from).split("\n");
    const end = rest.findIndex((line) => line.trim() !== "" && (line.match(/^ */u)?.[0].length ?? 0) <= indent.length);
    return [first, ...rest.slice(0, end < 0 ? rest.length : end)].join("\n").trimEnd();
  }
  const entry = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[{[]|[\]}]|,|[^"'{}[\],]+)/u;
  let depth = 0;
  let at = start;
  for (let part = entry.exec(source.slice(at))?.[0]; part !== undefined; part = entry.exec(source.slice(at))?.[0]) {
    if (depth === 0 && /^[,}\]]$/u.test(part)) break;
    if (/^[{[]$/u.test(part)) depth++;
    if (/^[}\]]$/u.test(part)) depth--;
    at += part.length;
  }
  return source.slice(start, at).trimEnd();
};

/**
 * Adds a member to the mapping of a key at a position: `by: staff`, `delete: [keeper]`. Undefined if the text has an
 * unexpected form.
 */
export const addMember = (text: string, key: number, says: string): string | undefined => {
  const rest = text.slice(key);
  const inBraces = /^[^\n:]*:[ \t]*\{[^{}\n]*(?:\{[^{}\n]*\}[^{}\n]*)*/u.exec(rest)?.[0].trimEnd();
  if (inBraces !== undefined && rest.slice(inBraces.length).trimStart().startsWith("}"))
    return `${text.slice(0, key)}${inBraces}${inBraces.endsWith("{") ? " " : ", "}${says} ${rest.slice(inBraces.length).trimStart()}`;
  const block = /^[^\n:]*:[ \t]*(?:#[^\n]*)?\n(?<indent>[ ]+)\S/u.exec(rest);
  const indent = block?.groups?.indent;
  if (block === null || indent === undefined) return undefined;
  const at = key + rest.indexOf("\n") + 1;
  return `${text.slice(0, at)}${indent}${says}\n${text.slice(at)}`;
};

/** Like `addMember`, for a key with a plain value, which becomes the member `name`: `place: text` to `place: { type: text, … }`. */
export const addMemberTo = (text: string, key: number, name: string, says: string): string | undefined => {
  const plain = /^[^\n:]*:[ \t]+(?<value>[^\s,{}[\]#][^\n,{}[\]#]*?)(?=[ \t]*(?:[,}\n]|$|[ \t]#))/u.exec(
    text.slice(key),
  );
  const value = plain?.groups?.value;
  if (plain === null || value === undefined) return addMember(text, key, says);
  const end = key + plain[0].length;
  return `${text.slice(0, end - value.length)}{ ${name}: ${value}, ${says} }${text.slice(end)}`;
};
