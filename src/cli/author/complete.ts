import { parseArgs } from "node:util";
import { createEditor } from "../../core/editor/editor.ts";
import { readSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";

/** The offset of a line and a column, which count from 1; columns in UTF-16 code units. */
const offsetOf = (text: string, line: number, column: number): number | undefined => {
  const lines = text.split("\n");
  const own = lines[line - 1];
  if (own === undefined || column < 1 || column > own.length + 1) return undefined;
  return lines.slice(0, line - 1).reduce((sum, item) => sum + item.length + 1, 0) + column - 1;
};

/** Lists the names, keys and values that fit a place of a document: `desk.md:12:5`. */
export const complete = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  const [at, ...more] = positionals;
  const [, path, line = "", column = ""] = /^(.+):(\d+):(\d+)$/u.exec(at ?? "") ?? [];
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name a file with a line and a column: desk.md:12:5.", usage.complete);
  const [source] = await readSources(path);
  const offset = source === undefined ? undefined : offsetOf(source.text, Number(line), Number(column));
  if (source === undefined || offset === undefined)
    throw new CommandFailed(exits.usage, `${path} has no line ${line} with a column ${column}.`, usage.complete);
  const editor = createEditor();
  editor.open([source]);
  const { from, items } = editor.complete({ file: source.file, offset });
  const json = {
    file: source.file,
    line: Number(line),
    column: Number(column),
    replaces: source.text.slice(from, offset),
    items: items.map(({ label, kind, detail, insert }) => ({ label, kind, detail, insert })),
  };
  process.stdout.write(
    values.json
      ? `${JSON.stringify(json, undefined, 2)}\n`
      : items.map(({ label, detail }) => `${label}${detail === "" ? "" : `  ${detail}`}\n`).join(""),
  );
  return exits.done;
};
