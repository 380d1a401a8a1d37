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

/** Uploads a file. `progress` receives the fraction sent, from 0 to 1; `signal` cancels. */
export const upload = (file: File, progress: (part: number) => void, signal: AbortSignal): Promise<Sent> =>
  new Promise((resolve) => {
    // `fetch` does not report upload progress.
    const request = new XMLHttpRequest();
    request.open("POST", `/_/files?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(total > 0 ? loaded / total : 0));
    request.addEventListener("load", () => {
      const stored = request.status === 201 ? read<FileJson>(request.responseText) : undefined;
      const problem = stored === undefined ? read<Problem>(request.responseText) : undefined;
      if (stored !== undefined) resolve({ kind: "kept", file: stored });
      else if (problem?.detail !== undefined) resolve({ kind: "refused", detail: problem.detail });
      else resolve({ kind: "failed" });
    });
    for (const event of ["error", "abort", "timeout"])
      request.addEventListener(event, () => resolve({ kind: "failed" }));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
