import { type DraftJson, LONGEST_NOTE, type SourceJson } from "../../../core/wire/authoring/document.ts";
import type { RestoreJson } from "../../../core/wire/authoring/versions.ts";
import { isWithin, type JsonSize, sizeOfJson } from "../../../core/wire/json-bounds.ts";

/** The response of the thread that parses a draft. */
export interface DraftRead {
  readonly draft: DraftJson | undefined;
}

/** Limits of a draft, which is a list of files. */
const MAX_DRAFT: JsonSize = { depth: 4, values: 100_000, names: 100_000 };

const isSource = (value: unknown): value is SourceJson =>
  typeof value === "object" &&
  value !== null &&
  "file" in value &&
  "text" in value &&
  typeof value.file === "string" &&
  typeof value.text === "string";

/** True for a note that can be stored. Postgres does not accept NUL in a text. */
const isNote = (value: unknown): value is string =>
  typeof value === "string" && value.length <= LONGEST_NOTE && !value.includes("\0");

const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Parses a JSON body with few values; undefined if it is invalid. */
export const parseSmallJson = (body: Uint8Array): unknown => {
  if (!isWithin(sizeOfJson(body), MAX_DRAFT)) return undefined;
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
};

/** Parses a draft; undefined if it is invalid. */
export const parseDraft = (bytes: Uint8Array): DraftJson | undefined => {
  const body = parseSmallJson(bytes);
  if (typeof body !== "object" || body === null || !("base" in body) || !("files" in body)) return undefined;
  const { base, files } = body;
  if (typeof base !== "string" || !Array.isArray(files) || files.length === 0 || !files.every(isSource))
    return undefined;
  const note = "note" in body ? body.note : "";
  const withoutSamples = "withoutSamples" in body ? body.withoutSamples : [];
  if (!isNote(note) || !isListOfTexts(withoutSamples)) return undefined;
  return { base, files: files.map(({ file, text }) => ({ file, text })), note, withoutSamples };
};

/** Parses the body of a call that restores a version; undefined if it is invalid. */
export const parseRestore = (bytes: Uint8Array): RestoreJson | undefined => {
  const body = parseSmallJson(bytes);
  if (typeof body !== "object" || body === null || !("base" in body) || typeof body.base !== "string") return undefined;
  const note = "note" in body ? body.note : "";
  return isNote(note) ? { base: body.base, note } : undefined;
};

/** Parses an act on a proposal: a comment, and the hash of the text that was read. Undefined if it is invalid. */
export const parseComment = (bytes: Uint8Array): { readonly comment: string; readonly hash?: string } | undefined => {
  const body = parseSmallJson(bytes);
  if (typeof body !== "object" || body === null) return undefined;
  const comment = "comment" in body ? body.comment : "";
  const hash = "hash" in body ? body.hash : undefined;
  if (!isNote(comment) || (hash !== undefined && typeof hash !== "string")) return undefined;
  return { comment, ...(hash === undefined ? {} : { hash }) };
};
