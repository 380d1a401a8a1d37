import { parseArgs } from "node:util";
import { format as formatDocument } from "../core/format.ts";
import { readDocumentFiles, writeDocumentFiles } from "./document-file.ts";
import { CommandFailed, exits } from "./exit-codes.ts";
import { findingsText } from "./findings-text.ts";
import { program } from "./program.ts";
import { usage } from "./usage.ts";

/** Formats the blocks of a document. With --check, lists the files that would change and exits with 1. */
export const formatCommand = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { check: { type: "boolean", default: false } },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name one file or folder.", usage.format);
  const files = await readDocumentFiles(path);
  const sources = files.map(({ source }) => source);
  const { sources: formatted, findings } = formatDocument(sources);
  if (findings.length > 0) {
    const text = findingsText(sources, findings, process.stdout.isTTY === true && !process.env.NO_COLOR);
    process.stdout.write(
      `${text}\n\nNothing was formatted. “${program} check --fix” fixes each problem that has exactly one fix.\n`,
    );
    return exits.badDocument;
  }
  const changed = files.flatMap((file, index) => {
    const text = formatted[index]?.text ?? file.source.text;
    return text === file.source.text ? [] : [{ file, text }];
  });
  if (!values.check) await writeDocumentFiles(changed);
  for (const { file } of changed)
    process.stdout.write(`${file.source.file} ${values.check ? "is not formatted" : "formatted"}\n`);
  return values.check && changed.length > 0 ? exits.badDocument : exits.done;
};
