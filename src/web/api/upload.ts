import type { DraftedFileJson } from "../../core/wire/authoring/drafted-file.ts";
import type { ImportJson, ImportSettings } from "../../core/wire/imports.ts";
import type { Problem } from "../../core/wire/problems.ts";
import type { FileJson } from "../../core/wire/records.ts";

/** The result of an upload. */
export type Sent =
  | { readonly kind: "kept"; readonly file: FileJson }
  | { readonly kind: "refused"; readonly detail: string }
  | { readonly kind: "failed" };

const read = <T>(text: string): T | undefined => {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
};

/** Sends a file and reads the answer. */
const send = <T>(
  path: string,
  file: Blob,
  progress: (part: number) => void,
  signal: AbortSignal,
): Promise<{ readonly kind: "kept"; readonly answer: T } | Exclude<Sent, { readonly kind: "kept" }>> =>
  new Promise((resolve) => {
    // `fetch` does not report upload progress.
    const request = new XMLHttpRequest();
    request.open("POST", path);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(total > 0 ? loaded / total : 0));
    request.addEventListener("load", () => {
      const answer = request.status === 201 || request.status === 200 ? read<T>(request.responseText) : undefined;
      const problem = answer === undefined ? read<Problem>(request.responseText) : undefined;
      if (answer !== undefined) resolve({ kind: "kept", answer });
      else if (problem?.detail !== undefined) resolve({ kind: "refused", detail: problem.detail });
      else resolve({ kind: "failed" });
    });
    for (const event of ["error", "abort", "timeout"])
      request.addEventListener(event, () => resolve({ kind: "failed" }));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });

/** Uploads a file. `progress` receives the fraction sent, from 0 to 1; `signal` cancels. */
export const upload = async (file: File, progress: (part: number) => void, signal: AbortSignal): Promise<Sent> => {
  const path = `/_/files?name=${encodeURIComponent(file.name)}`;
  const sent = await send<FileJson>(path, file, progress, signal);
  return sent.kind === "kept" ? { kind: "kept", file: sent.answer } : sent;
};

/** A table whose rows are to be imported. */
export interface SentTable {
  readonly name: string;
  readonly content: Blob;
  /** The record into whose list of parts the rows go. */
  readonly parent?: ImportSettings["parent"];
}

/** Sends a table whose rows are to be imported; `path` is that of the entity's calls. */
export const sendTable = (
  path: string,
  { name, content, parent }: SentTable,
  progress: (part: number) => void,
  signal: AbortSignal,
) => {
  const query = new URLSearchParams({ name, ...(parent && { parent: `${parent.field}/${parent.id}` }) });
  return send<ImportJson>(`${path}/import?${query}`, content, progress, signal);
};

/** Drafts a document from a spreadsheet. */
export const draftFromFile = (file: File, progress: (part: number) => void, signal: AbortSignal) =>
  send<DraftedFileJson>(`/_/draft?name=${encodeURIComponent(file.name)}`, file, progress, signal);
