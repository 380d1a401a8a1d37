import type { ImportJson, ImportSettings } from "../../core/wire/imports.ts";
import type { Problem } from "../../core/wire/problems.ts";
import { CommandFailed, exits } from "../exit-codes.ts";

/** A running application into which rows are imported. */
export interface ImportServer {
  /** Uploads a file and returns its import, which has not started. */
  readonly send: (list: string, file: string, bytes: Buffer) => Promise<ImportJson>;
  /** Starts to check or to write the rows. */
  readonly begin: (job: ImportJson, act: "check" | "run", settings: ImportSettings) => Promise<ImportJson>;
  /** Reads the current state of the import. */
  readonly read: (job: ImportJson) => Promise<ImportJson>;
  /** The refused rows with their reasons, as CSV. */
  readonly refused: (job: ImportJson) => Promise<string>;
}

/** Connects to a running application with a token for programs. */
export const connectToServer = (url: string, token: string): ImportServer => {
  const call = async (
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    type?: string,
  ): Promise<Response> => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${token}`, ...(type === undefined ? {} : { "content-type": type }) },
      ...(body === undefined ? {} : { body }),
    }).catch((error: unknown) => {
      throw new CommandFailed(
        exits.databaseRefused,
        `Can’t reach ${url}.`,
        "Check the address, and that the application is running.",
        error,
      );
    });
    if (response.ok) return response;
    const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
    const clause = problem.clause === undefined ? "" : ` (${problem.clause})`;
    throw new CommandFailed(
      exits.changeRefused,
      `${problem.detail ?? `${url} answered ${response.status}.`}${clause}`,
      problem.code === "NOT_SIGNED_IN" || problem.code === "NO_SUCH_CALL"
        ? "Check the token, and name the list by its address: “things” for /api/things."
        : undefined,
    );
  };
  const read = async (response: Promise<Response>) => (await (await response).json()) as ImportJson;
  let base = "";
  const place = ({ id }: ImportJson) => `${base}/${id}`;
  return {
    send: (list, file, bytes) => {
      base = `/api/${encodeURIComponent(list)}/import`;
      return read(
        call("POST", `${base}?name=${encodeURIComponent(file)}`, new Uint8Array(bytes), "application/octet-stream"),
      );
    },
    begin: (job, act, settings) =>
      read(call("POST", `${place(job)}/${act}`, JSON.stringify(settings), "application/json")),
    read: (job) => read(call("GET", place(job))),
    refused: async (job) => (await call("GET", `${place(job)}/refused.csv`)).text(),
  };
};
