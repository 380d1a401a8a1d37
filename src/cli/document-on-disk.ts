import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import type { Source } from "../core/source-text.ts";
import { type Desk, DocumentFixed } from "../server/authoring/authoring.ts";
import type { Connections } from "../server/serve.ts";
import { type DocumentFile, readDocumentFiles, writeDocumentFiles } from "./document-file.ts";
import { CommandFailed } from "./exit-codes.ts";

const fixedBecause = async (files: readonly DocumentFile[]): Promise<string | null> => {
  for (const { path, lossy, source } of files) {
    if (lossy) return `${source.file} is not in UTF-8`;
    const may = await access(dirname(path), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (!may) return `the program has no permission to write ${source.file}`;
  }
  return null;
};

/** The document's files. Changes applied in the workbench are written back to them. */
export const deskOf = async (path: string, owner: Connections["owner"]): Promise<Desk> => ({
  owner,
  fixed: await fixedBecause(await readDocumentFiles(path)),
  write: async (before, after) => {
    try {
      const files = await readDocumentFiles(path);
      await writeDocumentFiles(changedIn(files, before, after));
    } catch (error) {
      if (error instanceof CommandFailed) throw new DocumentFixed(error.message, { cause: error });
      throw error;
    }
  },
});

/** The files whose text changes. The files on disk must still hold the version that was in force. */
const changedIn = (files: readonly DocumentFile[], before: readonly Source[], after: readonly Source[]) => {
  const names = (sources: readonly Source[]) => sources.map(({ file }) => file).join("\n");
  const there = files.map(({ source }) => source);
  // Another server running from the same files has written them already.
  if (names(there) === names(after) && there.every(({ text }, i) => text === after[i]?.text)) return [];
  if (names(there) !== names(before) || there.some(({ text }, i) => text !== before[i]?.text))
    throw new DocumentFixed("its files were changed outside the program. Restart the program to run them");
  if (names(after) !== names(before)) throw new DocumentFixed("files can be changed here, but not added or removed");
  return files.flatMap((file, i) => {
    const text = after[i]?.text;
    return text === undefined || text === file.source.text ? [] : [{ file, text }];
  });
};
