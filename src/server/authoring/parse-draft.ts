import type { DraftJson, SourceJson } from "../../core/wire/authoring.ts";
import { isWithin, type JsonSize, sizeOfJson } from "../../core/wire/json-bounds.ts";

/** What the thread that parses a draft answers. */
export interface DraftRead {
  readonly draft: DraftJson | undefined;
}

/** A draft is a list of files, and a document has no more of them than these. */
const LARGEST: JsonSize = { depth: 4, values: 100_000, names: 100_000 };

const isSource = (given: unknown): given is SourceJson =>
  typeof given === "object" &&
  given !== null &&
  "file" in given &&
  "text" in given &&
  typeof given.file === "string" &&
  typeof given.text === "string";

const utf8 = new TextDecoder("utf-8", { fatal: true });

const parsed = (body: Uint8Array): unknown => {
  if (!isWithin(sizeOfJson(body), LARGEST)) return undefined;
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
};

/** The draft in a body; undefined where it holds something else. */
export const draftIn = (bytes: Uint8Array): DraftJson | undefined => {
  const body = parsed(bytes);
  if (typeof body !== "object" || body === null || !("base" in body) || !("files" in body)) return undefined;
  const { base, files } = body;
  if (typeof base !== "string" || !Array.isArray(files) || files.length === 0) return undefined;
  return files.every(isSource) ? { base, files: files.map(({ file, text }) => ({ file, text })) } : undefined;
};
