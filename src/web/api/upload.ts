import type { Problem } from "../../core/wire/problems.ts";
import type { FileJson } from "../../core/wire/records.ts";

/** What became of a file that is sent. */
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

/** Sends a file. `progress` is told how much of it has gone, from 0 to 1; `signal` takes it back. */
export const upload = (file: File, progress: (part: number) => void, signal: AbortSignal): Promise<Sent> =>
  new Promise((resolve) => {
    // `fetch` does not tell how far it has come.
    const request = new XMLHttpRequest();
    request.open("POST", `/_/files?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(total > 0 ? loaded / total : 0));
    request.addEventListener("load", () => {
      const kept = request.status === 201 ? read<FileJson>(request.responseText) : undefined;
      const problem = kept === undefined ? read<Problem>(request.responseText) : undefined;
      if (kept !== undefined) resolve({ kind: "kept", file: kept });
      else if (problem?.detail !== undefined) resolve({ kind: "refused", detail: problem.detail });
      else resolve({ kind: "failed" });
    });
    for (const event of ["error", "abort", "timeout"])
      request.addEventListener(event, () => resolve({ kind: "failed" }));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
