import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import { parseArgs } from "node:util";
import { compile } from "../../core/compile.ts";
import { toWords } from "../../core/draft/names.ts";
import { findTable } from "../../core/draft/table.ts";
import { draftDocument } from "../../core/draft/write-document.ts";
import { format } from "../../core/format.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { readFileOfSheets } from "./read-file.ts";

const titleOf = (path: string): string => {
  const words = toWords(basename(path, extname(path))).join(" ");
  return words === "" ? "Draft" : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

/** Drafts a document from spreadsheets, and prints it or writes it to a new file. */
export const draft = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { out: { type: "string" }, name: { type: "string" }, json: { type: "boolean", default: false } },
  });
  const [first] = positionals;
  if (first === undefined)
    throw new CommandFailed(exits.usage, "Name one or more CSV, TSV or XLSX files.", usage.draft);
  const read = await Promise.all(positionals.map(readFileOfSheets));
  const sheets = read.flatMap((file) => file.sheets);
  const tables = sheets.flatMap((sheet) => findTable(sheet) ?? []);
  const withRows = new Set(tables.map(({ source }) => source));
  const remarks = [
    ...read.flatMap((file) => file.remarks),
    ...sheets.flatMap(({ source }) => (withRows.has(source) ? [] : [`${source} has no header with rows below it.`])),
  ];
  if (tables.length === 0)
    throw new CommandFailed(
      exits.badDocument,
      `There is no table in ${positionals.join(", ")}.`,
      remarks.join(" ") || "A table has a header and at least one row.",
    );
  const title = values.name ?? titleOf(values.out ?? first);
  const drafted = { file: basename(values.out ?? "draft.md"), text: draftDocument(title, tables) };
  const { sources, findings } = format([drafted]);
  const text = sources[0]?.text ?? drafted.text;
  const compiled = compile([{ file: drafted.file, text }]);
  const error = findings[0] ?? compiled.findings.find(({ severity }) => severity === "error");
  if (error !== undefined) throw new Error(`The draft has an error: ${error.code} ${error.message}\n\n${text}`);
  const open = compiled.open;
  if (values.out !== undefined) await writeNew(values.out, text);
  if (values.json) {
    const json = {
      ...(values.out === undefined ? { text } : { file: values.out }),
      tables: tables.map((table) => ({
        name: table.name,
        source: table.source,
        rows: table.rows,
        columns: table.columns.length,
        leftOut: table.remarks,
      })),
      remarks,
      openPoints: open.map(({ point, statement }) => ({ point, statement })),
    };
    process.stdout.write(`${JSON.stringify(json, undefined, 2)}\n`);
    return exits.done;
  }
  if (values.out === undefined) process.stdout.write(text);
  for (const remark of remarks) process.stderr.write(`${remark}\n`);
  if (values.out !== undefined)
    process.stderr.write(
      `${values.out}: ${tables.length} ${tables.length === 1 ? "entity" : "entities"}, ${open.length} open points. Try it with “ninefold run ${values.out}”.\n`,
    );
  return exits.done;
};

const writeNew = async (path: string, text: string): Promise<void> => {
  try {
    await writeFile(path, text, { flag: "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw code === "EEXIST"
      ? new CommandFailed(
          exits.usage,
          `The file ${path} already exists.`,
          "A draft never overwrites a file. Choose another name.",
        )
      : new CommandFailed(exits.usage, `Can’t write ${path} (${code}).`, undefined, error);
  }
};
