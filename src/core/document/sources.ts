import type { Source } from "../source-text.ts";

/** The default name of a document: its file without extension, or its folder. */
export const defaultDocumentName = (sources: readonly Source[]): string => {
  const [first, ...more] = sources;
  if (first === undefined) return "document";
  if (more.length === 0) return first.file.replace(/^.*\//u, "").replace(/\.md$/u, "");
  const folder = first.file.split("/")[0] ?? "";
  return more.every(({ file }) => file.startsWith(`${folder}/`)) ? folder : "document";
};

/**
 * Packs a document into one source from which all files can be restored. A single file stays as it is; several become
 * JSON, under a name that ends in a slash. This is stored as a version, and hashed.
 */
export const packSources = (sources: readonly Source[]): Source => {
  const [only, ...more] = sources;
  if (only !== undefined && more.length === 0) return only;
  return {
    file: `${defaultDocumentName(sources)}/`,
    text: JSON.stringify(sources.map(({ file, text }) => ({ file, text }))),
  };
};

/** The files of a packed document. */
export const unpackSources = (source: Source): readonly Source[] =>
  source.file.endsWith("/") ? (JSON.parse(source.text) as readonly Source[]) : [source];
