import { access, constants } from "node:fs/promises";
import { dirname } from "node:path";
import type { Source } from "../../core/source-text.ts";
import { DocumentFixed, type DocumentStore, type Fixed } from "../../server/authoring/in-force.ts";
import type { Connections } from "../../server/serving/open-document.ts";
import { type DocumentFile, readDocumentFiles, writeDocumentFiles } from "../document-file.ts";
import { CommandFailed } from "../exit-codes.ts";

const findReasonFixed = async (files: readonly DocumentFile[]): Promise<Fixed | null> => {
  for (const { path, lossy, source } of files) {
    if (lossy) return { reason: "NOT_UTF8", word: source.file };
    const may = await access(dirname(path), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (!may) return { reason: "NOT_WRITABLE", word: source.file };
  }
  return null;
};

/** The text of the files at the start, if it differs from the live version. */
export interface TextAtStart {
  readonly sources: readonly Source[];
  /** True for an earlier version, which a newer one can replace. False for a proposal, which is left alone. */
  readonly isVersion: boolean;
}

/**
 * The document's files. Changes applied in the workbench are written back to them, except to files that still have a
 * text of their own.
 */
export const createDocumentStore = async (
  path: string,
  owner: Connections["owner"],
  atStart: TextAtStart | null = null,
): Promise<DocumentStore> => ({
  owner,
  fixed: await findReasonFixed(await readDocumentFiles(path)),
  write: async (before, after) => {
    try {
      const files = await readDocumentFiles(path);
      const isAsAtStart = atStart !== null && isSame(getTexts(files), atStart.sources);
      if (isAsAtStart && !atStart.isVersion) return;
      await writeDocumentFiles(listChangedFiles(files, isAsAtStart ? atStart.sources : before, after));
    } catch (error) {
      if (error instanceof CommandFailed) throw new DocumentFixed("UNREADABLE", error);
      throw error;
    }
  },
});

const getTexts = (files: readonly DocumentFile[]): readonly Source[] => files.map(({ source }) => source);

const isSame = (one: readonly Source[], other: readonly Source[]): boolean =>
  one.length === other.length && one.every(({ file, text }, i) => file === other[i]?.file && text === other[i]?.text);

/** Finds the files whose text changes. The files on disk must still contain the live version. */
const listChangedFiles = (files: readonly DocumentFile[], before: readonly Source[], after: readonly Source[]) => {
  const names = (sources: readonly Source[]) => sources.map(({ file }) => file).join("\n");
  const onDisk = getTexts(files);
  // Another server running from the same files has written them already.
  if (isSame(onDisk, after)) return [];
  if (!isSame(onDisk, before)) throw new DocumentFixed("CHANGED_OUTSIDE");
  if (names(after) !== names(before)) throw new DocumentFixed("OTHER_FILES");
  return files.flatMap((file, i) => {
    const text = after[i]?.text;
    return text === undefined || text === file.source.text ? [] : [{ file, text }];
  });
};
