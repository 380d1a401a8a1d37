import type { Readable } from "node:stream";
import {
  type Entry,
  fromBufferPromise,
  fromFdPromise,
  getFileNameLowLevel,
  validateFileName,
  type ZipFile,
} from "yauzl";

/** An uploaded file: its bytes, or the descriptor of a file that has them. */
export type Content = Buffer | number;

/** A file in a ZIP file. */
export interface ZippedFile {
  /** The path as it is written in the ZIP file, with `/` between folders. */
  readonly path: string;
  readonly size: number;
  /** True if its bytes cannot be read, because they are encrypted or packed in an unusual way. */
  readonly isUnreadable: boolean;
  /** Opens the unpacked bytes. They end with an error if they are damaged, or are not as many as `size`. */
  readonly open: () => Promise<Readable>;
}

/** An opened ZIP file. */
export interface OpenedZip {
  readonly files: readonly ZippedFile[];
  /** Paths that lead out of the folder into which the ZIP file would be unpacked. */
  readonly outside: readonly string[];
}

/** More files are not listed: a ZIP file of a few megabytes can claim millions. */
const MAX_ENTRIES = 20_000;

/** Every XLSX file is a ZIP file that contains this one. */
const WORKBOOK = "[Content_Types].xml";

const options = {
  lazyEntries: true,
  // The owner of the descriptor closes it.
  autoClose: false,
  // A single path that leads outside would otherwise make the whole file unreadable.
  decodeStrings: false,
  validateEntrySizes: true,
} as const;

const getPath = ({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string =>
  getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false).normalize("NFC");

/** Folders, and files that operating systems add on their own. */
const isClutter = (path: string): boolean =>
  path.endsWith("/") || path.startsWith("__MACOSX/") || /(?:^|\/)(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/u.test(path);

const toZippedFile = (zip: ZipFile, entry: Entry, path: string): ZippedFile => ({
  path,
  size: entry.uncompressedSize,
  isUnreadable: !entry.canDecodeFileData(),
  open: () => zip.openReadStreamPromise(entry),
});

/**
 * Opens a ZIP file and lists its files; nothing is unpacked. Undefined if the content is another kind of file, such as a
 * workbook, or is damaged. `"too large"` if it lists too many files.
 */
export const openZip = async (content: Content): Promise<OpenedZip | "too large" | undefined> => {
  const zip = await (typeof content === "number"
    ? fromFdPromise(content, options)
    : fromBufferPromise(content, options)
  ).catch(() => undefined);
  if (zip === undefined) return undefined;
  if (zip.entryCount > MAX_ENTRIES) return "too large";
  const files: ZippedFile[] = [];
  const outside: string[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      const path = getPath(entry);
      if (path === WORKBOOK) return undefined;
      if (isClutter(path)) continue;
      if (validateFileName(path) === null) files.push(toZippedFile(zip, entry, path));
      else outside.push(path);
    }
  } catch {
    return undefined;
  }
  return { files, outside };
};
