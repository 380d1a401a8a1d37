import type { ZippedFile } from "./open-zip.ts";

const getLastName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const toKey = (text: string): string => text.normalize("NFC").replaceAll("\\", "/").replace(/^\.\//u, "");

const groupBy = (
  files: readonly ZippedFile[],
  keyOf: (path: string) => string,
): ReadonlyMap<string, readonly ZippedFile[]> => {
  const byKey = new Map<string, ZippedFile[]>();
  for (const file of files) {
    const key = keyOf(file.path);
    byKey.set(key, [...(byKey.get(key) ?? []), file]);
  }
  return byKey;
};

/**
 * Finds the files of a ZIP file that cells name: by path (“photos/a.jpg”) or by name alone (“a.jpg”), and by upper and
 * lower case only if no file has exactly this name.
 */
export class NamesOfFiles {
  readonly #maps: readonly {
    readonly keyOf: (text: string) => string;
    readonly files: ReadonlyMap<string, readonly ZippedFile[]>;
  }[];

  constructor(files: readonly ZippedFile[]) {
    const exact = (text: string) => text;
    const loose = (text: string) => text.toLowerCase();
    this.#maps = [exact, loose].flatMap((keyOf) => [
      { keyOf, files: groupBy(files, keyOf) },
      { keyOf, files: groupBy(files, (path) => keyOf(getLastName(path))) },
    ]);
  }

  /** The files of this name: several if it is not unique, undefined if there is none. */
  find(text: string): readonly ZippedFile[] | undefined {
    const key = toKey(text);
    for (const { keyOf, files } of this.#maps) {
      const found = files.get(keyOf(key));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
