import type { Source } from "../source-text.ts";

/** What a document is called when it does not say so: its file without the ending, or the folder that its files are in. */
export const nameOf = (sources: readonly Source[]): string => {
  const [first, ...more] = sources;
  if (first === undefined) return "document";
  if (more.length === 0) return first.file.replace(/^.*\//u, "").replace(/\.md$/u, "");
  const folder = first.file.split("/")[0] ?? "";
  return more.every(({ file }) => file.startsWith(`${folder}/`)) ? folder : "document";
};

/**
 * A document as one source, from which every file can be had again whole. One file is itself; several are the JSON of
 * the list of them, under a name that ends in a slash. This is what is kept of a version, and what its hash is made of.
 */
export const packed = (sources: readonly Source[]): Source => {
  const [only, ...more] = sources;
  if (only !== undefined && more.length === 0) return only;
  return { file: `${nameOf(sources)}/`, text: JSON.stringify(sources.map(({ file, text }) => ({ file, text }))) };
};

/** The files of a document that was packed. */
export const unpacked = (source: Source): readonly Source[] =>
  source.file.endsWith("/") ? (JSON.parse(source.text) as readonly Source[]) : [source];
