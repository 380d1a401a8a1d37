import { open } from "node:fs/promises";
import { basename } from "node:path";
import { LARGEST } from "../core/document/read.ts";
import type { Source } from "../core/text.ts";
import { CommandFailed, exits } from "./exits.ts";

const bad = (message: string, hint: string) => new CommandFailed(exits.badDocument, message, hint);

/** Four bytes at most for one character. */
const LARGEST_FILE = LARGEST * 4;

/** Reads a document's file whole, or says in one sentence why it cannot be one. */
export const readSource = async (path: string): Promise<Source> => {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT")
      throw bad(`There is no file ${path}.`, "Name the file of a specification, for example examples/lending.md.");
    throw bad(
      `The file ${path} cannot be read (${error.code ?? error.message}).`,
      "See that it is a file that you may read.",
    );
  });
  try {
    const stat = await file.stat();
    if (stat.isDirectory())
      throw bad(`${path} is a folder.`, "Name one file; folders of files are not read in this release.");
    // A device may never end. A pipe does: the shell's <(…) is one.
    if (!stat.isFile() && !stat.isFIFO()) throw bad(`${path} is not a file.`, "Name the file of a specification.");
    if (stat.size > LARGEST_FILE)
      throw bad(
        `The file ${path} has ${Math.round(stat.size / 1e6)} MB; a document has ${Math.round(LARGEST / 1e6)} MB at most.`,
        "See that it is a specification.",
      );
    const bytes = await file.readFile();
    if (bytes.includes(0))
      throw bad(`The file ${path} is not text.`, "A specification is a Markdown document in UTF-8.");
    try {
      // A byte order mark is no part of the text; `ignoreBOM: false` takes it away.
      return { file: basename(path), text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes) };
    } catch {
      throw bad(`The file ${path} is not UTF-8.`, "Save it as UTF-8.");
    }
  } finally {
    await file.close();
  }
};
