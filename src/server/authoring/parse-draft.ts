import type { DraftJson, SourceJson } from "../../core/wire/authoring.ts";
import { isWithin, type JsonSize, sizeOfJson } from "../../core/wire/json-bounds.ts";

/** The response of the thread that parses a draft. */
export interface DraftRead {
  readonly draft: DraftJson | undefined;
}

/** Limits of a draft, which is a list of files. */
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

/** Parses a draft; undefined if it is invalid. */
export const parseDraft = (bytes: Uint8Array): DraftJson | undefined => {
  const body = parsed(bytes);
  if (typeof body !== "object" || body === null || !("base" in body) || !("files" in body)) return undefined;
  const { base, files } = body;
  if (typeof base !== "string" || !Array.isArray(files) || files.length === 0) return undefined;
  return files.every(isSource) ? { base, files: files.map(({ file, text }) => ({ file, text })) } : undefined;
};
