import { dirname, relative, sep } from "node:path";
import { readMarkdown } from "../../core/document/markdown.ts";
import { parsePointNumber } from "../../core/document/read.ts";
import { type DocumentFile, readDocumentFiles } from "../document-file.ts";

/** A folder whose files are one document. */
export interface SpecificationFolder {
  readonly folder: string;
  readonly files: readonly DocumentFile[];
}

/** The points that a file opens. */
const findPoints = (text: string): ReadonlySet<number> =>
  new Set(
    readMarkdown(text).flatMap((part) => {
      const point = part.kind === "heading" && part.level === 2 ? parsePointNumber(part.text) : 0;
      return point === 0 ? [] : [point];
    }),
  );

/** True if a file opens a point. Other Markdown files are no specifications. */
export const opensPoint = (text: string): boolean => findPoints(text).size > 0;

/** The files of a folder, if they are one document: at most one of them says what the product is. */
const readAsOne = async (folder: string): Promise<readonly DocumentFile[] | undefined> => {
  const files = await readDocumentFiles(folder).catch(() => []);
  const points = files.map(({ source }) => findPoints(source.text));
  return points.filter((opened) => opened.has(1)).length <= 1
    ? files.filter((_, at) => (points[at]?.size ?? 0) > 0)
    : undefined;
};

const isWithin = (path: string, root: string): boolean => {
  const way = relative(root, path);
  return way === "" || (!way.startsWith(`..${sep}`) && way !== "..");
};

/**
 * The document to which a file belongs: the outermost folder in the open workspace in which at most one file opens point 1.
 * Undefined if the file is a document of its own.
 */
export const findSpecification = async (
  path: string,
  roots: readonly string[],
): Promise<SpecificationFolder | undefined> => {
  let found: SpecificationFolder | undefined;
  for (let folder = dirname(path); roots.some((root) => isWithin(folder, root)); folder = dirname(folder)) {
    const files = await readAsOne(folder);
    if (files === undefined) break;
    if (files.length > 1) found = { folder, files };
    if (folder === dirname(folder)) break;
  }
  return found;
};
