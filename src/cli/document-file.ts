import { chmod, lstat, mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { LARGEST } from "../core/document/read.ts";
import type { Source } from "../core/source-text.ts";
import { CommandFailed, exits } from "./exit-codes.ts";

const badDocument = (message: string, hint: string) => new CommandFailed(exits.badDocument, message, hint);

/** A character takes at most four bytes. */
const MAX_FILE_BYTES = LARGEST * 4;

/** A folder with more entries is not a specification. */
const MAX_ENTRIES = 10_000;

/** A file of a document, as read. */
export interface DocumentFile {
  /** Path with links resolved, so that writing replaces the target. */
  readonly path: string;
  readonly source: Source;
  readonly bytes: Buffer;
  /** True if the file begins with a byte order mark, which is not part of the text. */
  readonly marked: boolean;
  /** True if the file is not valid UTF-8. Its text contains U+FFFD and must not be written back. */
  readonly lossy: boolean;
}

const MARK = "\ufeff";

/**
 * Reads the files of a document: a single file, or every `*.md` in a folder and its subfolders, in byte order of their
 * paths. Skips names that begin with a dot, `node_modules`, and links to folders. Paths are relative to the folder:
 * `leave/requests.md`. Throws one sentence if the path is not a document.
 */
export const readDocumentFiles = async (path: string): Promise<readonly DocumentFile[]> => {
  const about = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  if (!about.isDirectory()) return [await readFile(path, basename(path))];
  const root = await realpath(path);
  const names = await listFiles(root, path);
  if (names.length === 0)
    throw badDocument(
      `The folder ${path} has no .md file.`,
      "Name a specification, or the folder that contains its files.",
    );
  const files: DocumentFile[] = [];
  let size = 0;
  for (const name of names) {
    const file = await readFile(join(root, name), `${basename(resolve(path))}/${name}`);
    size += file.bytes.length;
    if (size > MAX_FILE_BYTES) throw tooLarge(path, size);
    files.push(file);
  }
  return files;
};

/** Reads the texts of a document's files. */
export const readSources = async (path: string): Promise<readonly Source[]> =>
  (await readDocumentFiles(path)).map(({ source }) => source);

const unreadable = (path: string, error: NodeJS.ErrnoException): CommandFailed =>
  error.code === "ENOENT"
    ? badDocument(`There is no file ${path}.`, "Name the file of a specification, such as examples/lending.md.")
    : badDocument(
        `Can’t read the file ${path} (${error.code ?? error.message}).`,
        "Check that it is a file and that you have permission to read it.",
      );

const tooLarge = (path: string, size: number): CommandFailed =>
  badDocument(
    `${path} is too large: ${Math.round(size / 1e6)} MB. A specification has at most ${Math.round(LARGEST / 1e6)} MB.`,
    "Check that it is a specification.",
  );

/** Lists the documents in a folder by relative path, in byte order. */
const listFiles = async (root: string, path: string): Promise<readonly string[]> => {
  const found: string[] = [];
  let seen = 0;
  const walk = async (folder: string): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      throw unreadable(join(path, folder), error);
    });
    for (const entry of entries) {
      if (++seen > MAX_ENTRIES)
        throw badDocument(
          `The folder ${path} has more than ${MAX_ENTRIES} files.`,
          "Name the folder that contains the specification.",
        );
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const name = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await walk(name);
      else if (/\.md$/iu.test(entry.name) && (entry.isFile() || (await isLinkToFile(join(root, name)))))
        found.push(name);
    }
  };
  await walk("");
  return found.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
};

const isLinkToFile = async (path: string): Promise<boolean> =>
  (await lstat(path)).isSymbolicLink() &&
  (await stat(path).then(
    (about) => about.isFile(),
    () => false,
  ));

const readFile = async (path: string, name: string): Promise<DocumentFile> => {
  const bytes = await readBytes(path);
  if (bytes.includes(0))
    throw badDocument(`The file ${path} is not text.`, "A specification is a Markdown file in UTF-8.");
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const marked = text.startsWith(MARK);
  return {
    path: await realpath(path),
    source: { file: name, text: marked ? text.slice(MARK.length) : text },
    bytes,
    marked,
    lossy: !Buffer.from(text, "utf8").equals(bytes),
  };
};

const readBytes = async (path: string): Promise<Buffer> => {
  const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    throw unreadable(path, error);
  });
  try {
    const about = await file.stat();
    if (!about.isFile())
      throw badDocument(
        `${path} is not a file.`,
        "Name the file of a specification, or the folder that contains its files.",
      );
    if (about.size > MAX_FILE_BYTES) throw tooLarge(path, about.size);
    return await file.readFile();
  } finally {
    await file.close();
  }
};

/**
 * Writes texts back to the files they were read from. If one of them has changed since, nothing is written. Each file
 * is written to a temporary file, flushed and renamed, so it is never incomplete.
 */
export const writeDocumentFiles = async (
  changed: readonly { readonly file: DocumentFile; readonly text: string }[],
): Promise<void> => {
  for (const { file } of changed) await requireUnchanged(file);
  const written: { readonly file: DocumentFile; readonly beside: string }[] = [];
  try {
    for (const { file, text } of changed) {
      const temporaryPath = join(dirname(file.path), `.${basename(file.path)}.${process.pid}.${written.length}.new`);
      written.push({ file, beside: temporaryPath });
      await writeBeside(temporaryPath, file, text);
    }
    for (const { file, beside } of written) {
      await requireUnchanged(file);
      await rename(beside, file.path);
    }
  } catch (error) {
    if (error instanceof CommandFailed) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw badDocument(
      `Can’t write the specification (${code ?? message}).`,
      "Check that you have permission to write its files.",
    );
  } finally {
    for (const { beside } of written) await rm(beside, { force: true });
  }
};

const requireUnchanged = async (file: DocumentFile): Promise<void> => {
  const now = await readBytes(file.path);
  if (!now.equals(file.bytes))
    throw badDocument(
      `${file.source.file} changed while the command was running, so nothing was written to it.`,
      "Run the command again.",
    );
};

const writeBeside = async (path: string, file: DocumentFile, text: string): Promise<void> => {
  const { mode } = await stat(file.path);
  const handle = await open(path, "wx", mode);
  try {
    await handle.writeFile(file.marked ? MARK + text : text, "utf8");
    await handle.sync();
  } finally {
    await handle.close();
  }
  await chmod(path, mode & 0o7777);
};

/** Writes the files of a document to a path: one file to a file, several into a folder. Existing files are replaced. */
export const writeSources = async (path: string, sources: readonly Source[]): Promise<void> => {
  const [only, ...more] = sources;
  try {
    if (only !== undefined && more.length === 0) return await replaceFile(path, only.text);
    await mkdir(path, { recursive: true });
    for (const { file, text } of sources) await replaceFile(join(path, basename(file)), text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw badDocument(`Can’t write ${path} (${code ?? message}).`, "Check that you have permission to write there.");
  }
};

/** Writes a temporary file beside the target, then renames it, so that the target is never incomplete. */
const replaceFile = async (path: string, text: string): Promise<void> => {
  const temporaryPath = join(dirname(path), `.${basename(path)}.${process.pid}.new`);
  try {
    await writeFile(temporaryPath, text, { flag: "wx" });
    await rename(temporaryPath, path);
  } finally {
    await rm(temporaryPath, { force: true });
  }
};
