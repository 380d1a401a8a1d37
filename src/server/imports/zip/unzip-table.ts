import { buffer } from "node:stream/consumers";
import { excess, type TableFault } from "../table-parts.ts";
import type { OpenedZip, ZippedFile } from "./open-zip.ts";

/** The table of a ZIP file, and the files beside it, with paths as its cells write them. */
export interface UnzippedTable {
  readonly name: string;
  readonly bytes: Buffer;
  readonly files: readonly ZippedFile[];
}

const TABLE = /\.(?:csv|tsv|xlsx)$/iu;

const countFolders = (path: string): number => path.split("/").length;

/** The tables that lie in the fewest folders. Deeper ones are files that the table can name. */
const findTables = (files: readonly ZippedFile[]): readonly ZippedFile[] => {
  const tables = files.filter(({ path }) => TABLE.test(path));
  const fewest = Math.min(...tables.map(({ path }) => countFolders(path)));
  return tables.filter(({ path }) => countFolders(path) === fewest);
};

/** Unpacks the one table of a ZIP file; the other files stay packed. `most`: maximum size of the table in bytes. */
export const unzipTable = async (
  { files }: OpenedZip,
  most: number,
): Promise<UnzippedTable | TableFault | { readonly reason: "not one table" }> => {
  const [table, ...more] = findTables(files);
  if (table === undefined || more.length > 0) return { reason: "not one table" };
  if (table.size > most) return excess("BYTES", table.size);
  if (table.isUnreadable) return { reason: "not a table" };
  const folder = table.path.slice(0, table.path.lastIndexOf("/") + 1);
  try {
    return {
      name: table.path.slice(folder.length),
      bytes: await buffer(await table.open()),
      files: files.flatMap((file) => {
        if (file === table) return [];
        return file.path.startsWith(folder) ? [{ ...file, path: file.path.slice(folder.length) }] : [file];
      }),
    };
  } catch {
    return { reason: "not a table" };
  }
};
